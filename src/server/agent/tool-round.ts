/**
 * The calls of one step: started while the answer still streams, run in call order or side by side, and recorded in call
 * order whatever order they end in.
 */
import { Fault, toFact } from '../../protocol/error.ts'
import type { ToolCallState } from '../../protocol/item.ts'
import { interruptedCall } from '../context/fragments/interrupted-call.ts'
import { readableText } from '../context/text.ts'
import { createCallOrder } from './order.ts'
import { Stopped, type TurnRun } from './run.ts'
import {
  type CallOutcome,
  type CallRunner,
  createCallRunner,
  type Earlier,
  type ProposedCall,
} from './tool-runner.ts'

/** How long a stopped call may take to kill what it started before the turn goes on without it. */
const stopGraceMs = 5_000

type Running = { call: ProposedCall; runner: CallRunner; outcome: Promise<CallOutcome> }

export type FinishedCall = { call: ProposedCall; outcome: CallOutcome }

export type ToolRound = {
  start(call: ProposedCall, earlier?: Earlier): void
  /** A call whose end is known already takes its place among the results. */
  settle(call: ProposedCall, outcome: CallOutcome): void
  count(): number
  /** Waits for every call and records its result. Throws `Stopped` only when the run was abandoned. */
  finish(onResult: (finished: FinishedCall) => void): Promise<void>
}

export const createToolRound = (run: TurnRun, stepId: string): ToolRound => {
  const order = createCallOrder()
  const running: Running[] = []
  const controller = new AbortController()
  // Shutting down or losing the lease leaves commands alone: another runner finds them again.
  const stopped = Promise.withResolvers<void>()
  const onStop = (): void => {
    if (run.stop()?.type !== 'abandon') controller.abort(run.signal.reason)
    stopped.resolve()
  }
  if (run.signal.aborted) onStop()
  run.signal.addEventListener('abort', onStop, { once: true })

  const invoke = async ({ call, runner }: Running): Promise<CallOutcome> => {
    controller.signal.throwIfAborted()
    const tool = { itemId: call.itemId, tool: call.tool }
    const around = run.ports.interceptors.flatMap(({ tool: each }) => (each === undefined ? [] : [each]))
    const mayAct = Promise.race([run.checkpoint, stopped.promise])
    const inner = () => runner.run(controller.signal, mayAct)
    return around.reduceRight<() => Promise<CallOutcome>>((next, each) => () => each(tool, next), inner)()
  }

  return {
    start(call, earlier) {
      const ended = Promise.withResolvers<void>()
      const runner = createCallRunner(run, stepId, call, earlier)
      const turn = order.enter(runner.parallelSafe, ended.promise)
      const entry: Running = { call, runner, outcome: Promise.resolve(interrupted) }
      entry.outcome = turn
        .then(() => invoke(entry))
        .catch((error: unknown) => outcomeOf(run, error, controller.signal.aborted))
        .finally(ended.resolve)
      running.push(entry)
    },
    settle(call, outcome) {
      const runner = createCallRunner(run, stepId, call)
      running.push({ call, runner, outcome: Promise.resolve(outcome) })
    },
    count: () => running.length,
    async finish(onResult) {
      try {
        for (const entry of running) {
          const outcome = await settled(run, entry, controller.signal)
          await recordResult(run, stepId, entry, outcome)
          onResult({ call: entry.call, outcome })
        }
      } finally {
        run.signal.removeEventListener('abort', onStop)
      }
    },
  }
}

const interrupted: CallOutcome = { status: 'interrupted', text: '', wrote: true, polled: false }

/** A fault is text for the model; anything else is a defect of ours, told without its words. */
const outcomeOf = (run: TurnRun, error: unknown, stopped: boolean): CallOutcome => {
  if (stopped || error instanceof Stopped) return interrupted
  if (!(error instanceof Fault)) run.ports.defect(error)
  const fact = toFact(error)
  return { status: 'failed', text: `${fact.message} ${fact.next}`, error: fact, wrote: true, polled: false }
}

