/**
 * One turn: from a person's message until the model answers without a tool call, a limit, a fault or a stop. Knows no
 * database, container, vendor or clock: everything arrives in `ports`.
 */

import type { ErrorFact } from '../../protocol/error.ts'
import { Fault, toFact } from '../../protocol/error.ts'
import type { EventBody } from '../../protocol/event.ts'
import { answerCut } from '../context/fragments/answer-cut.ts'
import { turnInterrupted } from '../context/fragments/turn-interrupted.ts'
import { turnLimited } from '../context/fragments/turn-limited.ts'
import { beginTurn, deliverSteers, tellWorld } from './begin.ts'
import { fact, providerFact } from './facts.ts'
import { handOverAfterOverflow, isTooSmall, speaksSameWire, tendWindow } from './hand-over.ts'
import { reachedLimit, watchTime } from './limits.ts'
import { retryWait } from './retry.ts'
import { createRun, Stopped, type TurnRun } from './run.ts'
import { runStep, type StepResult } from './step.ts'
import { createStuckDetector } from './stuck.ts'
import type { AgentPorts, TurnInput, TurnOutcome } from './types.ts'

/** Answers in a row that may reach the output limit before the turn ends. */
const outputLimitAnswers = 3
/** After a stop the turn's end waits this long for a checkpoint under way; the rest goes on behind it. */
const checkpointGraceMs = 1_000

/** Runs the turn to its end. Every end but `abandoned` is in the log, committed, when this resolves; never rejects. */
export const runTurn = async (ports: AgentPorts, input: TurnInput): Promise<TurnOutcome> => {
  const run = createRun(ports, input)
  const around = ports.interceptors.flatMap(({ turn }) => (turn === undefined ? [] : [turn]))
  const inner = () => wholeTurn(run)
  const composed = around.reduceRight<() => Promise<TurnOutcome>>(
    (next, each) => () => each({ turnId: input.turnId }, next),
    inner,
  )
  try {
    return await composed()
  } catch (error) {
    ports.defect(error)
    return { status: 'abandoned' }
  } finally {
    run.close()
  }
}

type End = Exclude<TurnOutcome, { status: 'abandoned' }>

const wholeTurn = async (run: TurnRun): Promise<TurnOutcome> => {
  const ended = new AbortController()
  let end: End
  try {
    watchTime(run, ended.signal)
    const isOver = await beginTurn(run)
    end = isOver ? { status: 'completed' } : await loop(run)
  } catch (error) {
    const stop = run.stop()
    if (stop?.type === 'abandon') return { status: 'abandoned' }
    if (stop?.type === 'person') end = { status: 'interrupted', reason: 'person' }
    else if (stop?.type === 'limit') end = { status: 'limited', error: stop.error }
    else if (isTooSmall(error)) end = { status: 'limited', error: toFact(error) }
    else {
      if (!(error instanceof Fault)) run.ports.defect(error)
      end = { status: 'failed', error: toFact(error) }
    }
  } finally {
    ended.abort()
  }
  try {
    await finish(run, end)
  } catch (error) {
    if (!(error instanceof Stopped)) run.ports.defect(error)
    return { status: 'abandoned' }
  }
  return run.stop()?.type === 'abandon' ? { status: 'abandoned' } : end
}

const loop = async (run: TurnRun): Promise<End> => {
  const { ports } = run
  const detector = createStuckDetector()
  let stuck: string | null = null
  let cutInRow = 0
  let cutSince = 0
  let limitInRow = 0
  for (;;) {
    run.check()
    await deliverSteers(run)
    const limit = reachedLimit(run)
    if (limit !== null) return { status: 'limited', error: limit }
    if (speaksSameWire(run)) tellWorld(run)
    const full = await tendWindow(run)
    if (full !== null) return { status: 'limited', error: full }

    const result = await around(run, () =>
      runStep(run, ({ call, outcome }) => {
        stuck ??= detector.see(call, outcome)
      }),
    )
    if (result.type === 'failed') {
      if (result.error.code !== 'context_overflow') return { status: 'failed', error: result.error }
      if (await handOverAfterOverflow(run)) continue
      return { status: 'limited', error: result.error }
    }
    if (stuck !== null)
      return {
        status: 'limited',
        error: fact('stuck', stuck, 'Tell the agent what to do differently, then it goes on.'),
      }
    if (result.type === 'cut') {
      if (cutInRow === 0) cutSince = ports.clock.now()
      cutInRow += 1
      const error = await pause(run, result, cutInRow, ports.clock.now() - cutSince)
      if (error !== null) return { status: 'failed', error }
      if (result.calls === 0) tellCut(run, 'connection')
      continue
    }
    cutInRow = 0
    run.windowSteps += 1
    if (result.calls > 0 || result.stop === 'paused') {
      run.overflowed = false
      continue
    }
    if (result.stop === 'max_output') {
      limitInRow += 1
      if (limitInRow >= outputLimitAnswers) return { status: 'limited', error: outputLimit }
      tellCut(run, 'output_limit')
      continue
    }
    limitInRow = 0
    if (result.stop === 'refused') return { status: 'failed', error: refusedByProvider }
    if (result.stop === 'context_full') {
      if (await handOverAfterOverflow(run)) continue
      return { status: 'limited', error: windowOverflow }
    }
    run.overflowed = false
    // Words that arrived while the model gave its last answer keep the turn alive.
    if (!(await deliverSteers(run))) return { status: 'completed' }
  }
}

