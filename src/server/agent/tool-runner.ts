/**
 * One call on its way through the tools' pipeline: what the tool tells while it runs becomes events, in order, and what
 * it ends with becomes an outcome. Knows no tool by name.
 */
import type { EventBody, EventType } from '../../protocol/event.ts'
import type { Answers, Question, QuestionItem, ToolCall, ToolCallState } from '../../protocol/item.ts'
import { fillOf } from '../context/fill.ts'
import { resolveCall, runCall } from '../tools/pipeline.ts'
import type { EndedCommand, ResolvedCall, ToolContext, ToolOutcome, ToolProgress } from '../tools/types.ts'
import type { TurnRun } from './run.ts'

/** A call as the model made it; the arguments may be no JSON at all. */
export type ProposedCall = { itemId: string; callId: string; tool: string; argumentsText: string }

export type CallOutcome = ToolOutcome & {
  /** True when files may have changed: then a checkpoint follows. */
  wrote: boolean
  /** True when the call only looked after a running command: never a sign of being stuck. */
  polled: boolean
}

export type CallRunner = {
  readonly parallelSafe: boolean
  /**
   * Runs the call to its end; before `mayAct` resolves it touches nothing. A refusal is an outcome; only a defect or a
   * lost log rejects.
   */
  run(signal: AbortSignal, mayAct: Promise<void>): Promise<CallOutcome>
  startedAt(): number | null
  /** The call in the log, in a state. */
  item(state: ToolCallState): Promise<ToolCall>
}

/** A call's command bears the call's id, so each names the other, in every process. */
export const commandOfItem = (itemId: string): string => itemId.replace(/^itm_/, 'cmd_')
const itemOfCommand = (commandId: string): string => commandId.replace(/^cmd_/, 'itm_')

/** Kinds of work that leave files as they are. */
const looksOnly = new Set(['read', 'list', 'search', 'note', 'plan', 'question'])

/** What an earlier process did for a call that is taken up again. */
export type Earlier = {
  /** The question that it put to a person and that is still open. */
  asked?: QuestionItem
  /** Whether the log has the beginning of its command. */
  started: boolean
}

