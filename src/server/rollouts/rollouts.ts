/**
 * A rollout as its viewer reads it: the skeleton, rows of a filter by place, the place of a link. Rows are brought up to
 * the log when they are read, a bounded piece of it each time. Who may read is decided at the door.
 */
import type { Derivation } from '../../lib/behind.ts'
import { Fault } from '../../protocol/error.ts'
import type {
  RolloutFilter,
  RolloutLocated,
  RolloutPlace,
  RolloutRow,
  RolloutRows,
  RolloutSkeleton,
  RolloutStep,
  WindowPicture,
} from '../../protocol/rollout.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import type { RolloutMark, RolloutRowKey } from '../store/rollout-types.ts'
import type { Store } from '../store/types.ts'
import { batchEvents, type CatchUp, createCatchUp } from './catching-up.ts'
import { pictureOf } from './picture.ts'
import { createProver } from './request.ts'
import { rowOf } from './row.ts'
import { skeletonOf } from './skeleton.ts'
import { stepOf } from './step.ts'

export type RolloutSource = Pick<Store, 'threads' | 'rollouts' | 'log' | 'windows' | 'blobs'>

/** How long a read derives before it answers with what there is. */
const patienceMs = 1_000
/** A link names one row, which must be there first. */
const placePatienceMs = 20_000

/** Lists of row numbers that are kept, newest last, and how many numbers in all. */
const keptLists = 64
const keptNumbers = 4_000_000

/** A skeleton stands for so many times as long as it took to make. */
const restFactor = 4

const noRow = (): Fault =>
  new Fault(
    'not_found',
    'There is no such place in this rollout.',
    'Check the link, or open the rollout from its beginning.',
  )

export type RolloutReader = {
  catchUp: CatchUp
  skeleton(thread: ThreadProjection): Promise<RolloutSkeleton>
  /** Rows from a place of the filtered list on. */
  rows(threadId: string, filter: RolloutFilter, from: number, limit: number): Promise<RolloutRows>
  /** Where a place is in the filtered list; Fault `not_found` when the rollout has no such place. */
  locate(threadId: string, place: RolloutPlace, filter: RolloutFilter): Promise<RolloutLocated>
  /** Rows by number, in order. */
  rowsAt(threadId: string, idxs: number[]): Promise<RolloutRow[]>
  /** Fault `not_found` when the rollout has no such step. */
  step(threadId: string, stepId: string): Promise<RolloutStep>
  picture(threadId: string): Promise<WindowPicture>
}

const isEmpty = (filter: RolloutFilter): boolean =>
  Object.values(filter).every((value) => value === undefined || value === false)

/** The first place whose number is not below `idx`. */
const lowerBound = (list: Int32Array, idx: number): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] ?? 0) < idx) low = middle + 1
    else high = middle
  }
  return low
}

