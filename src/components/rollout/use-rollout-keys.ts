'use client'
import { useEffect } from 'react'
import { nearestIn } from '../../client/rollout-moves.ts'
import { type LaneName, laneNames, type RolloutStore } from '../../client/rollout-store.ts'
import type { FindStore } from '../../client/thread-find.ts'
import type { SearchHit } from '../../protocol/history.ts'
import type { RolloutFilter, RolloutSkeleton } from '../../protocol/rollout.ts'
import { idxOf } from './timeline/lanes.tsx'

const inField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** A menu, a dialog or a list of choices has the keys while it is open. */
const isElsewhere = (): boolean =>
  document.querySelector('[role=dialog], [role=menu], [data-radix-popper-content-wrapper] [role=dialog]') !==
  null

const steps: RolloutFilter = { kinds: ['step'] }
const turns: RolloutFilter = { kinds: ['turn'] }
const errors: RolloutFilter = { errors: true }

export type RolloutKeys = {
  store: RolloutStore
  find: FindStore
  onHit: (hit: SearchHit) => void
  copy: () => void
}

/** Keys of the viewer. They go before those of every screen, which use some of the same letters. */
export function useRolloutKeys({ store, find, onHit, copy }: RolloutKeys): void {
  useEffect(() => {
    let afterG = 0
    const hit = (by: 1 | -1): void => {
      void find.step(by).then((found) => found !== null && onHit(found))
    }
    const rows = (by: number): void => {
      const { place, pages } = store.getState()
      const total = pages.total ?? 0
      const next = place === null ? (by > 0 ? 0 : total - 1) : Math.max(0, Math.min(total - 1, place + by))
      void store.selectPlace(next)
    }
    const actions = new Map<string, () => void>([
      ['j', () => void store.next(turns, 1)],
      ['k', () => void store.next(turns, -1)],
      ['n', () => (find.getState().hits.length > 0 ? hit(1) : void store.next(steps, 1))],
      ['N', () => (find.getState().hits.length > 0 ? hit(-1) : void store.next(steps, -1))],
      ['p', () => void store.next(steps, -1)],
      ['h', () => moveLane(store, -1)],
      ['l', () => moveLane(store, 1)],
      ['e', () => void store.next(errors, 1)],
      ['E', () => void store.next(errors, -1)],
      ['G', () => void store.selectLast()],
      ['f', () => focusTurn(store)],
      ['y', copy],
      ['/', () => find.show()],
      ['o', () => store.leave()],
      ['1', () => store.change({ tab: 'saw' })],
      ['2', () => store.change({ tab: 'did' })],
      ['3', () => store.change({ tab: 'changed' })],
      ['4', () => store.change({ tab: 'raw' })],
      ['ArrowDown', () => rows(1)],
      ['ArrowUp', () => rows(-1)],
      ['PageDown', () => rows(20)],
      ['PageUp', () => rows(-20)],
      ['Home', () => void store.selectPlace(0)],
      ['End', () => void store.selectLast()],
      ['ArrowRight', () => alongLane(store, 1)],
      ['ArrowLeft', () => alongLane(store, -1)],
    ])
    const onKey = (event: KeyboardEvent): undefined => {
      if (event.defaultPrevented || event.isComposing) return
      const run = (action: () => void): undefined => {
        event.preventDefault()
        event.stopImmediatePropagation()
        action()
      }
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f')
        return run(() => find.show())
      if (event.ctrlKey || event.metaKey || event.altKey || inField(event.target) || isElsewhere()) return
      const role = event.target instanceof HTMLElement ? event.target.getAttribute('role') : null
      // What scrolls or moves by arrows itself keeps them.
      const own = role === 'group' || role === 'tab' || role === 'slider'
      if (own && /^(Arrow|Page|Home|End)/.test(event.key)) return
      if (Date.now() - afterG < 1_000) {
        afterG = 0
        if (event.key === 'g') return run(() => void store.selectPlace(0))
        // The second key of a way to another screen, or of a panel's number.
        if (/^[a-z1-9]$/.test(event.key)) return
      }
      if (event.key === 'g') {
        // Other screens are reached by `g` too, so it is left to be seen.
        afterG = Date.now()
        return
      }
      if (event.key === 'c') {
        // On what takes no comment the key does nothing: it would lead away from what is read.
        const { comment, selected } = store.getState()
        if (comment !== null || selected !== null) run(() => comment?.())
        return
      }
      if (event.key === 'Escape' && find.getState().open) return run(() => find.hide())
      const action = actions.get(event.key)
      if (action !== undefined) run(action)
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [store, find, onHit, copy])
}

const entriesOf = (skeleton: RolloutSkeleton, lane: LaneName): number[] => {
  if (lane === 'windows') return skeleton.windows.map(({ idx }) => idx)
  if (lane === 'marks') return skeleton.notable.map(({ idx }) => idx)
  return skeleton.lanes[lane].idx
}

/** To the lane above or below that has something, and in it to what is nearest. */
function moveLane(store: RolloutStore, by: 1 | -1): void {
  const { skeleton, lane, selected } = store.getState()
  if (skeleton === null) return
  const lanes = laneNames.filter((name) => entriesOf(skeleton, name).length > 0)
  const next = lanes[lanes.indexOf(lane) + by]
  if (next === undefined) return
  store.setState({ lane: next })
  if (selected === null) return
  const at = nearestIn(entriesOf(skeleton, next), selected.idx)
  if (at >= 0) void store.go({ idx: idxOf(skeleton, next, at) }, { far: false })
}

/** To the entry of the lane after or before what is selected. */
function alongLane(store: RolloutStore, by: 1 | -1): void {
  const { skeleton, lane, selected } = store.getState()
  if (skeleton === null) return
  const column = entriesOf(skeleton, lane)
  const now = selected?.idx ?? (by === 1 ? -1 : Number.POSITIVE_INFINITY)
  const next = by === 1 ? column.find((idx) => idx > now) : column.findLast((idx) => idx < now)
  if (next !== undefined) void store.go({ idx: next }, { far: false })
}

/** Shows only the turn of what is selected, or everything again. */
function focusTurn(store: RolloutStore): void {
  const { address, selected } = store.getState()
  const { turnId, ...rest } = address.filter
  if (turnId !== undefined) store.setFilter(rest)
  else if (selected?.turnId != null) store.setFilter({ ...rest, turnId: selected.turnId })
}