export const createCallRunner = (
  run: TurnRun,
  stepId: string,
  call: ProposedCall,
  earlier: Earlier = { started: false },
): CallRunner => {
  const { ports, input } = run
  const { recorder } = ports
  const { asked } = earlier
  const about = { stepId, itemId: call.itemId }
  let startedAt: number | null = null
  let commandId: string | null = null
  /** Events of the call, one after the other; progress cannot wait for them itself. */
  let written: Promise<unknown> = Promise.resolve()
  const write = <T extends EventType>(
    type: T,
    body: EventBody<T> | (() => Promise<EventBody<T>>),
    itemId = call.itemId,
  ): void => {
    written = written.then(async () =>
      run.emit(type, typeof body === 'function' ? await body() : body, { stepId, itemId }),
    )
    written.catch(() => undefined)
  }

  const resolved: ResolvedCall = resolveCall(
    input.tools,
    { name: call.tool, argumentsText: call.argumentsText },
    { cwd: run.cwd, settings: ports.control.settings() },
  )

  const item = async (state: ToolCallState): Promise<ToolCall> => ({
    id: call.itemId,
    type: 'tool_call',
    callId: call.callId,
    tool: call.tool,
    arguments: await recorder.long(call.argumentsText),
    state,
  })

  const progress: ToolProgress = {
    commandStarted(command) {
      commandId = command.commandId
      if (earlier.started) return
      write('command.started', {
        commandId: command.commandId,
        itemId: call.itemId,
        command: command.command.slice(0, commandChars),
        mode: ports.control.settings().permission,
        tty: command.tty,
      })
    },
    output(id, offset, text, nextOffset) {
      recorder.delta(itemOfCommand(id), 'output', offset, text, nextOffset)
    },
    plan(entries, explanation) {
      const id = ports.newId('itm')
      const plan = { id, type: 'plan' as const, entries, ...(explanation === null ? {} : { explanation }) }
      write('item.completed', { item: plan }, id)
    },
  }

  const ask = async (questions: Question[], signal: AbortSignal): Promise<Answers | null> => {
    const id = asked?.id ?? ports.newId('itm')
    const question: QuestionItem = { id, type: 'question', callItemId: call.itemId, questions }
    const waiting = await item({ status: 'waiting', for: 'input' })
    await run.emit('item.started', { item: waiting }, about)
    if (asked === undefined) {
      await run.emit('item.started', { item: question }, { stepId, itemId: id })
      await run.emit('input.requested', { itemId: id }, { stepId, itemId: id })
    }
    const resume = run.pauseTime()
    let answers: Answers | null = null
    try {
      answers = await ports.control.ask(id, questions, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    resume()
    const end = answers === null ? { withdrawn: true } : { answers }
    await run.emit('input.resolved', { itemId: id, ...end }, { stepId, itemId: id })
    await run.emit('item.completed', { item: { ...question, ...end } }, { stepId, itemId: id })
    return answers
  }

  const context = (signal: AbortSignal): ToolContext => ({
    itemId: call.itemId,
    sandbox: ports.sandbox,
    settings: ports.control.settings(),
    cwd: run.cwd,
    sessions: input.sessions,
    window: {
      budget() {
        const { used, remaining } = fillOf(input.window, input.model, ports.control.settings().window)
        return { index: input.window.index, usedTokens: used, remainingTokens: remaining }
      },
      renew() {
        run.wantsWindow = true
      },
    },
    clock: ports.clock,
    progress,
    notes: ports.notes,
    history: ports.history,
    ask,
    signal,
  })

  /** The call begins to act: in the log, committed, before anything happens. */
  const begin = async (): Promise<void> => {
    startedAt = ports.clock.now()
    const running = await item({ status: 'running', startedAt })
    const { committed } = await run.emit('item.started', { item: running }, about)
    await committed
  }

  const recordEnd = async (ended: EndedCommand): Promise<string | undefined> => {
    const bytes = await ended.readOutput()
    const outputBlob = bytes.length === 0 ? undefined : await recorder.blob(bytes)
    write('command.exited', {
      commandId: ended.commandId,
      itemId: call.itemId,
      status: ended.end.status,
      exitCode: ended.end.exitCode,
      signal: ended.end.signal,
      bytes: ended.end.bytes,
      ...(outputBlob === undefined ? {} : { outputBlob }),
    })
    return outputBlob
  }

  return {
    parallelSafe: resolved.ok ? resolved.parallelSafe : true,
    startedAt: () => startedAt,
    item,
    async run(signal, mayAct) {
      if (!resolved.ok) {
        const { error } = resolved.outcome
        if (error !== undefined) ports.notes.refused(call.tool, error)
        return { ...resolved.outcome, wrote: false, polled: false }
      }
      await Promise.all([begin(), mayAct])
      signal.throwIfAborted()
      run.check()
      let hasEnd = false
      let outcome: ToolOutcome
      try {
        outcome = await runCall(resolved, context(signal))
        const { detail, ended } = outcome
        // The end of an older command is told by whoever watches it.
        if (ended !== undefined && ended.commandId === commandId) {
          hasEnd = true
          const outputBlob = await recordEnd(ended)
          if (detail?.type === 'command' && outputBlob !== undefined) detail.outputBlob = outputBlob
        }
      } finally {
        if (commandId !== null && !hasEnd && run.stop()?.type !== 'abandon')
          ports.commandLeft({ commandId, itemId: call.itemId, turnId: input.turnId, stepId })
      }
      await written
      const { detail } = outcome
      return {
        ...outcome,
        wrote: outcome.status !== 'refused' && (detail === undefined || !looksOnly.has(detail.type)),
        polled: detail?.type === 'command' && detail.running && commandId === null,
      }
    },
  }
}

/** Characters of a command that its event carries; the call's arguments have all of it. */
const commandChars = 2_000
