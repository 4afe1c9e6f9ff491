/**
 * How far off the estimate is, held against what providers counted. The figures of the scales were fitted to the same
 * requests, so this tells how well so few figures can describe them, not what a new vendor would do.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { estimateTokens } from '../../src/server/context/budget.ts'
import { tokenScale } from '../../src/server/context/token-scale.ts'
import type { PromptBlock } from '../../src/server/providers/types.ts'
import { type RealRequest, realRequests } from './real-requests.ts'

const cases = process.env.CASES_DIR ?? '../shared/cases'
const requests = realRequests(cases).filter(({ odd }) => !odd)

const estimate = (model: string, wire: string, blocks: readonly PromptBlock[]): number => {
  const scale = tokenScale(model, wire)
  const around = scale.request + (blocks.some(({ kind }) => kind === 'tool') ? scale.tools : 0)
  return blocks.reduce((sum, block) => sum + estimateTokens(block, scale), around)
}

/** Off by a share of the count; a few tokens of a tiny request are no share of anything. */
const off = ({ model, wire, blocks, counted }: RealRequest): number => {
  const tokens = Math.abs(estimate(model, wire, blocks) - counted)
  return tokens <= 3 ? 0 : tokens / counted
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const distribution = (given: readonly RealRequest[]) => {
  const sorted = given.map(off).sort((a, b) => a - b)
  return { requests: sorted.length, median: at(sorted, 0.5), p90: at(sorted, 0.9) }
}

const kinds: readonly [string, RegExp][] = [
  ['published encodings', /(^|[./-])(gpt-[345]|o\d)/],
  ['claude', /claude/],
  ['gemini', /gemini/],
  ['grok', /grok/],
  ['deepseek', /deepseek/],
  ['qwen', /qwen/],
  ['mistral', /mistral/],
  ['gpt-oss', /gpt-oss/],
]

it.skipIf(requests.length === 0)('real requests by wire and family (needs CASES_DIR)', () => {
  const rows: Record<string, unknown>[] = []
  for (const [kind, pattern] of kinds) {
    const own = requests.filter(({ model }) => pattern.test(model.toLowerCase()))
    for (const wire of new Set(own.map((each) => each.wire))) {
      const { requests: n, median, p90 } = distribution(own.filter((each) => each.wire === wire))
      rows.push({ kind, wire, requests: n, 'median %': percent(median), 'p90 %': percent(p90) })
    }
    const all = distribution(own)
    expect(all.requests, kind).toBeGreaterThan(10)
    // A model whose encoding is published: 3 %; every other: 10 % before anything was learned.
    expect(all.median, kind).toBeLessThanOrEqual(kind === 'published encodings' ? 0.03 : 0.1)
  }
  console.table(rows)
  const whole = distribution(requests)
  expect(whole.requests).toBeGreaterThan(200)
  expect(whole.median).toBeLessThan(0.03)
})

const percent = (share: number): number => Math.round(share * 1_000) / 10

type Counted = {
  messages: { role: string; content?: string; name?: string; function_call?: unknown }[]
  functions?: { name: string; description?: string; parameters?: Record<string, unknown> }[]
  function_call?: unknown
  tokens: number
}
const fixtures = join(cases, 'tokens/chat-prompt-and-tool-counts.json')

it.skipIf(!existsSync(fixtures))('prompts and tools that were counted one by one (needs CASES_DIR)', () => {
  const given = JSON.parse(readFileSync(fixtures, 'utf8')) as Counted[]
  const plain = given.filter(
    (each) =>
      each.function_call === undefined &&
      each.messages.every((message) => message.function_call === undefined && message.name === undefined),
  )
  expect(plain.length).toBeGreaterThan(5)
  const errors = plain.map(({ messages, functions = [], tokens }) => {
    const blocks = [
      ...functions.map(
        (each): PromptBlock => ({
          kind: 'tool',
          name: each.name,
          description: each.description ?? '',
          parameters: each.parameters ?? {},
        }),
      ),
      ...messages.map(
        ({ content = '' }): PromptBlock => ({ kind: 'user', parts: [{ type: 'text', text: content }] }),
      ),
    ]
    return Math.abs(estimate('gpt-4', 'openai-chat', blocks) - tokens)
  })
  expect(Math.max(...errors)).toBeLessThanOrEqual(7)
})
