/**
 * What each window gave to its model, block by block, and the steps that it was sent in. Written by appends, read here.
 */
import type { WindowFrozen } from '../context/types.ts'
import type { Db } from './db.ts'
import type {
  BlockHead,
  BlockInList,
  BlockRow,
  StepEndRow,
  StepRow,
  StoredStep,
  WindowStore,
} from './types.ts'

type BlockDbRow = Omit<BlockRow, 'wire'> & { wire: Buffer | null; wireHash: string }
export type StepDbRow = Omit<StepRow, 'startedAt'> & {
  startedAt: number
  status: StepEndRow['status'] | null
  usage: StepEndRow['usage'] | null
  costMicros: string | null
} & Pick<StepEndRow, 'firstTokenMs' | 'providerRequestId' | 'rawResponseHash'> & {
    totalMs: number | null
    retries: number | null
    stopReason: string | null
  }

export const stepColumns = `s.id as "stepId", s."windowId", s."turnId", s.index, s."blockCount", s."envelopeHash",
  s."cacheMarks", s."bodySha256", s.model, (extract(epoch from s."startedAt") * 1000)::float8 as "startedAt", s.status,
  s.usage, s."costMicros", s."firstTokenMs", s."totalMs", s.retries, s."providerRequestId", s."stopReason",
  s."rawResponseHash"`

const noUsage: StepEndRow['usage'] = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

export const toStep = (row: StepDbRow): StoredStep => ({
  stepId: row.stepId,
  windowId: row.windowId,
  turnId: row.turnId,
  index: row.index,
  blockCount: row.blockCount,
  envelopeHash: row.envelopeHash,
  cacheMarks: row.cacheMarks,
  bodySha256: row.bodySha256,
  model: row.model,
  startedAt: Math.round(row.startedAt),
  end:
    row.status === null
      ? null
      : {
          status: row.status,
          usage: row.usage ?? noUsage,
          costMicros: row.costMicros === null ? null : Number(row.costMicros),
          firstTokenMs: row.firstTokenMs,
          totalMs: row.totalMs ?? 0,
          retries: row.retries ?? 0,
          providerRequestId: row.providerRequestId,
          stopReason: row.stopReason ?? '',
          rawResponseHash: row.rawResponseHash,
        },
})

/** More blocks than any window has. */
const endOfWindow = 2_147_483_647

/** A block's bytes in a blob count only when its thread holds that blob, whatever a file that was read in says. */
const held = `exists (select 1 from "BlobRef" r join "Window" v on v."threadId" = r."threadId"
  where v.id = b."windowId" and r.hash = b."wireHash")`

/** Of wire bytes in a blob its size is known without reading them. */
const wireBytes = `coalesce(octet_length(b.wire), (select x.size from "Blob" x where x.hash = b."wireHash" and ${held}), 0)::int4`

const stepsOf = `select ${stepColumns} from "Step" s join "Window" w on w.id = s."windowId"`

export const createWindowStore = (db: Db): WindowStore => ({
  get: async (windowId) => {
    const rows = await db.query<{ threadId: string; index: number; frozen: WindowFrozen }>(
      `select "threadId", index, frozen from "Window" where id = $1`,
      [windowId],
    )
    const row = rows[0]
    return row ? { windowId, ...row } : null
  },

  blocks: async (windowId, from = 0, to = endOfWindow) => {
    const rows = await db.query<BlockDbRow>(
      `select b."windowId", b.idx, b.hash, b.kind, b."itemId", b."callId", b.tokens, b.reason, b."wireHash",
         coalesce(b.wire, (select string_agg(c.bytes, ''::bytea order by c.idx) from "BlobChunk" c
           where c.hash = b."wireHash" and ${held})) as wire
       from "WindowBlock" b where b."windowId" = $1 and b.idx >= $2 and b.idx < $3 order by b.idx`,
      [windowId, from, to],
    )
    return rows.map(({ wireHash: _, wire, ...row }) => ({ ...row, wire: wire ?? new Uint8Array() }))
  },

  newest: (threadId, after) =>
    db.query<{ windowId: string; index: number }>(
      `select id as "windowId", index from "Window" where "threadId" = $1 and (index = 0 or index > $2) order by index`,
      [threadId, after],
    ),

  heads: async (windowId, from, limit, headBytes) =>
    db.query<BlockHead>(
      `select b.idx, b.hash, b.kind, b."itemId", b."callId", b.tokens, b.reason,
         coalesce(substring(b.wire for $4::int), (select substring(c.bytes for $4::int) from "BlobChunk" c
           where c.hash = b."wireHash" and c.idx = 0 and ${held}), ''::bytea) as head,
         ${wireBytes} as bytes
       from "WindowBlock" b where b."windowId" = $1 and b.idx >= $2 order by b.idx limit $3`,
      [windowId, from, limit, headBytes],
    ),

  headsAt: async (windowId, idxs, headBytes) => {
    const rows = await db.query<{ idx: number; head: Uint8Array }>(
      `select b.idx, coalesce(substring(b.wire for $3::int), (select substring(c.bytes for $3::int) from "BlobChunk" c
         where c.hash = b."wireHash" and c.idx = 0 and ${held}), ''::bytea) as head
       from "WindowBlock" b where b."windowId" = $1 and b.idx = any($2::int4[])`,
      [windowId, idxs, headBytes],
    )
    return new Map(rows.map(({ idx, head }) => [idx, head]))
  },

  list: (windowId, to) =>
    db.query<BlockInList>(
      `select b.idx, b.hash, b.kind, b."itemId", b."callId", b.tokens, b.reason, ${wireBytes} as bytes
       from "WindowBlock" b where b."windowId" = $1 and b.idx < $2 order by b.idx`,
      [windowId, to],
    ),

  lastAnswered: async (windowId) => {
    const rows = await db.query<{ blockCount: number; usage: StepEndRow['usage'] }>(
      `select "blockCount", usage from "Step" where "windowId" = $1 and status = 'completed'
       order by "startedAt" desc, id desc limit 1`,
      [windowId],
    )
    return rows[0] ?? null
  },

  steps: async (threadId) => {
    const rows = await db.query<StepDbRow>(
      `${stepsOf} where w."threadId" = $1 order by w.index, s."startedAt", s.id`,
      [threadId],
    )
    return rows.map(toStep)
  },

  before: async (windowId, stepId) => {
    const rows = await db.query<StepDbRow>(
      `${stepsOf} join "Step" t on t.id = $2 where s."windowId" = $1 and (s."startedAt", s.id) < (t."startedAt", t.id)
       order by s."startedAt" desc, s.id desc limit 1`,
      [windowId, stepId],
    )
    return rows[0] ? toStep(rows[0]) : null
  },

  step: async (threadId, stepId) => {
    const rows = await db.query<StepDbRow>(`${stepsOf} where w."threadId" = $1 and s.id = $2`, [
      threadId,
      stepId,
    ])
    return rows[0] ? toStep(rows[0]) : null
  },
})
