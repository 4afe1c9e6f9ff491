/**
 * One step in full but for bodies: what it was given and asked, how it ended, what it said and did, what happened
 * meanwhile.
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { RolloutRow, RolloutStep } from '../../protocol/rollout.ts'
import type { Store, StoredStep } from '../store/types.ts'
import { prefixesOf, stepBefore } from './blocks.ts'
import { type Kept, keptStep, noStep, type Proof } from './request.ts'

type Source = Pick<Store, 'windows' | 'blobs' | 'rollouts' | 'log'>

/** Bytes of items and events in one answer, and how many of each. */
const maxBytes = 700_000
const maxEntries = 500
/** Events after the next step's beginning among which a late one of this step is looked for (a checkpoint runs beside it). */
const lateEvents = 300

const shown = new Set<ThreadEvent['type']>([
  ...([
    'step.retried',
    'step.cut',
    'step.failed',
    'command.started',
    'command.exited',
    'checkpoint.created',
  ] as const),
  ...(['checkpoint.failed', 'approval.requested', 'approval.resolved', 'input.requested'] as const),
  ...(['input.resolved', 'egress.denied', 'sandbox.starting', 'sandbox.ready', 'sandbox.lost'] as const),
  ...(['window.warned', 'note.written', 'server.restarted'] as const),
])

type Entry = RolloutStep['items'][number]

/** Items as their newest event tells them, in the order in which they began. */
const itemsOf = (events: readonly ThreadEvent[]): Entry[] => {
  const items = new Map<string, Entry>()
  for (const event of events) {
    if (event.type !== 'item.started' && event.type !== 'item.completed') continue
    const { item } = event.body
    const known = items.get(item.id)
    if (known?.completedAt != null && event.type === 'item.started') continue
    items.set(item.id, {
      item,
      seq: known?.seq ?? event.seq,
      at: known?.at ?? event.at,
      completedAt: event.type === 'item.completed' ? event.at : null,
    })
  }
  return [...items.values()]
}

/** As many as an answer may hold; bytes are those of their JSON. */
const fitting = <T>(entries: T[], bytes: number): { kept: T[]; left: number } => {
  const kept: T[] = []
  let left = bytes
  for (const entry of entries.slice(0, maxEntries)) {
    left -= Buffer.byteLength(JSON.stringify(entry))
    if (left < 0) break
    kept.push(entry)
  }
  return { kept, left: Math.max(0, left) }
}

type Told = Pick<
  RolloutStep,
  'model' | 'wire' | 'effort' | 'blockCount' | 'newFrom' | 'cachedTo' | 'cacheMarks' | 'request' | 'response'
>

const effortIn = (envelope: Uint8Array): string | null => {
  const text = Buffer.from(envelope).toString('utf8')
  return /"(?:effort|reasoning_effort|thinkingLevel)":"([^"\\]{1,40})"/.exec(text)?.[1] ?? null
}

type Prove = (kept: Kept) => Promise<Proof | null>

const toldOf = async (
  source: Source,
  prove: Prove,
  threadId: string,
  stepId: string,
): Promise<(Told & { step: StoredStep }) | null> => {
  const kept = await keptStep(source, threadId, stepId)
  if (!kept) return null
  const { step, wire } = kept
  const hash = step.end?.rawResponseHash ?? null
  const [proof, list, before, bytes, envelope] = await Promise.all([
    prove(kept),
    source.windows.list(step.windowId, step.blockCount),
    stepBefore(source, step),
    hash === null ? null : source.blobs.of(threadId).size(hash),
    source.blobs
      .of(threadId)
      .get(step.envelopeHash)
      .catch(() => new Uint8Array()),
  ])
  return {
    step,
    wire,
    model: step.model,
    effort: effortIn(envelope),
    blockCount: step.blockCount,
    ...prefixesOf(list, step, before),
    cacheMarks: step.cacheMarks,
    request: {
      bodySha256: step.bodySha256,
      bytes: proof?.bytes ?? null,
      rebuiltSha256: proof?.sha256 ?? null,
    },
    response: { hash: bytes === null ? null : hash, bytes },
  }
}

type Ending = Extract<ThreadEvent, { type: 'step.completed' | 'step.cut' | 'step.failed' }>

const endOf = (event: Ending | undefined, step: StoredStep | undefined): RolloutStep['end'] => {
  if (step?.end) {
    const { status, usage, costMicros, firstTokenMs, totalMs, retries, providerRequestId, stopReason } =
      step.end
    return { status, usage, costMicros, firstTokenMs, totalMs, retries, providerRequestId, stopReason }
  }
  if (!event) return null
  const { usage, costMicros, totalMs } = event.body
  return {
    usage,
    costMicros,
    totalMs,
    providerRequestId: null,
    status: event.type === 'step.completed' ? 'completed' : event.type === 'step.cut' ? 'cut' : 'failed',
    firstTokenMs: event.type === 'step.completed' ? event.body.firstTokenMs : null,
    retries: 'retries' in event.body ? event.body.retries : 0,
    stopReason: event.type === 'step.completed' ? event.body.stopReason : '',
  }
}

/** `rowOf` reads a row by its number, `prove` rebuilds and hashes a request. */
export const stepOf = async (
  source: Source,
  { threadId, stepId }: { threadId: string; stepId: string },
  { rowOf, prove }: { rowOf: (idx: number) => Promise<RolloutRow | undefined>; prove: Prove },
): Promise<RolloutStep> => {
  const key = await source.rollouts.ofKey(threadId, stepId)
  const row = key && (await rowOf(key.idx))
  if (!key || row?.kind !== 'step') throw noStep()
  const [told, next, windowIndex] = await Promise.all([
    toldOf(source, prove, threadId, stepId),
    source.rollouts.nextStep(threadId, key.idx),
    source.rollouts.windowIndex(threadId, key.windowId),
  ])
  const until = Math.max(key.endSeq, next ?? key.endSeq) + lateEvents
  const events = await source.log.ofStep(threadId, stepId, key.seq, until)
  const turn = events.length === 0 || told ? null : await source.rollouts.ofKey(threadId, key.turnId ?? '')
  const started = turn && (await source.log.at(threadId, [turn.seq]))[0]
  const begun = events.find((event) => event.type === 'step.started')
  const ending = events.findLast((event): event is Ending =>
    /^step\.(completed|cut|failed)$/.test(event.type),
  )
  const items = fitting(itemsOf(events), maxBytes)
  const others = fitting(
    events.filter((event) => shown.has(event.type)),
    items.left,
  )
  const fromLog: Told = {
    model: started?.type === 'turn.started' ? started.body.model.model : '',
    wire: '',
    effort: null,
    newFrom: 0,
    cachedTo: 0,
    cacheMarks: [],
    blockCount: begun?.body.blockCount ?? 0,
    request: { bodySha256: begun?.body.bodySha256 ?? '', bytes: null, rebuiltSha256: null },
    response: { hash: null, bytes: null },
  }
  const { step, ...facts } = told ?? { ...fromLog, step: undefined }
  return {
    row,
    windowIndex,
    ...facts,
    end: endOf(ending, step),
    estimatedTokens: begun?.body.estimatedTokens ?? null,
    events: others.kept,
    items: items.kept,
    cut:
      items.kept.length < itemsOf(events).length ||
      others.kept.length < events.filter((e) => shown.has(e.type)).length,
  }
}
