/** What the loop is given of one thread: its log, its people, its sandbox, notes, history and what it remembers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../protocol/ids.ts'
import type { Answers } from '../../protocol/item.ts'
import type { AgentPorts, Clock, TurnControl } from '../agent/types.ts'
import type { ThreadContext } from './context.ts'
import { createNotes } from './notes.ts'
import { createHistory } from './reading.ts'
import { readRecall } from './recall.ts'

const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {})
  },
  random: () => Math.random(),
}

const control = (context: ThreadContext, controller: AbortController): TurnControl => ({
  signal: controller.signal,
  takeSteers: async () =>
    context.steers.splice(0).flatMap(({ clientId, actorId, op }) => {
      if (op.type !== 'turn.steer') return []
      return [{ opId: clientId, actorId, content: op.content }]
    }),
  ask: (itemId, _questions, signal) =>
    new Promise<Answers | null>((resolve, reject) => {
      const onAbort = (): void => {
        context.questions.delete(itemId)
        reject(signal.reason instanceof Error ? signal.reason : new Error('the question was withdrawn'))
      }
      if (signal.aborted) {
        onAbort()
        return
      }
      const early = context.early.get(itemId)
      if (early) {
        context.early.delete(itemId)
        resolve(early)
        return
      }
      signal.addEventListener('abort', onAbort, { once: true })
      context.questions.set(itemId, (answers) => {
        signal.removeEventListener('abort', onAbort)
        context.questions.delete(itemId)
        resolve(answers)
      })
    }),
  settings: () => context.log.state().settings,
  takeWindow: () => {
    const asked = context.windowOps.filter(({ op }) => op.type === 'window.start')
    if (asked.length === 0) return null
    const focus = asked.flatMap(({ op }) => (op.type === 'window.start' && op.focus ? [op.focus] : []))
    return focus.length === 0 ? {} : { focus: focus.join('\n') }
  },
  documentBegins: (stepId) => {
    const document = { stepId, controller: new AbortController() }
    context.document = document
    return {
      signal: document.controller.signal,
      ended: () => {
        if (context.document === document) context.document = null
      },
    }
  },
})

export const portsOf = async (context: ThreadContext, controller: AbortController): Promise<AgentPorts> => {
  const notes = createNotes(context)
  return {
    clock,
    recorder: context.log.recorder,
    control: control(context, controller),
    sandbox: (await context.workspace()).sandbox,
    notes,
    history: createHistory(context.deps.store, context.agent),
    recall: () => readRecall(context.deps.store, context.threadId, context.log.state(), notes),
    items: async (itemIds) =>
      (await context.deps.store.log.lastOfItems(context.threadId, itemIds)).flatMap((event) =>
        event.type === 'item.completed' || event.type === 'item.started' ? [event.body.item] : [],
      ),
    windowOpened: (window) => {
      context.window = window
    },
    newId,
    interceptors: context.deps.interceptors ?? [],
    defect: (error) => context.deps.log.error('a turn met a defect', { threadId: context.threadId, error }),
    commandDone: (commandId) => context.commands.release(commandId),
    commandLeft: (command) =>
      context.commands.watch({ ...command, from: context.sessions.get(command.commandId)?.nextOffset ?? 0 }),
  }
}
