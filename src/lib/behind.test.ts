import { expect, it } from 'vitest'
import { createBehind } from './behind.ts'

it('catches up with what was behind and with what changed, one after the other, whatever fails', async () => {
  const caught: string[] = []
  const failed: (string | null)[] = []
  let running = 0
  const behind = createBehind({
    derivations: [
      {
        behind: async () => ['a', 'b'],
        catchUp: async (key) => {
          running += 1
          expect(running).toBe(1)
          await new Promise((resolve) => setImmediate(resolve))
          running -= 1
          if (key === 'a') throw new Error('a fails')
          caught.push(key)
        },
      },
      { behind: async () => ['b'], catchUp: async (key) => void caught.push(`${key}!`) },
    ],
    quietMs: 0,
    manyChanges: 1,
    onFailure: (key) => failed.push(key),
  })
  behind.start()
  behind.changed('c')
  while (caught.length < 5) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(caught.sort()).toEqual(['a!', 'b', 'b!', 'c', 'c!'])
  expect(failed).toEqual(['a'])
  await behind.stop()
  expect(running).toBe(0)
})

it('tells when what is behind cannot be read', async () => {
  const failed: (string | null)[] = []
  const behind = createBehind({
    derivations: [
      {
        behind: async () => {
          throw new Error('away')
        },
        catchUp: async () => undefined,
      },
    ],
    quietMs: 0,
    manyChanges: 1,
    onFailure: (key) => failed.push(key),
  })
  behind.start()
  while (failed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await behind.stop()
  expect(failed).toEqual([null])
})