/** The call's outcome; after a stop it gets a grace to end by itself. Throws when the run was abandoned. */
const settled = async (run: TurnRun, entry: Running, stopped: AbortSignal): Promise<CallOutcome> => {
  const abandoned = Promise.withResolvers<never>()
  const graceOver = Promise.withResolvers<CallOutcome>()
  const ended = new AbortController()
  const onStop = (): void => {
    const stop = run.stop()
    if (stop?.type === 'abandon') abandoned.reject(new Stopped(stop))
    else
      run.ports.clock.sleep(stopGraceMs, ended.signal).then(
        () => graceOver.resolve(interrupted),
        () => undefined,
      )
  }
  if (run.signal.aborted) onStop()
  else run.signal.addEventListener('abort', onStop, { once: true })
  // An abandonment may follow a stop; the run says so only through its state.
  run.ports.control.signal.addEventListener('abort', onStop, { once: true })
  try {
    const outcome = await Promise.race([entry.outcome, graceOver.promise, abandoned.promise])
    const stop = run.stop()
    if (stop?.type === 'abandon') throw new Stopped(stop)
    return stopped.aborted && outcome.status === 'failed' ? { ...outcome, status: 'interrupted' } : outcome
  } finally {
    ended.abort()
    abandoned.promise.catch(() => undefined)
    run.signal.removeEventListener('abort', onStop)
    run.ports.control.signal.removeEventListener('abort', onStop)
  }
}

const recordResult = async (
  run: TurnRun,
  stepId: string,
  { call, runner }: Running,
  outcome: CallOutcome,
): Promise<void> => {
  const endedAt = run.ports.clock.now()
  const startedAt = runner.startedAt() ?? endedAt
  const said =
    outcome.status === 'interrupted' && outcome.text === ''
      ? interruptedCall(outcome.reason ?? stopWords, (endedAt - startedAt) / 1_000)
      : outcome.text
  const text = readableText(said)
  run.tell(
    {
      kind: 'tool_result',
      callId: call.callId,
      name: call.tool,
      parts: [{ type: 'text', text }],
      isError: outcome.status !== 'succeeded',
      group: stepId,
    },
    { reason: 'result', itemId: call.itemId },
  )
  const item = await runner.item(await endState(run, outcome, text, startedAt, endedAt))
  const { committed } = await run.emit('item.completed', { item }, { stepId, itemId: item.id })
  const { ended } = outcome
  // Freed only after the commit: a runner that takes over before it asks the sandbox again.
  if (ended !== undefined)
    committed.then(
      () => run.ports.commandDone(ended.commandId),
      () => undefined,
    )
}

const stopWords = 'the turn was stopped'

const endState = async (
  run: TurnRun,
  outcome: CallOutcome,
  text: string,
  startedAt: number,
  endedAt: number,
): Promise<ToolCallState> => {
  const { recorder } = run.ports
  const output = await recorder.long(text)
  const full =
    outcome.fullText === undefined ? {} : { full: await recorder.blob(Buffer.from(outcome.fullText)) }
  const detail = outcome.detail === undefined ? {} : { detail: outcome.detail }
  const error = () => outcome.error ?? toFact(null)
  switch (outcome.status) {
    case 'succeeded':
      return {
        status: 'succeeded',
        startedAt,
        endedAt,
        output,
        ...full,
        detail: { type: 'other' },
        ...detail,
      }
    case 'failed':
      return { status: 'failed', startedAt, endedAt, error: error(), output, ...full, ...detail }
    case 'refused':
      return { status: 'refused', error: error(), output }
    case 'interrupted':
      return {
        status: 'interrupted',
        startedAt,
        endedAt,
        reason: outcome.reason ?? stopWords,
        output,
        ...detail,
      }
  }
}
