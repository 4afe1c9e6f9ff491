/**
 * Where in the log the things are that a new window is told of, kept one event after the other, so that a hand-over reads
 * a few rows however long the thread is. Pure.
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { Item } from '../../protocol/item.ts'
import type { Landmarks } from '../../protocol/thread.ts'

/** Newest messages of people that are kept. */
const requestsKept = 3
/** Running commands that are kept; a thread with more has them in its history. */
const commandsKept = 20

/** A call that ended badly, or a command that ended with another code than 0. */
const isFailure = (item: Item): boolean => {
  if (item.type !== 'tool_call') return false
  const { state } = item
  if (state.status === 'failed') return true
  if (state.status !== 'succeeded' || state.detail.type !== 'command') return false
  const { exitCode, signal, timedOut } = state.detail
  return (exitCode ?? 0) !== 0 || (signal ?? null) !== null || timedOut === true
}

const asksForWindow = (item: Item): boolean =>
  item.type === 'tool_call' && item.tool === 'new_context' && item.state.status === 'succeeded'

export const nextLandmarks = (known: Landmarks, event: ThreadEvent): Landmarks => {
  const { seq } = event
  switch (event.type) {
    case 'item.completed': {
      const { item } = event.body
      // What a program said in a person's place is no request.
      if (item.type === 'user_message' && item.actorId === 'system') return known
      if (item.type === 'user_message')
        return {
          ...known,
          goal: known.goal ?? seq,
          requests: [...known.requests, seq].slice(-requestsKept),
        }
      if (item.type === 'agent_message') return { ...known, answer: seq }
      if (item.type === 'plan') return { ...known, plan: seq }
      if (item.type === 'question' && item.answers !== undefined) return { ...known, question: seq }
      if (asksForWindow(item)) return { ...known, renewal: seq }
      return isFailure(item) ? { ...known, failure: seq } : known
    }
    case 'turn.failed':
    case 'turn.limited':
      return { ...known, failure: seq }
    case 'checkpoint.created':
      return { ...known, checkpoint: seq }
    case 'rules.changed':
      return { ...known, rules: seq }
    case 'window.opened':
      return known.renewal === null ? known : { ...known, renewal: null }
    case 'window.warned':
      return event.body.kind === 'not_renewed' ? { ...known, renewal: null } : known
    case 'command.started': {
      const { commandId } = event.body
      return { ...known, commands: [...known.commands, { commandId, seq }].slice(-commandsKept) }
    }
    case 'command.exited': {
      const { commandId } = event.body
      const commands = known.commands.filter((each) => each.commandId !== commandId)
      return commands.length === known.commands.length ? known : { ...known, commands }
    }
    default:
      return known
  }
}
