/**
 * The one statement that appends to the logs of many threads: rows by `unnest`, joined to the leases whose owner and
 * fence fit, which stay locked until the commit. Doing it twice changes nothing. Knows no runtime.
 */
import { sha256 } from '../../lib/sha256.ts'
import type { Db } from './db.ts'
import type { BlockRow, OpChange, StepEndRow, StepRow, ThreadAppend } from './types.ts'

/** Wire bytes up to this size stand in their block's row; larger ones are blobs, where equal ones are kept once. */
const inlineWireBytes = 8_192

type Column<R> = [name: string, type: string, value: (row: R) => unknown]

/** Collects parameters and writes `unnest(...) as alias(columns)`. */
class Parameters {
  readonly values: unknown[] = []

  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  unnest<R>(alias: string, columns: Column<R>[], rows: R[]): string {
    const arrays = columns.map(([, type, value]) => `${this.add(rows.map(value))}::${type}[]`)
    return `unnest(${arrays.join(', ')}) as ${alias}(${columns.map(([name]) => `"${name}"`).join(', ')})`
  }
}

type OfThread<R> = R & { t: string }

const ofThreads = <R>(appends: ThreadAppend[], pick: (append: ThreadAppend) => readonly R[] | undefined) =>
  appends.flatMap((append) => (pick(append) ?? []).map((row) => ({ t: append.threadId, row })))

/** Buffers, because the driver writes only these as bytea inside arrays. */
const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** An op that changed twice in one append is written once, as it ended. */
const mergeOps = (appends: ThreadAppend[]): OfThread<OpChange & { first: OpChange }>[] => {
  const merged = new Map<string, OfThread<OpChange & { first: OpChange }>>()
  for (const { t, row } of ofThreads(appends, (append) => append.ops)) {
    const key = `${t} ${row.opId}`
    const before = merged.get(key)
    merged.set(key, before ? { ...before, ...row } : { t, ...row, first: row })
  }
  return [...merged.values()]
}

type FullStep = { t: string; row: StepRow; end: StepEndRow | undefined }

const splitSteps = (
  appends: ThreadAppend[],
): { steps: FullStep[]; ends: { t: string; row: StepEndRow }[] } => {
  const ends = new Map(ofThreads(appends, (append) => append.stepEnds).map((end) => [end.row.stepId, end]))
  const steps = ofThreads(appends, (append) => append.steps).map(({ t, row }) => {
    const end = ends.get(row.stepId)?.row
    ends.delete(row.stepId)
    return { t, row, end }
  })
  return { steps, ends: [...ends.values()] }
}

const endColumns = <R>(end: (row: R) => StepEndRow | undefined): Column<R>[] => [
  ['status', 'text', (row) => end(row)?.status ?? null],
  ['usage', 'text', (row) => json(end(row)?.usage)],
  ['costMicros', 'int8', (row) => end(row)?.costMicros ?? null],
  ['firstTokenMs', 'int4', (row) => end(row)?.firstTokenMs ?? null],
  ['totalMs', 'int4', (row) => end(row)?.totalMs ?? null],
  ['retries', 'int4', (row) => end(row)?.retries ?? null],
  ['providerRequestId', 'text', (row) => end(row)?.providerRequestId?.replaceAll('\u0000', '') ?? null],
  ['stopReason', 'text', (row) => cleanText(end(row)?.stopReason ?? '')],
  ['rawResponseHash', 'text', (row) => end(row)?.rawResponseHash ?? null],
]

const json = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value)