const createReader = (store: RolloutSource): RolloutReader => {
  const lists = new Map<string, Int32Array>()
  let held = 0
  const skeletons = new Map<
    string,
    { seq: number; madeAt: number; tookMs: number; skeleton: Promise<RolloutSkeleton> }
  >()

  const prove = createProver(store)

  const catchUp = createCatchUp(store.rollouts)

  const listOf = async (threadId: string, mark: RolloutMark, filter: RolloutFilter): Promise<Int32Array> => {
    const key = `${threadId} ${mark.seq} ${JSON.stringify(filter)}`
    const known = lists.get(key)
    if (known) {
      lists.delete(key)
      lists.set(key, known)
      return known
    }
    const list = await store.rollouts.listed(threadId, filter)
    if (lists.has(key)) return list
    lists.set(key, list)
    held += list.length
    for (const [oldest, each] of lists) {
      if (lists.size <= keptLists && held <= keptNumbers) break
      lists.delete(oldest)
      held -= each.length
    }
    return list
  }

  const told = async (threadId: string, rows: RolloutRowKey[]): Promise<RolloutRow[]> => {
    const turns = rows.flatMap(({ kind, idx }) => (kind === 'turn' ? [idx] : []))
    const asked = turns.length === 0 ? new Map<number, number>() : await store.rollouts.asked(threadId, turns)
    const seqs = [...new Set([...rows.flatMap(({ seq, endSeq }) => [seq, endSeq]), ...asked.values()])]
    const events = new Map((await store.log.at(threadId, seqs)).map((event) => [event.seq, event]))
    const wanted = new Set<string>()
    for (const { seq, step } of rows) {
      const stepId = events.get(seq)?.stepId
      if (step === null && stepId !== undefined) wanted.add(stepId)
    }
    const steps =
      wanted.size === 0 ? new Map<string, number>() : await store.rollouts.steps(threadId, [...wanted])
    return rows.map((row) =>
      rowOf(
        row,
        {
          first: events.get(row.seq),
          last: events.get(row.endSeq),
          asked: events.get(asked.get(row.idx) ?? -1),
        },
        steps,
      ),
    )
  }

  const rowsAt = async (threadId: string, idxs: number[]): Promise<RolloutRow[]> =>
    idxs.length === 0 ? [] : told(threadId, await store.rollouts.rows(threadId, idxs))

  const readSkeleton = async (thread: ThreadProjection, mark: RolloutMark): Promise<RolloutSkeleton> => {
    const columns = await store.rollouts.columns(thread.id)
    const [notable, imported, models] = await Promise.all([
      rowsAt(
        thread.id,
        columns.notable.map(({ idx }) => idx),
      ),
      store.log.last(thread.id, 'rollout.imported'),
      store.rollouts.models(thread.id),
    ])
    return skeletonOf({
      thread,
      mark,
      columns,
      models,
      imported: imported && { format: imported.body.format, fileName: imported.body.fileName },
      labels: new Map(notable.map((row) => [row.idx, row])),
    })
  }

  return {
    catchUp,
    rowsAt,

    skeleton: async (thread) => {
      const mark = await catchUp(thread.id, { patienceMs })
      const known = skeletons.get(thread.id)
      const now = performance.now()
      // A long rollout that grows is not read anew for every event: who sees that the log is ahead asks again.
      const isFresh = known && (known.seq === mark.seq || now - known.madeAt < restFactor * known.tookMs)
      if (!isFresh) {
        const made = { seq: mark.seq, madeAt: now, tookMs: 0, skeleton: readSkeleton(thread, mark) }
        skeletons.delete(thread.id)
        skeletons.set(thread.id, made)
        made.skeleton.then(
          () => {
            made.madeAt = performance.now()
            made.tookMs = made.madeAt - now
          },
          () => skeletons.delete(thread.id),
        )
        for (const oldest of skeletons.keys()) {
          if (skeletons.size <= keptLists) break
          skeletons.delete(oldest)
        }
      }
      const skeleton = await (skeletons.get(thread.id)?.skeleton ?? readSkeleton(thread, mark))
      return { ...skeleton, title: thread.title, logHead: mark.head }
    },

    step: async (threadId, stepId) => {
      await catchUp(threadId, { patienceMs: placePatienceMs })
      return stepOf(
        store,
        { threadId, stepId },
        { rowOf: async (idx) => (await rowsAt(threadId, [idx]))[0], prove },
      )
    },

    picture: async (threadId) => {
      const mark = await catchUp(threadId, { patienceMs })
      return pictureOf(store, threadId, mark.steps)
    },

    rows: async (threadId, filter, from, limit) => {
      const isWhole = isEmpty(filter)
      const mark = await catchUp(threadId, {
        patienceMs,
        isEnough: ({ rows }) => isWhole && rows >= from + limit,
      })
      const heads = { head: mark.seq, logHead: mark.head }
      if (isWhole) {
        const count = Math.max(0, Math.min(limit, mark.rows - from))
        const rows = await rowsAt(
          threadId,
          Array.from({ length: count }, (_, n) => from + n),
        )
        return { rows, from, total: mark.rows, ...heads }
      }
      const list = await listOf(threadId, mark, filter)
      const rows = await rowsAt(threadId, [...list.subarray(from, from + limit)])
      return { rows, from, total: list.length, ...heads }
    },

    locate: async (threadId, place, filter) => {
      const isWhole = isEmpty(filter)
      const mark = await catchUp(threadId, {
        patienceMs: placePatienceMs,
        isEnough: ({ seq, rows }) =>
          isWhole && (('seq' in place && seq >= place.seq) || ('idx' in place && rows > place.idx)),
      })
      const idx = await store.rollouts.place(threadId, place)
      if (idx === null) throw noRow()
      if (isWhole) return { idx, place: idx, hidden: false, total: mark.rows }
      const list = await listOf(threadId, mark, filter)
      const found = lowerBound(list, idx)
      const hidden = list[found] !== idx
      return { idx, place: Math.max(0, Math.min(found, list.length - 1)), hidden, total: list.length }
    },
  }
}

const readers = new WeakMap<object, RolloutReader>()

/** The reader of this store; what it has read once is kept for the next call. */
export const rolloutsOf = (store: RolloutSource): RolloutReader => {
  let reader = readers.get(store)
  if (!reader) {
    reader = createReader(store)
    readers.set(store, reader)
  }
  return reader
}

/** Keeps the rows of all threads close behind their logs. */
export const createRowMaker = (store: Pick<Store, 'rollouts'>): Derivation => ({
  catchUp: async (threadId, isStopping) => {
    for (let at = -1; !isStopping(); ) {
      const { seq, head } = await store.rollouts.derive(threadId, batchEvents)
      if (seq >= head || seq <= at) return
      at = seq
    }
  },
  behind: () => store.rollouts.behind(),
})