const around = (run: TurnRun, step: () => Promise<StepResult>): Promise<StepResult> => {
  const context = { turnId: run.input.turnId, index: run.steps }
  return run.ports.interceptors
    .flatMap((each) => (each.step === undefined ? [] : [each.step]))
    .reduceRight<() => Promise<StepResult>>((next, each) => () => each(context, next), step)()
}

const tellCut = (run: TurnRun, why: Parameters<typeof answerCut>[0]): void =>
  run.tell({ kind: 'developer', parts: [{ type: 'text', text: answerCut(why) }] }, { reason: 'answer_cut' })

/** Waits before the step after a cut one; an error when there were too many. */
const pause = async (
  run: TurnRun,
  { error, stepId }: Extract<StepResult, { type: 'cut' }>,
  attempt: number,
  elapsedMs: number,
): Promise<ErrorFact | null> => {
  const { clock } = run.ports
  const waitMs = retryWait(error, attempt, elapsedMs, clock.random())
  if (waitMs === null) return providerFact(error)
  const body = { error: providerFact(error), attempt, waitMs, nextAt: clock.now() + waitMs }
  await run.emit('step.retried', body, { stepId })
  await clock.sleep(waitMs, run.signal)
  return null
}

const windowOverflow = fact(
  'context_overflow',
  'The request is longer than the model takes, in a new window too.',
  'Send a shorter message, or choose a model with a larger window.',
)

const outputLimit = fact(
  'limit_reached',
  'The model reached the limit of one answer several times in a row.',
  'Ask for a smaller piece of the work.',
)

const refusedByProvider = fact(
  'provider_policy',
  'The provider withheld the answer for reasons of policy.',
  'Change the request, or choose another model.',
)

const finish = async (run: TurnRun, end: End): Promise<void> => {
  const { ports, input } = run
  if (end.status === 'interrupted') {
    if (input.window.frozen !== null && speaksSameWire(run))
      run.tell(
        { kind: 'developer', parts: [{ type: 'text', text: turnInterrupted() }] },
        { reason: 'interrupted' },
      )
    await Promise.race([run.checkpoint, ports.clock.sleep(checkpointGraceMs)])
  } else await run.checkpoint
  await tellBudget(run, end)
  if (end.status === 'limited' && input.window.frozen !== null && speaksSameWire(run))
    run.tell(
      { kind: 'developer', parts: [{ type: 'text', text: turnLimited(end.error.message) }] },
      { reason: 'limited' },
    )
  const totals = {
    usage: run.usage,
    costMicros: run.costMicros,
    durationMs: Math.max(0, Math.round(ports.clock.now() - run.startedAt)),
    steps: run.steps,
  }
  const { committed } = await endEvent(run, end, totals)
  await committed
}

/** Money that ran out is told on its own, beside the turn's end. */
const tellBudget = async (run: TurnRun, end: End): Promise<void> => {
  if (end.status !== 'limited' || end.error.code !== 'budget_stopped') return
  const limit = run.ports.control.settings().limits.costMicros ?? 0
  await run.emit('budget.stopped', { budget: 'turn', used: run.costMicros ?? 0, limit })
}

const endEvent = (run: TurnRun, end: End, totals: EventBody<'turn.completed'>) => {
  switch (end.status) {
    case 'completed':
      return run.emit('turn.completed', totals)
    case 'interrupted':
      return run.emit('turn.interrupted', { ...totals, reason: end.reason })
    case 'failed':
      return run.emit('turn.failed', { ...totals, error: end.error })
    case 'limited':
      return run.emit('turn.limited', { ...totals, error: end.error })
  }
}