/** The statement for these appends. Parts without rows are left out, so a few shapes are prepared, not one huge one. */
export const buildAppend = (
  ownerId: string,
  appends: ThreadAppend[],
): { text: string; values: unknown[] } => {
  const p = new Parameters()
  const owner = p.add(ownerId)
  const parts: string[] = []
  const want = p.unnest<ThreadAppend>(
    'w',
    [
      ['t', 'text', (row) => row.threadId],
      ['fence', 'int8', (row) => row.fence],
    ],
    appends,
  )
  parts.push(`held as materialized (
    select l."threadId" as t from "ThreadLease" l join ${want} on w.t = l."threadId" and w.fence = l.fence
    where l."ownerId" = ${owner} order by l."threadId" for share of l)`)

  const part = <R extends { t: string }>(
    name: string,
    columns: Column<R>[],
    rows: R[],
    write: (from: string, names: string) => string,
  ): void => {
    if (rows.length === 0) return
    const from = `${p.unnest(name, [['t', 'text', (row: R) => row.t], ...columns], rows)} join held h on h.t = ${name}.t`
    parts.push(`${name}_done as (${write(from, columns.map(([column]) => `"${column}"`).join(', '))})`)
  }

  part(
    'ev',
    [
      ['seq', 'int8', ({ row }) => row.seq],
      ['type', 'text', ({ row }) => row.type],
      ['windowId', 'text', ({ row }) => row.windowId],
      ['turnId', 'text', ({ row }) => row.turnId ?? null],
      ['stepId', 'text', ({ row }) => row.stepId ?? null],
      ['itemId', 'text', ({ row }) => row.itemId ?? null],
      ['actorId', 'text', ({ row }) => row.actorId],
      ['at', 'float8', ({ row }) => row.at],
      ['body', 'text', ({ row }) => JSON.stringify(row.body)],
    ],
    ofThreads(appends, (append) => append.events),
    (
      from,
    ) => `insert into "Event" ("threadId", seq, type, "windowId", "turnId", "stepId", "itemId", "actorId", at, body)
      select ev.t, ev.seq, ev.type, ev."windowId", ev."turnId", ev."stepId", ev."itemId", ev."actorId",
        to_timestamp(ev.at / 1000), ev.body::json from ${from} on conflict do nothing`,
  )
  part(
    'pr',
    [
      ['status', 'text', ({ row }) => row.status],
      ['sandbox', 'text', ({ row }) => row.sandbox],
      ['head', 'int8', ({ row }) => row.head],
      ['lastLine', 'text', ({ row }) => cleanText(row.lastLine)],
      ['state', 'text', ({ row }) => storableJson(row)],
      ['updatedAt', 'float8', ({ row }) => row.updatedAt],
    ],
    appends.map((append) => ({ t: append.threadId, row: append.state })),
    (from) => `update "ThreadProjection" p set status = pr.status, sandbox = pr.sandbox, head = pr.head,
      "lastLine" = pr."lastLine", state = pr.state::json, "updatedAt" = to_timestamp(pr."updatedAt" / 1000)
      from ${from} where p."threadId" = pr.t and p.head <= pr.head`,
  )
  part(
    'op',
    [
      ['opId', 'text', (row) => row.opId],
      ['status', 'text', (row) => row.status],
      ['error', 'text', (row) => json(row.error)],
      [
        'receipt',
        'text',
        ({ first }) => json({ opId: first.opId, status: first.status, error: first.error }),
      ],
      ['position', 'float8', (row) => row.position ?? null],
      ['body', 'text', (row) => json(row.op)],
    ],
    mergeOps(appends),
    (from) => `update "Op" o set status = op.status, error = op.error::json, position = op.position,
      receipt = coalesce(o.receipt, op.receipt::json), body = coalesce(op.body::json, o.body), "changedAt" = now()
      from ${from} where o."threadId" = op.t and o."clientId" = op."opId"`,
  )
  part(
    'wi',
    [
      ['windowId', 'text', ({ row }) => row.windowId],
      ['index', 'int4', ({ row }) => row.index],
      ['frozen', 'text', ({ row }) => JSON.stringify(row.frozen)],
    ],
    ofThreads(appends, (append) => append.windows),
    (from) => `insert into "Window" (id, "threadId", index, frozen)
      select wi."windowId", wi.t, wi.index, wi.frozen::json from ${from} on conflict do nothing`,
  )
  const blocks = ofThreads<BlockRow>(appends, (append) => append.blocks).map(({ t, row }) => ({
    t,
    row,
    wireHash: row.wireHash ?? sha256(row.wire),
  }))
  part(
    'bl',
    [
      ['windowId', 'text', ({ row }) => row.windowId],
      ['idx', 'int4', ({ row }) => row.idx],
      ['hash', 'text', ({ row }) => row.hash],
      ['wireHash', 'text', ({ wireHash }) => wireHash],
      ['kind', 'text', ({ row }) => row.kind],
      ['itemId', 'text', ({ row }) => row.itemId],
      ['callId', 'text', ({ row }) => row.callId],
      ['tokens', 'int4', ({ row }) => row.tokens],
      ['reason', 'text', ({ row }) => row.reason],
      ['wire', 'bytea', ({ row }) => (isInline(row) ? buffer(row.wire) : null)],
    ],
    blocks,
    (from, names) =>
      `insert into "WindowBlock" (${names}) select ${qualified('bl', names)} from ${from} on conflict do nothing`,
  )
  const { steps, ends } = splitSteps(appends)
  part(
    'st',
    [
      ['id', 'text', ({ row }) => row.stepId],
      ['windowId', 'text', ({ row }) => row.windowId],
      ['turnId', 'text', ({ row }) => row.turnId],
      ['index', 'int4', ({ row }) => row.index],
      ['blockCount', 'int4', ({ row }) => row.blockCount],
      ['envelopeHash', 'text', ({ row }) => row.envelopeHash],
      ['cacheMarks', 'text', ({ row }) => `{${row.cacheMarks.join(',')}}`],
      ['bodySha256', 'text', ({ row }) => row.bodySha256],
      ['model', 'text', ({ row }) => row.model],
      ['startedAt', 'float8', ({ row }) => row.startedAt],
      ...endColumns<FullStep>((row) => row.end),
    ],
    steps,
    (from, names) =>
      `insert into "Step" (${names}) select ${qualified('st', names)
        .replace('st."cacheMarks"', 'st."cacheMarks"::int4[]')
        .replace('st."startedAt"', 'to_timestamp(st."startedAt" / 1000)')
        .replace('st."usage"', 'st."usage"::json')} from ${from} on conflict do nothing`,
  )
  part(
    'se',
    [
      ['stepId', 'text', ({ row }) => row.stepId],
      ...endColumns<{ t: string; row: StepEndRow }>(({ row }) => row),
    ],
    ends,
    (from) => `update "Step" s set status = se.status, usage = se.usage::json, "costMicros" = se."costMicros",
      "firstTokenMs" = se."firstTokenMs", "totalMs" = se."totalMs", retries = se.retries,
      "providerRequestId" = se."providerRequestId", "stopReason" = se."stopReason",
      "rawResponseHash" = se."rawResponseHash" from ${from} where s.id = se."stepId"`,
  )
  part(
    'dr',
    [['itemId', 'text', ({ row }) => row]],
    ofThreads(appends, (append) => append.endedDrafts),
    (from) =>
      `delete from "ItemDraft" d using ${from} where d."threadId" = dr.t and d."itemId" = dr."itemId"`,
  )
  const withOwner = [
    ...ofThreads(appends, (append) => append.blobs).map(({ t, row }) => ({ t, ...row })),
    ...blocks
      .filter(({ row }) => row.wireHash === undefined && !isInline(row))
      .map(({ t, row, wireHash }) => ({ t, hash: wireHash, bytes: row.wire })),
  ]
  const blobs = inOrder(withOwner)
  if (blobs.length > 0) {
    // Bytes belong to nobody, so they need no lease; what makes them reachable, the reference below, does.
    const hash: Column<(typeof blobs)[number]> = ['hash', 'text', (blob) => blob.hash]
    const heads = p.unnest('bo', [hash, ['size', 'int8', ({ bytes }) => bytes.byteLength]], blobs)
    parts.push(`bo_done as (insert into "Blob" (hash, size)
      select bo.hash, bo.size from ${heads} order by bo.hash on conflict do nothing)`)
    const chunks = p.unnest('bc', [hash, ['bytes', 'bytea', ({ bytes }) => buffer(bytes)]], blobs)
    parts.push(`bc_done as (insert into "BlobChunk" (hash, idx, bytes)
      select bc.hash, 0, bc.bytes from ${chunks} order by bc.hash on conflict do nothing)`)
  }
  const refs = new Map(
    [
      ...ofThreads(appends, (append) => append.refs).map(({ t, row }) => ({ t, hash: row })),
      ...withOwner.map(({ t, hash }) => ({ t, hash })),
    ].map((ref) => [`${ref.t} ${ref.hash}`, ref]),
  )
  part(
    'br',
    [['hash', 'text', ({ hash }) => hash]],
    [...refs.values()],
    (from) =>
      `insert into "BlobRef" ("threadId", hash) select br.t, br.hash from ${from} on conflict do nothing`,
  )
  return { text: `with ${parts.join(',\n')} select t from held`, values: p.values }
}

