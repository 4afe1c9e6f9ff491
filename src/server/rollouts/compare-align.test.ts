import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { align, alignTurns, commonPairs, fieldsOf } from './compare-align.ts'
import { type Digest, type DigestEntry, hashOf } from './compare-digest.ts'

const pause = async (): Promise<void> => undefined

type Said = [tool: string, given: string, gave: string] | string
type Turn = { asks: string; does: Said[] }

const digestOf = (turns: Turn[]): Digest => {
  const entries: DigestEntry[] = []
  const digest: Digest = {
    entries,
    turns: [],
    steps: [],
    model: null,
    result: 'completed',
    lastWordsSeq: null,
    files: { files: new Map(), total: 0 },
    firstAt: 0,
    lastAt: 0,
  }
  const push = (entry: Partial<DigestEntry>): void =>
    void entries.push({
      seq: entries.length + 1,
      kind: 'head',
      name: 0,
      said: 0,
      gave: 0,
      step: -1,
      ...entry,
    })
  for (const { asks, does } of turns) {
    const from = entries.length
    push({ kind: 'head', said: hashOf(asks) })
    for (const each of does)
      if (typeof each === 'string') push({ kind: 'text', said: hashOf(each) })
      else push({ kind: 'tool', name: hashOf(each[0]), said: hashOf(each[1]), gave: hashOf(each[2]) })
    const words = [...new Set(asks.split(' '))].map(hashOf)
    digest.turns.push({ from, to: entries.length, words, firstStep: -1 })
  }
  return digest
}

/** Lines as [place in a, place in b, fields]. */
const linesOf = async (a: Turn[], b: Turn[]): Promise<[number, number, string][]> => {
  const lines = await align(digestOf(a), digestOf(b), pause)
  return [...lines.fields].map((bits, n) => [lines.a[n] ?? -1, lines.b[n] ?? -1, fieldsOf(bits).join('+')])
}

const read = (path: string, gave = `text of ${path}`): Said => ['read', path, gave]
const run = (cmd: string, gave = 'ok'): Said => ['run', cmd, gave]

describe('two rollouts side by side', () => {
  it('are the same when they are', async () => {
    const turns = [{ asks: 'fix it', does: ['well', read('a'), run('test'), 'done'] }]
    expect(await linesOf(turns, turns)).toEqual([
      [0, 0, ''],
      [1, 1, ''],
      [2, 2, ''],
      [3, 3, ''],
      [4, 4, ''],
    ])
  })

  it('name the field that differs: words, text, tool, arguments, result, or nothing there', async () => {
    const a = [{ asks: 'fix the upload', does: ['look', read('a'), run('test'), run('lint'), 'done'] }]
    const b = [
      {
        asks: 'fix the upload please',
        does: ['looking', read('b', 'text of a'), run('test', 'failed'), read('lint'), 'done', run('more')],
      },
    ]
    expect(await linesOf(a, b)).toEqual([
      [0, 0, 'message'],
      [1, 1, 'text'],
      [2, 2, 'arguments'],
      [3, 3, 'result'],
      [4, 4, 'tool'],
      [5, 5, ''],
      [-1, 6, 'only'],
    ])
  })

  it('go on side by side behind a call that one of them made more', async () => {
    const a = [{ asks: 'x', does: [read('a'), run('test'), 'done'] }]
    const b = [{ asks: 'x', does: [read('a'), read('b'), read('c'), run('test'), 'done'] }]
    expect(await linesOf(a, b)).toEqual([
      [0, 0, ''],
      [1, 1, ''],
      [-1, 2, 'only'],
      [-1, 3, 'only'],
      [2, 4, ''],
      [3, 5, ''],
    ])
  })

  it('pair turns by what was asked, then by their order', () => {
    const turn = (asks: string): Turn => ({ asks, does: [] })
    const pairs = (a: string[], b: string[]) =>
      alignTurns(digestOf(a.map(turn)), digestOf(b.map(turn))).map(([x, y]) => [x, y])
    expect(pairs(['one', 'two', 'three'], ['one', 'three'])).toEqual([
      [0, 0],
      [1, -1],
      [2, 1],
    ])
    // Put differently, and moved behind a request of another kind.
    expect(
      pairs(
        ['please fix the flaky upload test', 'write a changelog'],
        ['what is this', 'fix the flaky upload test now', 'bye'],
      ),
    ).toEqual([
      [-1, 0],
      [0, 1],
      [1, 2],
    ])
    expect(pairs(['alpha', 'beta'], ['gamma', 'delta', 'epsilon'])).toEqual([
      [0, 0],
      [1, 1],
      [-1, 2],
    ])
    expect(pairs([], ['alpha'])).toEqual([[-1, 0]])
  })

  it('hold every entry of both once and in order, whatever they are', async () => {
    const said: fc.Arbitrary<Said> = fc.oneof(
      fc.constantFrom('x', 'y', 'z'),
      fc.tuple(fc.constantFrom('read', 'run'), fc.constantFrom('p', 'q', 'r'), fc.constantFrom('1', '2')),
    )
    const turns = fc.array(
      fc.record({
        asks: fc.constantFrom('a b c', 'a b d', 'x y z', ''),
        does: fc.array(said, { maxLength: 12 }),
      }),
      { maxLength: 5 },
    )
    await fc.assert(
      fc.asyncProperty(turns, turns, async (a, b) => {
        const [digestA, digestB] = [digestOf(a), digestOf(b)]
        const lines = await align(digestA, digestB, pause)
        const places = (side: Int32Array) => [...side].filter((place) => place >= 0)
        expect(places(lines.a)).toEqual(digestA.entries.map((_, n) => n))
        expect(places(lines.b)).toEqual(digestB.entries.map((_, n) => n))
        for (const [n, bits] of lines.fields.entries())
          expect(fieldsOf(bits).includes('only')).toBe(lines.a[n] === -1 || lines.b[n] === -1)
        expect((await align(digestA, digestA, pause)).fields.every((bits) => bits === 0)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('are aligned by their unique places when they have little in common', () => {
    const size = 20_000
    const a = Array.from({ length: size }, (_, n) => (n % 100 === 0 ? n : 1_000_000 + n))
    const b = Array.from({ length: size }, (_, n) => (n % 100 === 0 ? n : 2_000_000 + n))
    const pairs = commonPairs(a, b)
    expect(pairs.length).toBe(200)
    expect(pairs.every(([x, y]) => x === y && x % 100 === 0)).toBe(true)
  })

  it('end soon when one search after the other finds nothing', async () => {
    const noise = (seed: string): Turn[] =>
      Array.from({ length: 300 }, (_, turn) => ({
        asks: `turn ${turn}`,
        does: Array.from({ length: 100 }, (_, n) => run(`${seed} ${turn} ${n}`)),
      }))
    const lines = await align(digestOf(noise('a')), digestOf(noise('b')), pause)
    expect(lines.fields.length).toBe(300 * 101)
  })
})
