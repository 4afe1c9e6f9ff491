/**
 * One step: a model request, its answer as it streams, and the calls that it leads to. Retries in place what broke
 * before anything whole had arrived.
 */
import { sha256 } from '../../lib/sha256.ts'
import { type ErrorFact, toFact } from '../../protocol/error.ts'
import { type EventBody, noUsage } from '../../protocol/event.ts'
import { envelopeOf } from '../context/assemble.ts'
import { budgetOf } from '../context/budget.ts'
import { fillOf } from '../context/fill.ts'
import { type Counted, settle } from '../context/window.ts'
import { costMicros as priceOf } from '../providers/catalogue.ts'
import { isHeadCopyGone, isProviderFailure } from '../providers/errors.ts'
import type { ProviderError, StopReason, WindowTraits } from '../providers/types.ts'
import { type Answer, createAnswer } from './answer.ts'
import { startCheckpoint } from './checkpoint.ts'
import { addCost, toUsage } from './cost.ts'
import { fact, providerFact } from './facts.ts'
import { endForgotten, headCopyFor } from './head-copy.ts'
import { retryWait } from './retry.ts'
import { recorded, Stopped, type TurnRun } from './run.ts'
import { createToolRound, type FinishedCall, type ToolRound } from './tool-round.ts'
import type { StepEnd } from './types.ts'

/** Bytes of a raw answer that are kept; beyond it the record says less, the turn goes on. */
const rawLimitBytes = 20_000_000

export type StepResult =
  | { type: 'answered'; stop: StopReason; calls: number; said: boolean }
  /** The stream broke after something whole; what arrived stands in the window. */
  | { type: 'cut'; error: ProviderError; calls: number; stepId: string }
  | { type: 'failed'; error: ErrorFact }

type Attempt = {
  answer: Answer
  round: ToolRound
  error: ProviderError | null
  /** A fault of ours; the step still ends in the log, then it is thrown on. */
  defect: unknown
  firstTokenMs: number | null
  requestId: string | null
  raw: Uint8Array | null
}

/** Runs the step to its end in the log. Throws `Stopped` after everything that was under way is recorded. */
export const runStep = async (
  run: TurnRun,
  onResult: (finished: FinishedCall) => void,
): Promise<StepResult> => {
  const { ports, input } = run
  const stepId = ports.newId('stp')
  const startedAt = ports.clock.now()
  const copy = await headCopyFor(run)
  const request = await startStep(run, stepId, { headCopy: copy?.name ?? null })
  run.steps += 1

  let retries = 0
  for (;;) {
    const attempt = await send(run, stepId, request, startedAt)
    const stop = run.stop()
    if (stop?.type === 'abandon') throw new Stopped(stop)
    const { answer, error } = attempt
    const isWhole = error === null && stop === null && attempt.defect === null
    const retriable = error !== null && stop === null && !answer.hasOutput() && attempt.round.count() === 0
    await answer.close(isWhole)
    if (retriable && copy !== null && isHeadCopyGone(error)) {
      await attempt.round.finish(() => undefined)
      await endForgotten(run, error, { stepId, startedAt, retries, requestId: attempt.requestId })
      // Another step, whose request carries its head itself.
      return runStep(run, onResult)
    }
    if (retriable && error !== null) {
      await attempt.round.finish(() => undefined)
      const waited = await waitToRetry(run, stepId, error, retries + 1, startedAt)
      if (waited) {
        retries += 1
        continue
      }
    }

    const counted = answer.usage()
    const usage = counted === null ? noUsage : toUsage(counted)
    const answered =
      counted === null || input.model.prices === null ? null : priceOf(input.model.prices, counted)
    const costMicros = addCost(answered, copy === null || copy.costMicros === 0 ? null : copy.costMicros)
    run.spend(usage, costMicros)
    settle(input.window, request.blockCount, countedOf(run, answer, usage))
    const end: Omit<StepEnd, 'status' | 'totalMs'> = {
      stepId,
      usage,
      costMicros,
      firstTokenMs: attempt.firstTokenMs,
      retries,
      providerRequestId: attempt.requestId,
      stopReason: answer.stopReason()?.raw ?? answer.stopReason()?.reason ?? '',
      rawResponse: attempt.raw,
    }
    let wrote = false
    await attempt.round.finish((finished) => {
      wrote ||= finished.outcome.wrote
      onResult(finished)
    })
    if (wrote) startCheckpoint(run, stepId)
    return finishStep(run, attempt, end, startedAt, request.estimatedTokens)
  }
}

