/**
 * One open rollout in the browser: its skeleton, its rows by place, what is selected, how it is kept fresh while it grows.
 * The address is the truth of what is shown; whoever changes it goes through here. It knows no component.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ErrorFact } from '../protocol/error.ts'
import type { RolloutFilter, RolloutPlace, RolloutRow, RolloutSkeleton } from '../protocol/rollout.ts'
import { api, factOf } from './api.ts'
import { isWhole, placeOfRow, type RolloutAddress } from './rollout-address.ts'
import { findRow, nextRow, rowAt } from './rollout-doors.ts'
import { RowPages } from './rollout-rows.ts'

/** Lanes of the timeline, from top to bottom. */
export const laneNames = ['windows', 'steps', 'tools', 'waits', 'agents', 'marks'] as const
export type LaneName = (typeof laneNames)[number]

/** Asks the list to bring a place into view; `far` puts it into the middle, `n` makes each wish a new one. */
export type Scroll = { place: number; far: boolean; n: number }

export type RolloutState = {
  threadId: string
  address: RolloutAddress
  skeleton: RolloutSkeleton | null
  error: ErrorFact | null
  pages: RowPages
  /** Counts changes of `pages`. */
  version: number
  selected: RolloutRow | null
  /** Its place among the rows of the filter; null when the filter hides it. */
  place: number | null
  /** While a link is looked up, and why it leads nowhere. */
  locating: boolean
  lost: ErrorFact | null
  scroll: Scroll | null
  lane: LaneName
  /** Whether the view stands at the end and follows it. */
  following: boolean
  /** Rows that were there when the view last stood at the end, or when the list was opened; null before that. */
  seen: number | null
  /** What `c` does, offered by whoever takes comments. */
  comment: (() => void) | null
}

export type Go = { far?: boolean; push?: boolean; tab?: RolloutAddress['tab'] }

export type RolloutStore = StoreApi<RolloutState> & {
  open(): () => void
  /** Shows a place that a link or a chart names. */
  go(to: RolloutPlace, how?: Go): Promise<void>
  select(row: RolloutRow, place: number | null, how?: Go): void
  /** Selects by place among the rows of the filter; reads the row when it is not here. */
  selectPlace(place: number): Promise<void>
  /** Selects the newest row, once it is there. */
  selectLast(): Promise<void>
  /** Selects nothing: the rollout as a whole. */
  leave(): void
  setFilter(filter: RolloutFilter): void
  change(change: Partial<RolloutAddress>, push?: boolean): void
  /** Shows what another address says, as after "back". */
  follow(address: RolloutAddress): void
  /** The rollout has grown up to this seq. */
  grown(head: number): void
  next(filter: RolloutFilter, by: 1 | -1): Promise<boolean>
  retry(): void
}

/** The shortest time between two readings of the skeleton, and of rows, of a rollout that grows. */
const skeletonEveryMs = 4_000
const rowsEveryMs = 700

