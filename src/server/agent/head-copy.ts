/**
 * When the vendor is asked to keep a copy of a window's tools and instructions, and when it is let go. Which requests
 * it is worth: implicit caches give the same discount on everything that was sent before, messages too, and take no
 * rent; a copy guarantees the discount, on the head alone. In a loop that sends itself again and again the guarantee
 * rarely pays, so a model has it only when a person switched it on.
 */
import { noUsage } from '../../protocol/event.ts'
import type { WindowState } from '../context/types.ts'
import { leastCopiedTokens } from '../providers/catalogue.ts'
import type { Provider, ProviderError } from '../providers/types.ts'
import { providerFact } from './facts.ts'
import { recorded, type TurnRun } from './run.ts'
import type { StepEnd } from './types.ts'

/** Long enough for a slow tool between two requests; each request that finds less than a third left prolongs it. */
const ttlMs = 600_000
const shortMs = ttlMs / 3
/** Not used this close to its end: the request has to arrive. */
const marginMs = 15_000
/** Requests of a window before the head is worth a copy. */
const requestsBefore = 2
/** After so many failures a window goes on without one. */
const mostFailures = 2

type Kept = {
  /** Requests that left since the window is in this process. */
  requests: number
  failures: number
  copy: { name: string; expiresAt: number; provider: Provider } | null
}

// Of this process alone: after a death the copy ends with its time.
const kept = new WeakMap<WindowState, Kept>()

const keptOf = (window: WindowState): Kept => {
  const known = kept.get(window) ?? { requests: 0, failures: 0, copy: null }
  kept.set(window, known)
  return known
}

export type UsedCopy = {
  name: string /** What making it for this request cost, in micro-dollars. */
  costMicros: number
}

/** The copy that the next request names; null: it carries its head itself. Never throws but for the turn's stop. */
export const headCopyFor = async (run: TurnRun): Promise<UsedCopy | null> => {
  const { window, model, provider } = run.input
  const { headCopies } = provider
  if (!model.explicitCache || headCopies === undefined) return null
  const own = keptOf(window)
  own.requests += 1
  const now = run.ports.clock.now()
  if (own.copy !== null) {
    const { name, expiresAt } = own.copy
    own.copy.provider = provider
    if (expiresAt - now > marginMs) {
      if (expiresAt - now < shortMs) await prolong(run, own, name, now)
      return { name, costMicros: 0 }
    }
    own.copy = null
  }
  if (own.requests <= requestsBefore || own.failures >= mostFailures) return null
  if (headTokens(window) < leastCopiedTokens(model.id)) return null
  try {
    const made = await headCopies.make({ model: model.id, blocks: window.wire, ttlMs }, run.signal)
    own.copy = { name: made.name, expiresAt: now + made.ttlMs, provider }
    return { name: made.name, costMicros: Math.ceil((made.tokens * (model.prices?.input ?? 0)) / 1_000_000) }
  } catch {
    run.check()
    own.failures += 1
    return null
  }
}

const headTokens = ({ rows }: WindowState): number =>
  rows.reduce((sum, { kind, tokens }) => sum + (kind === 'tool' || kind === 'instructions' ? tokens : 0), 0)

const prolong = async (run: TurnRun, own: Kept, name: string, now: number): Promise<void> => {
  try {
    await run.input.provider.headCopies?.extend(name, ttlMs, run.signal)
    if (own.copy !== null) own.copy.expiresAt = now + ttlMs
  } catch {
    // It is used while it lasts; the request after that makes another.
    run.check()
  }
}

/** The vendor let the copy go: the step that named it ends in the log as what it was. The one after may have a new copy. */
export const endForgotten = async (
  run: TurnRun,
  gone: ProviderError,
  step: { stepId: string; startedAt: number; retries: number; requestId: string | null },
): Promise<void> => {
  const { ports, input } = run
  const own = keptOf(input.window)
  own.copy = null
  own.failures += 1
  // Counted anew: the next request goes without.
  own.requests = Math.min(own.requests, requestsBefore - 1)
  const { stepId, startedAt, retries, requestId } = step
  const totalMs = Math.max(0, ports.clock.now() - startedAt)
  const end: StepEnd = {
    stepId,
    status: 'cut',
    usage: noUsage,
    costMicros: null,
    firstTokenMs: null,
    totalMs,
    retries,
    providerRequestId: requestId,
    stopReason: '',
    rawResponse: null,
  }
  const body = { error: providerFact(gone), usage: noUsage, costMicros: null, totalMs }
  const event = run.event('step.cut', body, { stepId })
  await recorded(() => ports.recorder.endStep(end, event, run.takeRows()), run.halt)
}

/** Nobody will ask for this window again. What cannot be removed ends with its time. */
export const releaseHeadCopy = (window: WindowState): void => {
  const copy = kept.get(window)?.copy
  kept.delete(window)
  if (copy === null || copy === undefined) return
  copy.provider.headCopies?.remove(copy.name, new AbortController().signal).catch(() => undefined)
}
