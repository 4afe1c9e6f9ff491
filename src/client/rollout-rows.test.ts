import { expect, it } from 'vitest'
import type { RolloutRow, RolloutRows } from '../protocol/rollout.ts'
import { differences, roundMarks, stacked } from './rollout-chart.ts'
import { firstAfter, nearestIn } from './rollout-moves.ts'
import { RowPages, rowsPerPage } from './rollout-rows.ts'

type Question = {
  from: number
  limit: number
  signal: AbortSignal
  answer: (total: number) => void
  fail: () => void
}

function pages() {
  const questions: Question[] = []
  let changes = 0
  const source = new RowPages(
    (from, limit, signal) =>
      new Promise<RolloutRows>((resolve, reject) => {
        questions.push({
          from,
          limit,
          signal,
          answer: (total) =>
            resolve({
              rows: Array.from(
                { length: Math.max(0, Math.min(limit, total - from)) },
                (_, at) => ({ idx: (from + at) * 2, status: 'ok' }) as RolloutRow,
              ),
              from,
              total,
              head: total,
              logHead: total,
            }),
          fail: () => reject(new Error('cut')),
        })
      }),
    () => {
      changes += 1
    },
  )
  return { source, questions, changes: () => changes }
}
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
}

it('asks for the pages in view, two at once, and calls off what is no longer wanted', async () => {
  const { source, questions } = pages()
  source.want(0, 350)
  expect(questions.map(({ from }) => from)).toEqual([0, 100])
  source.want(900, 950)
  expect(questions.map(({ signal }) => signal.aborted)).toEqual([true, true, false])
  questions[0]?.answer(1_000)
  questions[2]?.answer(1_000)
  await settled()
  expect(source.row(0)).toBeUndefined()
  expect(source.row(901)?.idx).toBe(1_802)
  expect(source.total).toBe(1_000)
  expect(source.placeOf(1_802)).toBe(901)
  expect(source.placeOf(1_803)).toBeUndefined()
})

it('forgets the pages that were not seen for longest', async () => {
  const { source, questions } = pages()
  for (let page = 0; page < 80; page += 1) {
    source.want(page * rowsPerPage, page * rowsPerPage)
    questions.at(-1)?.answer(100_000)
    await settled()
  }
  expect(source.row(0)).toBeUndefined()
  expect(source.row(79 * rowsPerPage)).toBeDefined()
})

it('reads the end again when the rollout grew, and stops after a failure until it is told', async () => {
  const { source, questions } = pages()
  source.want(0, 10)
  questions[0]?.answer(50)
  await settled()
  source.want(0, 10)
  expect(questions).toHaveLength(1)
  source.refresh(50)
  expect(source.row(49)).toBeDefined()
  source.want(40, 60)
  questions[1]?.fail()
  await settled()
  expect(source.error).toBeInstanceOf(Error)
  source.want(40, 60)
  expect(questions).toHaveLength(2)
  source.retry()
  questions[2]?.answer(60)
  await settled()
  expect(source.row(59)).toBeDefined()
})

it('finds its way in columns', () => {
  const column = [2, 5, 9]
  expect(firstAfter(column, 5)).toBe(2)
  expect(firstAfter(column, 9)).toBe(3)
  expect(nearestIn(column, 8)).toBe(2)
  expect(nearestIn(column, 100)).toBe(2)
  expect(nearestIn(column, -1)).toBe(0)
  expect(nearestIn([], 1)).toBe(-1)
})

it('charts have round marks and layers on top of each other', () => {
  expect(roundMarks(178_000)).toEqual({ top: 200_000, marks: [0, 50_000, 100_000, 150_000, 200_000] })
  expect(roundMarks(0).marks).toEqual([0])
  const [first, second] = stacked(
    [
      { name: 'a', colour: '', values: [1, 2] },
      { name: 'b', colour: '', values: [3, 4] },
    ],
    2,
  )
  expect(first?.to).toEqual([1, 2])
  expect(second).toEqual({ from: [1, 2], to: [4, 6] })
  expect(differences([1, 4, 4])).toEqual([1, 3, 0])
})
