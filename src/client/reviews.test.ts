import { describe, expect, it } from 'vitest'
import type { ThreadProjection } from '../protocol/thread.ts'
import { commentPieces, draftOf, isToReview, keepDraft, versionOf } from './reviews.ts'

describe('words of a comment', () => {
  it('are plain but for code in backticks', () => {
    expect(commentPieces('use `a<b>` not\n`\n` <i>`x`</i>')).toEqual([
      { text: 'use ', code: false },
      { text: 'a<b>', code: true },
      { text: ' not\n`\n', code: false },
      { text: ' <i>', code: true },
      { text: 'x`</i>', code: false },
    ])
    expect(commentPieces('')).toEqual([])
    expect(commentPieces('`open')).toEqual([{ text: '`open', code: false }])
    const long = '`'.repeat(5_000)
    expect(
      commentPieces(long)
        .map(({ text }) => text)
        .join(''),
    ).toBe(long)
  })

  it('are kept at their place until they are sent', () => {
    keepDraft('stp_1', 'half a tho')
    expect(draftOf('stp_1')).toBe('half a tho')
    keepDraft('stp_1', '')
    expect(draftOf('stp_1')).toBe('')
  })
})

describe('the heap', () => {
  const thread = (status: ThreadProjection['status'], turns: number) =>
    ({ id: 'thr_1', status, turns }) as ThreadProjection

  it('holds what is at rest with turns that nobody dealt with', () => {
    expect(isToReview(thread('idle', 1), {})).toBe(true)
    expect(isToReview(thread('failed', 3), { thr_1: 2 })).toBe(true)
    expect(isToReview(thread('idle', 2), { thr_1: 2 })).toBe(false)
    expect(isToReview(thread('working', 2), {})).toBe(false)
    expect(isToReview(thread('idle', 0), {})).toBe(false)
  })

  it('knows the version of one’s own verdict', () => {
    const review = { id: 'r', threadId: 't', reviewerId: 'usr_1', version: 4 } as never
    expect(versionOf([review], 'usr_1')).toBe(4)
    expect(versionOf([review], 'usr_2')).toBe(0)
  })
})
