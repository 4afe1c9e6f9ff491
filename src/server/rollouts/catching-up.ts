/**
 * Brings the rows of a rollout up to its log for whoever reads them. One reading of a log serves all who wait for it and
 * goes on when they have gone: what it makes is kept. Knows no row.
 */
import type { RolloutMark, RolloutStore } from '../store/rollout-types.ts'

/** Events that one statement reads: a tenth to a third of a second; fewer at first, so that the first rows come soon. */
export const batchEvents = 20_000
const firstEvents = 2_000
/** Of a log that is ahead by no more than this, nobody goes without the newest. */
const shortWay = 2_000

export type CatchUpWish = {
  /** How long to wait before answering with what there is. */
  patienceMs: number
  /** Whether so much will do while a log is far ahead. */
  isEnough?(mark: RolloutMark): boolean
}

export type CatchUp = (threadId: string, wish: CatchUpWish) => Promise<RolloutMark>

type Run = { mark: RolloutMark; isOver: boolean; step: PromiseWithResolvers<void> }

const nextStep = (): PromiseWithResolvers<void> => {
  const step = Promise.withResolvers<void>()
  // There may be nobody who waits.
  step.promise.catch(() => undefined)
  return step
}

/** Rejects as the store does, for everybody who waits at that moment. */
export const createCatchUp = (rollouts: Pick<RolloutStore, 'mark' | 'derive'>): CatchUp => {
  const runs = new Map<string, Run>()

  const work = async (threadId: string, run: Run): Promise<void> => {
    try {
      for (let size = firstEvents; !run.isOver; size = batchEvents) {
        const before = run.mark.seq
        run.mark = await rollouts.derive(threadId, size)
        run.isOver = run.mark.seq >= run.mark.head || run.mark.seq <= before
        if (run.isOver) runs.delete(threadId)
        run.step.resolve()
        run.step = nextStep()
      }
    } catch (error) {
      run.isOver = true
      runs.delete(threadId)
      run.step.reject(error)
    }
  }

  const runOf = (threadId: string, mark: RolloutMark): Run => {
    const known = runs.get(threadId)
    if (known) return known
    const run = { mark, isOver: false, step: nextStep() }
    runs.set(threadId, run)
    void work(threadId, run)
    return run
  }

  return async (threadId, { patienceMs, isEnough = () => false }) => {
    let mark = await rollouts.mark(threadId)
    const wanted = mark.head
    if (mark.seq >= wanted) return mark
    const over = Promise.withResolvers<void>()
    const until = performance.now() + patienceMs
    const timer = setTimeout(over.resolve, patienceMs)
    const isDone = (): boolean =>
      mark.seq >= wanted || performance.now() >= until || (wanted - mark.seq > shortWay && isEnough(mark))
    try {
      // A run that began before may end before what was asked for.
      for (let left = 2; left > 0; left -= 1) {
        const run = runOf(threadId, mark)
        while (!run.isOver && !isDone()) {
          await Promise.race([run.step.promise, over.promise])
          mark = run.mark
        }
        if (isDone()) break
      }
      return mark
    } finally {
      clearTimeout(timer)
    }
  }
}