export function createRolloutStore(
  threadId: string,
  address: RolloutAddress,
  write: (address: RolloutAddress, push: boolean) => void,
): RolloutStore {
  const pagesOf = (filter: RolloutFilter): RowPages =>
    new RowPages(
      (from, limit, signal) => api.rollout.rows.query({ threadId, filter, from, limit }, { signal }),
      () => {
        const { pages, following, seen, version } = getState()
        setState({
          version: version + 1,
          ...(pages.total !== null && (following || seen === null) ? { seen: pages.total } : {}),
        })
        keepUp()
      },
    )
  const store = createStore<RolloutState>(() => ({
    threadId,
    address,
    skeleton: null,
    error: null,
    pages: pagesOf(address.filter),
    version: 0,
    selected: null,
    place: null,
    locating: address.at !== null,
    lost: null,
    scroll: null,
    lane: 'steps',
    following: false,
    seen: null,
    comment: null,
  }))
  const { getState, setState } = store
  let closed = false
  let asked = 0

  const change = (part: Partial<RolloutAddress>, push = false): void => {
    const next = { ...getState().address, ...part }
    setState({ address: next })
    write(next, push)
  }
  const scrollTo = (place: number, far: boolean): void =>
    setState({ scroll: { place, far, n: (getState().scroll?.n ?? 0) + 1 } })

  const readSkeleton = async (): Promise<void> => {
    try {
      const skeleton = await api.rollout.skeleton.query({ threadId })
      if (closed) return
      // A long log takes the server some readings until all of it is in.
      if (skeleton.head < skeleton.logHead) grown(skeleton.logHead)
      const { skeleton: before, address: now } = getState()
      // Who opens a rollout that is being made wants to see it go on.
      const watch =
        before === null &&
        now.at === null &&
        skeleton.head === skeleton.logHead &&
        skeleton.turns.flag.at(-1) === 2
      setState({ skeleton, error: null, ...(watch ? { following: true } : {}) })
    } catch (error) {
      if (!closed && getState().skeleton === null) setState({ error: factOf(error) })
    }
  }

  const select: RolloutStore['select'] = (row, place, { far = false, push = false, tab } = {}) => {
    asked += 1
    setState({ selected: row, place, locating: false, lost: null })
    change({ at: placeOfRow(row), against: null, ...(tab === undefined ? {} : { tab }) }, push)
    if (place !== null) scrollTo(place, far)
  }

  const go: RolloutStore['go'] = async (to, { far = true, push = false, tab } = {}) => {
    asked += 1
    const mine = asked
    const { address: now, pages } = getState()
    if ('idx' in to) {
      const known = pages.placeOf(to.idx)
      const row = known === undefined ? undefined : pages.row(known)
      if (row !== undefined && known !== undefined) {
        select(row, known, { far, push, ...(tab === undefined ? {} : { tab }) })
        return
      }
    }
    setState({ locating: true, lost: null })
    try {
      const { row, place } = await findRow(threadId, to, now.filter)
      if (closed || mine !== asked) return
      setState({ selected: row, place, locating: false })
      // A link keeps the words it was written with.
      change({ at: 'idx' in to ? placeOfRow(row) : to, ...(tab === undefined ? {} : { tab }) }, push)
      if (place !== null) scrollTo(place, far)
    } catch (error) {
      if (!closed && mine === asked) setState({ locating: false, lost: factOf(error) })
    }
  }

  const selectPlace: RolloutStore['selectPlace'] = async (place) => {
    const { pages, address: now } = getState()
    if (place < 0 || (pages.total !== null && place >= pages.total)) return
    const known = pages.row(place)
    if (known !== undefined) {
      select(known, place)
      return
    }
    asked += 1
    const mine = asked
    scrollTo(place, true)
    const row = await rowAt(threadId, now.filter, place).catch(() => undefined)
    if (row !== undefined && mine === asked && !closed) select(row, place)
  }

  const selectLast: RolloutStore['selectLast'] = async () => {
    asked += 1
    const mine = asked
    const { pages, address: now } = getState()
    if (pages.isBehind) {
      setState({ locating: true, lost: null })
      // The server answers when it has come so far; how many rows there are then is asked for anew.
      await findRow(threadId, { seq: pages.logHead }, now.filter).catch(() => undefined)
      await pages.measure()
      if (closed || mine !== asked) return
      setState({ locating: false })
    }
    await selectPlace((pages.total ?? 1) - 1)
  }

  const next: RolloutStore['next'] = async (filter, by) => {
    const { selected, address: now } = getState()
    asked += 1
    const mine = asked
    try {
      const row = await nextRow(threadId, filter, selected?.idx ?? null, by)
      if (row === undefined || closed || mine !== asked) return false
      // Without a filter a row's place is its number.
      if (isWhole(now.filter)) select(row, row.idx)
      else await go({ idx: row.idx }, { far: false })
      return true
    } catch {
      return false
    }
  }

  let skeletonTimer: ReturnType<typeof setTimeout> | undefined
  let rowsTimer: ReturnType<typeof setTimeout> | undefined
  const grown: RolloutStore['grown'] = (head) => {
    const { skeleton, pages } = getState()
    if (closed || head <= Math.min(skeleton?.head ?? 0, pages.head)) return
    skeletonTimer ??= setTimeout(() => {
      skeletonTimer = undefined
      void readSkeleton()
    }, skeletonEveryMs)
    rowsTimer ??= setTimeout(() => {
      rowsTimer = undefined
      const { pages: current } = getState()
      current.refresh(current.total ?? 0)
      // The last page says how many there are, wherever the view stands.
      void current.measure()
    }, rowsEveryMs)
  }

  let wasBehind = false
  /** Rows that the server has still to make are asked for until they are there; then the whole is read once more. */
  const keepUp = (): void => {
    const { pages, skeleton } = getState()
    if (closed) return
    if (pages.isBehind) {
      wasBehind = true
      grown(pages.logHead)
    } else if (wasBehind) {
      wasBehind = false
      if (skeleton === null || skeleton.head >= pages.head) return
      clearTimeout(skeletonTimer)
      skeletonTimer = undefined
      void readSkeleton()
    }
  }

  return Object.assign(store, {
    open() {
      closed = false
      void readSkeleton()
      const { at } = getState().address
      if (at !== null) void go(at)
      return () => {
        closed = true
        clearTimeout(skeletonTimer)
        clearTimeout(rowsTimer)
        getState().pages.close()
      }
    },
    go,
    select,
    selectPlace,
    selectLast,
    leave() {
      asked += 1
      setState({ selected: null, place: null, lost: null, locating: false })
      change({ at: null, against: null })
    },
    setFilter(filter: RolloutFilter) {
      const { pages, selected } = getState()
      pages.close()
      setState({
        pages: pagesOf(filter),
        place: null,
        version: getState().version + 1,
        seen: null,
        following: false,
      })
      change({ filter })
      if (selected !== null) void go({ idx: selected.idx })
    },
    change,
    follow(to: RolloutAddress) {
      const { address: now, pages } = getState()
      if (JSON.stringify(to.filter) !== JSON.stringify(now.filter)) {
        pages.close()
        setState({ pages: pagesOf(to.filter), version: getState().version + 1 })
      }
      setState({ address: to })
      if (to.at === null) setState({ selected: null, place: null })
      else if (JSON.stringify(to.at) !== JSON.stringify(now.at)) void go(to.at)
    },
    grown,
    next,
    retry() {
      const { error, pages } = getState()
      if (error !== null) {
        setState({ error: null })
        void readSkeleton()
      }
      pages.retry()
    },
  } satisfies Omit<RolloutStore, keyof StoreApi<RolloutState>>)
}
