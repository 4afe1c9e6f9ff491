import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { readAgain, whenRead } from './read-again.ts'

it('what is being read for the first time when a change is told is read once more', async () => {
  const queries = new QueryClient()
  let reads = 0
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const observer = new QueryObserver(queries, {
    queryKey: ['things', 1],
    queryFn: () => answers[reads++]?.promise ?? Promise.reject(new Error('one too many')),
  })
  const stop = observer.subscribe(() => undefined)
  const read = whenRead(queries, ['things'])
  expect(whenRead(queries, ['others'])).toBeNull()
  const again = readAgain(queries, ['things'])
  answers[0]?.resolve('old')
  answers[1]?.resolve('new')
  await again
  await read
  expect(whenRead(queries, ['things'])).toBeNull()
  expect(reads).toBe(2)
  expect(observer.getCurrentResult().data).toBe('new')
  stop()
  queries.clear()
})

it('what was read before is read once more, in place of a reading that is on its way', async () => {
  const queries = new QueryClient()
  const said = ['one', 'two', 'three']
  let reads = 0
  const observer = new QueryObserver(queries, {
    queryKey: ['things'],
    queryFn: async () => said[reads++],
  })
  const stop = observer.subscribe(() => undefined)
  await expect.poll(() => observer.getCurrentResult().data).toBe('one')
  void observer.refetch()
  await readAgain(queries, ['things'])
  expect(observer.getCurrentResult().data).toBe('three')
  stop()
  queries.clear()
})
