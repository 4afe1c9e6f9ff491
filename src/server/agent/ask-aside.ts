/**
 * A model request beside the conversation: its answer is a hand-over document for the harness and becomes no item. It is
 * a step all the same, with its record, its usage and its price, and a person may end it without ending the turn.
 */
import type { ErrorFact } from '../../protocol/error.ts'
import { noUsage } from '../../protocol/event.ts'
import { fillOf } from '../context/fill.ts'
import { settle } from '../context/window.ts'
import { costMicros as priceOf } from '../providers/catalogue.ts'
import { isProviderFailure } from '../providers/errors.ts'
import type { ProviderError, StopReason, Usage } from '../providers/types.ts'
import { toUsage } from './cost.ts'
import { fact, providerFact } from './facts.ts'
import { retryWait } from './retry.ts'
import { recorded, Stopped, type TurnRun } from './run.ts'
import { startStep } from './step.ts'

/** Requests for one text before it counts as failed. */
const attempts = 4

type Said = {
  text: string
  usage: Usage | null
  stop: { reason: StopReason; raw: string | null } | null
  error: ProviderError | null
  firstTokenMs: number | null
  requestId: string | null
}

const noText = fact(
  'provider_protocol',
  'The model answered without a text.',
  'Nothing to do: the thread goes on without it.',
)

const stopped = fact(
  'stream_cut',
  'The hand-over document was stopped while it was written.',
  'Nothing to do: the new window goes on from notes and history.',
)

/** Sends the window as it stands. Throws `Stopped` when the turn must end. */
export const askAside = async (run: TurnRun): Promise<{ text: string } | { error: ErrorFact }> => {
  const { clock } = run.ports
  const stepId = run.ports.newId('stp')
  const startedAt = clock.now()
  const document = run.ports.control.documentBegins(stepId)
  const signal = AbortSignal.any([run.signal, document.signal])
  try {
    const request = await startStep(run, stepId, { purpose: 'hand_over_document' })
    run.steps += 1
    for (let attempt = 1; ; attempt += 1) {
      const said = await send(run, request.body, startedAt, signal)
      const { error } = said
      if (run.stop()?.type === 'abandon') run.check()
      if (error?.retryable && !signal.aborted && attempt < attempts) {
        const waitMs = retryWait(error, attempt, clock.now() - startedAt, clock.random())
        if (waitMs !== null) {
          const nextAt = clock.now() + waitMs
          await run.emit('step.retried', { error: providerFact(error), attempt, waitMs, nextAt }, { stepId })
          await clock.sleep(waitMs, signal).catch(() => undefined)
          if (!signal.aborted) continue
        }
      }
      return await end(run, { stepId, request, said, startedAt, retries: attempt - 1 }, signal.aborted)
    }
  } finally {
    document.ended()
  }
}

const send = async (
  run: TurnRun,
  body: Uint8Array,
  startedAt: number,
  signal: AbortSignal,
): Promise<Said> => {
  const said: Said = { text: '', usage: null, stop: null, error: null, firstTokenMs: null, requestId: null }
  const hooks = {
    onHead: (head: { requestId: string | null }) => {
      said.requestId = head.requestId
    },
  }
  try {
    const { provider, model } = run.input
    for await (const event of provider.stream({ body, model: model.id }, signal, hooks)) {
      if (event.type === 'failed') {
        said.error = event.error
        break
      }
      if (said.firstTokenMs === null && event.type === 'item.started')
        said.firstTokenMs = run.ports.clock.now() - startedAt
      if (event.type === 'usage') said.usage = event.usage
      if (event.type === 'completed') said.stop = { reason: event.stopReason, raw: event.rawStopReason }
      if (event.type === 'item.completed' && event.block.kind === 'assistant') said.text += event.block.text
    }
  } catch (error) {
    if (isProviderFailure(error)) said.error = error.error
    else if (!signal.aborted) throw error
  }
  return said
}

type Sent = {
  stepId: string
  request: { blockCount: number; estimatedTokens: number }
  said: Said
  startedAt: number
  retries: number
}

const end = async (
  run: TurnRun,
  { stepId, request, said, startedAt, retries }: Sent,
  isStopped: boolean,
): Promise<{ text: string } | { error: ErrorFact }> => {
  const { input, ports } = run
  const usage = said.usage === null ? noUsage : toUsage(said.usage)
  const costMicros =
    said.usage === null || input.model.prices === null ? null : priceOf(input.model.prices, said.usage)
  run.spend(usage, costMicros)
  const totalMs = Math.max(0, ports.clock.now() - startedAt)
  const row = {
    stepId,
    usage,
    costMicros,
    firstTokenMs: said.firstTokenMs,
    totalMs,
    retries,
    providerRequestId: said.requestId,
    stopReason: said.stop?.raw ?? said.stop?.reason ?? '',
    rawResponse: null,
  }
  const stop = run.stop()
  const text = said.text.trim()
  if (isStopped) {
    const event = run.event('step.cut', { error: stopped, usage, costMicros, totalMs }, { stepId })
    await recorded(() => ports.recorder.endStep({ ...row, status: 'cut' }, event, run.takeRows()), run.halt)
    if (stop !== null) throw new Stopped(stop)
    return { error: stopped }
  }
  if (said.error !== null || said.stop === null || text === '') {
    const error = said.error === null ? noText : providerFact(said.error)
    const body = { error, usage, costMicros, totalMs, retries }
    const event = run.event('step.failed', body, { stepId })
    await recorded(
      () => ports.recorder.endStep({ ...row, status: 'failed' }, event, run.takeRows()),
      run.halt,
    )
    return { error }
  }
  // The answer stays outside the window, so it is not counted into it.
  settle(
    input.window,
    request.blockCount,
    usage.input > 0 ? { inputTokens: usage.input, contextTokens: usage.input } : null,
  )
  const { limit, used } = fillOf(input.window, input.model, ports.control.settings().window)
  const body = {
    usage,
    costMicros,
    firstTokenMs: said.firstTokenMs,
    totalMs,
    retries,
    stopReason: row.stopReason,
    toolCalls: 0,
    contextTokens: usage.input || used,
    contextLimit: limit,
    estimatedTokens: request.estimatedTokens,
  }
  const event = run.event('step.completed', body, { stepId })
  await recorded(
    () => ports.recorder.endStep({ ...row, status: 'completed' }, event, run.takeRows()),
    run.halt,
  )
  return { text }
}