const isInline = (row: BlockRow): boolean =>
  row.wireHash === undefined && row.wire.byteLength <= inlineWireBytes

const qualified = (alias: string, names: string): string =>
  names
    .split(', ')
    .map((name) => `${alias}.${name}`)
    .join(', ')

/** Each hash once, in hash order: two processes that store the same blobs then wait for each other, never in a circle. */
const inOrder = <B extends { hash: string }>(blobs: B[]): B[] =>
  [...new Map(blobs.map((blob) => [blob.hash, blob])).values()].sort((a, b) => (a.hash < b.hash ? -1 : 1))

/** Text columns, unlike json, cannot hold the character NUL or half of a surrogate pair. */
export const cleanText = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed()

/** Escapes of NUL and of halves of surrogate pairs, after an even number of backslashes. */
const unlookable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/**
 * JSON into which SQL looks: PostgreSQL stores such characters in a json column, and then refuses every look into it. One
 * last line with a NUL would take the lists of a whole team away.
 */
export const storableJson = (value: unknown): string => JSON.stringify(value).replace(unlookable, '$1\\ufffd')

/** Runs the statement; its name is its shape, so that the server keeps the plan. Library errors come out as they are. */
export const runAppend = async (
  db: Db,
  ownerId: string,
  appends: ThreadAppend[],
): Promise<{ lost: string[] }> => {
  const { text, values } = buildAppend(ownerId, appends)
  const name = `append_${sha256(Buffer.from(text)).slice(0, 16)}`
  const { rows } = await db.hot.query<{ t: string }>({ name, text, values })
  const held = new Set(rows.map((row) => row.t))
  return { lost: appends.map((append) => append.threadId).filter((threadId) => !held.has(threadId)) }
}
