import { describe, expect, test } from 'vitest'
import { canary, corpus, foreignHost, longLine, longPatch, nested, tellPayload, wideJson } from './corpus.ts'

describe('the hostile corpus', () => {
  test('has at least 200 distinct texts, each with a number and a name', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(200)
    expect(new Set(corpus.map(({ text }) => text)).size).toBe(corpus.length)
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length)
    corpus.forEach(({ id }, at) => {
      expect(id).toBe(at + 1)
    })
  })

  test('no mark is left unfilled, and what runs or fetches carries the number of its payload', () => {
    for (const { id, text } of corpus) {
      expect(text).not.toContain('§')
      for (const [, ran] of text.matchAll(new RegExp(`${canary}\\((\\d+)\\)`, 'g')))
        expect(Number(ran)).toBe(id)
      for (const [, asked] of text.matchAll(new RegExp(`p(\\d+)\\.${foreignHost}`, 'g')))
        expect(Number(asked)).toBe(id)
    }
    expect(corpus.filter(({ text }) => text.includes(canary)).length).toBeGreaterThan(150)
    expect(tellPayload(1)).toContain('scripts 1')
  })

  test('what is made large is as large as it says', () => {
    expect(longLine(10)).toHaveLength(10_000_000)
    expect(JSON.parse(wideJson(1_100))).toHaveLength(100)
    expect(longPatch(50).split('\n')).toHaveLength(53)
    const { json, quotes, html } = nested(5_000)
    expect(json.match(/[{[]/g)).toHaveLength(5_000)
    expect(quotes.match(/>/g)).toHaveLength(5_000)
    expect(html.match(/<div>/g)).toHaveLength(5_000)
  })
})
