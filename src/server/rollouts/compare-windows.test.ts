import { describe, expect, it } from 'vitest'
import type { RequestBlock, RequestDifference } from '../../protocol/rollout.ts'
import { withoutAlike } from './compare-windows.ts'

const block = (kind: string, preview: string, bytes = 100, idx = 0): RequestBlock => ({
  idx,
  kind,
  preview,
  bytes,
  tokens: 10,
  reason: '',
  itemId: null,
  callId: null,
  hash: '',
  isNew: false,
  cached: false,
})
const difference = (onlyA: RequestBlock[], onlyB: RequestBlock[]): RequestDifference => ({
  a: { stepId: 'a', blocks: 9, tokens: 90 },
  b: { stepId: 'b', blocks: 9, tokens: 90 },
  sameTokens: 50,
  sameBlocks: 5,
  onlyA,
  onlyB,
  cut: false,
})

describe('windows of two threads', () => {
  it('have in common what says the same but for ids and times, as often as it is there', () => {
    const apart = withoutAlike(
      difference(
        [
          block('call', '{"cmd":"ls"}'),
          block('result', 'Exit code: 0 Wall time: 0.03 s Output: src'),
          block('answer', 'I look.'),
          block('answer', 'I look.'),
        ],
        [
          block('result', 'Exit code: 0 Wall time: 12.10 s Output: src', 103),
          block('call', '{"cmd":"ls"}'),
          block('answer', 'I look.'),
          block('answer', 'I looked.'),
        ],
      ),
    )
    expect(apart.onlyA.map(({ preview }) => preview)).toEqual(['I look.'])
    expect(apart.onlyB.map(({ preview }) => preview)).toEqual(['I looked.'])
    expect(apart).toMatchObject({ sameBlocks: 8, sameTokens: 80 })
  })

  it('differ where the beginning alone is the same, or the kind', () => {
    const apart = withoutAlike(
      difference(
        [block('result', 'long', 900), block('call', 'x')],
        [block('result', 'long', 9_000), block('answer', 'x')],
      ),
    )
    expect([apart.onlyA.length, apart.onlyB.length]).toEqual([2, 2])
  })
})