/** Thoughts that are not handed back are gone with the answer; the next request is not counted with them. */
const countedOf = (run: TurnRun, answer: Answer, usage: StepEnd['usage']): Counted | null => {
  const isKept = traitsOf(run).reasoning !== 'none'
  const gone = isKept ? 0 : usage.reasoning > 0 ? usage.reasoning : answer.thoughtTokens()
  const contextTokens = usage.input + Math.max(0, usage.output - gone)
  return contextTokens > 0 ? { inputTokens: usage.input, contextTokens } : null
}

const traitsOf = ({ input }: TurnRun): WindowTraits => input.window.frozen?.traits ?? input.traits

type Request = { body: Uint8Array; blockCount: number; estimatedTokens: number }

/** The step's row, its blocks and its event are committed before the request may leave. */
export const startStep = async (
  run: TurnRun,
  stepId: string,
  {
    purpose,
    headCopy = null,
  }: { purpose?: EventBody<'step.started'>['purpose']; headCopy?: string | null } = {},
): Promise<Request> => {
  const { ports, input } = run
  const { window, model, provider } = input
  const { wire } = provider
  const effort = ports.control.settings().effort
  const traits = traitsOf(run)
  const envelope = wire.encodeEnvelope(envelopeOf(window, model, effort, headCopy), traits)
  const cacheMarks = wire.planCacheMarks(window.wire, window.lastRequest?.blockCount ?? 0)
  const body = wire.assembleBody(envelope, window.wire, cacheMarks)
  const sha = sha256(body)
  const rows = run.takeRows()
  const blockCount = window.wire.length
  const estimatedTokens = budgetOf(window, model).used
  const event = run.event(
    'step.started',
    {
      index: run.steps,
      blockCount,
      newBlocks: blockCount - (window.lastRequest?.blockCount ?? 0),
      bodySha256: sha,
      estimatedTokens,
      ...(purpose === undefined ? {} : { purpose }),
    },
    { stepId },
  )
  const step = {
    stepId,
    windowId: window.windowId,
    turnId: input.turnId,
    index: run.steps,
    blockCount,
    envelope,
    cacheMarks,
    bodySha256: sha,
    model: model.id,
  }
  await recorded(() => ports.recorder.startStep(step, rows, event), run.halt)
  return { body, blockCount, estimatedTokens }
}

/** One request and its stream. Vendor faults and a stop come back in the attempt; defects throw. */
const send = async (run: TurnRun, stepId: string, request: Request, startedAt: number): Promise<Attempt> => {
  const { ports, input } = run
  const round = createToolRound(run, stepId)
  const answer = createAnswer(run, stepId, round.start)
  const attempt: Attempt = {
    answer,
    round,
    error: null,
    defect: null,
    firstTokenMs: null,
    requestId: null,
    raw: null,
  }
  const raw: Uint8Array[] = []
  let rawBytes = 0
  const hooks = {
    onHead: (head: { requestId: string | null }) => {
      attempt.requestId = head.requestId
    },
    onRaw: (chunk: Uint8Array) => {
      rawBytes += chunk.length
      if (rawBytes <= rawLimitBytes) raw.push(chunk)
    },
  }
  try {
    const events = input.provider.stream({ body: request.body, model: input.model.id }, run.signal, hooks)
    for await (const event of events) {
      if (event.type === 'failed') {
        attempt.error = event.error
        break
      }
      if (attempt.firstTokenMs === null && event.type !== 'response.started' && event.type !== 'usage')
        attempt.firstTokenMs = ports.clock.now() - startedAt
      await answer.take(event)
      if (run.signal.aborted) break
    }
    if (attempt.error === null && run.stop() === null) attempt.error = emptyAnswer(answer)
  } catch (error) {
    if (isProviderFailure(error)) attempt.error = error.error
    else if (!run.signal.aborted) attempt.defect = error
  }
  attempt.raw = raw.length === 0 ? null : Buffer.concat(raw)
  return attempt
}

