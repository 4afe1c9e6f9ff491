// The factor that a thread learns from what its provider counted: a model whose tokens nobody knows, step by step.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { model, traits } from '../../../test/setup/scripted-provider.ts'
import { emptyWindow } from '../../../test/turns/edges.ts'
import { wireFor } from '../providers/wire.ts'
import { decodeWireBlock } from '../providers/wire-block.ts'
import { budgetOf, learn, nothingLearned } from './budget.ts'
import { countTokens } from './tokens.ts'
import type { NewBlock, WindowState } from './types.ts'
import { append, loadWindow, settle } from './window.ts'

const wire = wireFor('openai-chat')
const frozen = { wire: wire.kind, model: 'x', family: 'nobody-knows', traits, thinking: false }
const words = 'the agent reads a file, runs `npm test -- unit` and says: 3 of 4 pass (12.5 %). '

/** The provider: its own tokenizer, its own constants. */
type Truth = { factor: number; around: number; once: number }

const run = (
  truth: Truth,
  sizes: readonly number[],
): { window: WindowState; rows: NewBlock[]; off: number[] } => {
  const window = emptyWindow()
  window.frozen = frozen
  const rows: NewBlock[] = []
  const off: number[] = []
  let real = truth.once
  const add = (block: Parameters<typeof append>[2], text: string) => {
    const row = append(window, wire, block, { reason: 'message' })
    if (row !== null) rows.push(row)
    real += countTokens(text, 'cl100k') * truth.factor + truth.around
  }
  sizes.forEach((size, at) => {
    const text = words.repeat(size)
    add({ kind: 'user', parts: [{ type: 'text', text }] }, text)
    const thought = budgetOf(window, model).used
    const input = Math.round(real)
    off.push(Math.abs(thought / input - 1))
    const blocks = window.wire.length
    const said = 'I did it.'
    add({ kind: 'assistant', text: said, group: `s${at}` }, said)
    settle(window, blocks, { inputTokens: input, contextTokens: Math.round(real) })
  })
  return { window, rows, off }
}

it('is within 3 % after five steps, whatever the tokenizer', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.75, max: 1.6, noNaN: true }),
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.integer({ min: 5, max: 60 }), { minLength: 8, maxLength: 12 }),
      (factor, around, sizes) => {
        const { off } = run({ factor, around, once: 150 }, sizes)
        for (const each of off.slice(5)) expect(each).toBeLessThan(0.03)
      },
    ),
    { numRuns: 40 },
  )
})

it('is taken up again from the rows, and handed to the next window', () => {
  const { window, rows } = run({ factor: 1.4, around: 5, once: 0 }, [200, 100, 100])
  const seed = { windowId: window.windowId, index: 0, frozen, blocks: rows, lastRequest: window.lastRequest }
  const loaded = loadWindow(seed, decodeWireBlock)
  const factor = ({ learned }: WindowState) => learned.counted / learned.estimated
  expect(Math.abs(factor(loaded) / factor(window) - 1)).toBeLessThan(0.05)
  const next = loadWindow(
    { ...seed, frozen: { ...frozen, learned: window.learned }, blocks: [], lastRequest: null },
    decodeWireBlock,
  )
  expect(next.learned).toEqual(window.learned)
})

it('keeps the last count over a request that nobody counted, and estimates what came of it', () => {
  const { window, rows } = run({ factor: 1.4, around: 5, once: 0 }, [200, 100, 100])
  const add = (block: Parameters<typeof append>[2]): void => {
    const row = append(window, wire, block, { reason: 'message' })
    if (row !== null) rows.push(row)
  }
  const counted = window.lastRequest
  const before = budgetOf(window, model).used
  add({ kind: 'user', parts: [{ type: 'text', text: words.repeat(20) }] })
  const asked = window.wire.length
  add({ kind: 'assistant', text: words.repeat(30), group: 'cut' })
  settle(window, asked, null)
  expect(window.lastRequest).toEqual({ blockCount: asked, contextTokens: counted?.contextTokens })
  const grown = budgetOf(window, model).used - before
  expect(Math.abs(grown / (countTokens(words.repeat(50), 'cl100k') * 1.4) - 1)).toBeLessThan(0.05)
  // The same after a restart, which knows only the answered request.
  const seed = { windowId: window.windowId, index: 0, frozen, blocks: rows, lastRequest: counted }
  const loaded = budgetOf(loadWindow(seed, decodeWireBlock), model).used
  expect(Math.abs(loaded / budgetOf(window, model).used - 1)).toBeLessThan(0.01)
})

it('learns nothing from little, and nothing from what was something else', () => {
  expect(learn(nothingLearned, 100, 120)).toBe(nothingLearned)
  expect(learn(nothingLearned, 1_000, -5)).toBe(nothingLearned)
  expect(learn(nothingLearned, 1_000, 5_000)).toBe(nothingLearned)
  expect(learn(nothingLearned, 1_000, 1_200)).toEqual({ estimated: 1_000, counted: 1_200 })
})