/** An answer that says nothing and calls nothing would leave the person without a word: it is asked for again. */
const emptyAnswer = (answer: Answer): ProviderError | null => {
  const stop = answer.stopReason()?.reason
  if (answer.hasOutput() || answer.calls() > 0 || stop === undefined) return null
  if (stop !== 'end' && stop !== 'tool_calls' && stop !== 'other' && stop !== 'stop_sequence') return null
  return {
    code: 'provider_protocol',
    message: 'the model ended its answer without saying anything',
    retryable: true,
    retryAfterMs: null,
    status: null,
    requestId: null,
  }
}

/** An empty answer is asked for again this often, then it counts. */
const emptyRetries = 3

/** True when the request may be sent again now. The wait is in the log, and a stop ends it. */
const waitToRetry = async (
  run: TurnRun,
  stepId: string,
  error: ProviderError,
  attempt: number,
  startedAt: number,
): Promise<boolean> => {
  if (error.code === 'provider_protocol' && attempt > emptyRetries) return false
  const { clock } = run.ports
  const waitMs = retryWait(error, attempt, clock.now() - startedAt, clock.random())
  if (waitMs === null) return false
  const nextAt = clock.now() + waitMs
  await run.emit('step.retried', { error: providerFact(error), attempt, waitMs, nextAt }, { stepId })
  try {
    await clock.sleep(waitMs, run.signal)
  } catch (cause) {
    if (!run.signal.aborted) throw cause
  }
  return run.stop() === null
}

const finishStep = async (
  run: TurnRun,
  attempt: Attempt,
  end: Omit<StepEnd, 'status' | 'totalMs'>,
  startedAt: number,
  estimatedTokens: number,
): Promise<StepResult> => {
  const { ports, input } = run
  const { answer, round, error } = attempt
  const { stepId, usage, costMicros, retries } = end
  const totalMs = Math.max(0, ports.clock.now() - startedAt)
  const write = (status: StepEnd['status'], event: ReturnType<TurnRun['event']>) =>
    recorded(() => ports.recorder.endStep({ ...end, status, totalMs }, event, run.takeRows()), run.halt)

  const stop = run.stop()
  const stream = answer.stopReason()
  if (stream !== null && error === null && attempt.defect === null) {
    const fill = fillOf(input.window, input.model, ports.control.settings().window)
    const body = {
      usage,
      costMicros,
      firstTokenMs: end.firstTokenMs,
      totalMs,
      retries,
      stopReason: end.stopReason,
      toolCalls: round.count(),
      // The provider's own count of request and answer; what the calls added is counted with the next request.
      contextTokens: countedOf(run, answer, usage)?.contextTokens ?? fill.used,
      contextLimit: fill.limit,
      estimatedTokens,
    }
    await write('completed', run.event('step.completed', body, { stepId }))
    if (stop !== null) throw new Stopped(stop)
    return { type: 'answered', stop: stream.reason, calls: round.count(), said: answer.said() }
  }
  if (stop !== null) {
    const cause = fact(
      'stream_cut',
      'The turn was stopped while the model answered.',
      'Send a message to go on.',
    )
    await write('cut', run.event('step.cut', { error: cause, usage, costMicros, totalMs }, { stepId }))
    throw new Stopped(stop)
  }
  if (attempt.defect !== null) {
    const cause = toFact(attempt.defect)
    await write(
      'failed',
      run.event('step.failed', { error: cause, usage, costMicros, totalMs, retries }, { stepId }),
    )
    throw attempt.defect
  }
  const failure = error ?? broken
  if (answer.hasOutput() && failure.retryable) {
    const cause = providerFact(failure)
    await write('cut', run.event('step.cut', { error: cause, usage, costMicros, totalMs }, { stepId }))
    return { type: 'cut', error: failure, calls: round.count(), stepId }
  }
  const cause = providerFact(failure)
  await write(
    'failed',
    run.event('step.failed', { error: cause, usage, costMicros, totalMs, retries }, { stepId }),
  )
  return { type: 'failed', error: cause }
}

/** A provider that ends its iteration without an end: never by contract, but a turn must not hang on it. */
const broken: ProviderError = {
  code: 'stream_cut',
  message: 'the answer ended without its end',
  retryable: true,
  retryAfterMs: null,
  status: null,
  requestId: null,
}
