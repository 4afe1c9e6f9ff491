/**
 * How far off the estimate is, held against what providers counted: on the first step, and after five of the thread's
 * own usage. The figures of the scales were fitted to one half of the requests; what is asserted is of the other.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { budgetOf, estimateTokens } from '../../src/server/context/budget.ts'
import { type TokenScale, tokenScale } from '../../src/server/context/token-scale.ts'
import { settle } from '../../src/server/context/window.ts'
import type { PromptBlock, WireKind } from '../../src/server/providers/types.ts'
import { casesIn } from '../setup/cases.ts'
import { model as modelInfo, traits } from '../setup/scripted-provider.ts'
import { emptyWindow } from '../turns/edges.ts'
import { countedRequests, type RealRequest, realRequests } from './real-requests.ts'

const cases = casesIn().path
const recorded = realRequests(cases)
const requests = recorded.filter(({ odd }) => !odd)
/** The set that the bounds below were measured on; of another one only what all families keep together is asserted. */
const isKnownSet = recorded.length === 423

/** The figures of the scales were fitted to one half; the other tells what they are worth. Equal requests share a half. */
const heldOut = ({ blocks }: RealRequest): boolean =>
  (createHash('sha256').update(JSON.stringify(blocks)).digest()[0] ?? 0) % 2 === 1

const around = (scale: TokenScale, blocks: readonly PromptBlock[], thinking: boolean): number =>
  scale.request +
  (blocks.some(({ kind }) => kind === 'tool') ? scale.tools : 0) +
  (thinking ? scale.thinking : 0)

const estimate = (model: string, wire: string, blocks: readonly PromptBlock[], thinking = false): number => {
  const scale = tokenScale(model, wire)
  return blocks.reduce((sum, block) => sum + estimateTokens(block, scale), around(scale, blocks, thinking))
}

/** Off by a share of the count; a few tokens of a tiny request are no share of anything. */
const share = (estimated: number, counted: number): number => {
  const tokens = Math.abs(estimated - counted)
  return tokens <= 3 ? 0 : tokens / counted
}

const tokensOff = ({ model, wire, blocks, thinking, counted }: RealRequest): number =>
  Math.abs(estimate(model, wire, blocks, thinking) - counted)

const off = ({ model, wire, blocks, thinking, counted }: RealRequest): number =>
  share(estimate(model, wire, blocks, thinking), counted)

/** Steps of its own usage that a thread has behind it. */
const steps = 5

/**
 * Requests of one family put one after the other, as a thread that gains one with every step: the provider's counts add
 * up, the budget sees estimates of the newest and learns from each. How far off its sixth request is, and how far the
 * newest part of it.
 */
const afterSteps = (given: readonly RealRequest[]): { whole: number[]; newest: number[] } => {
  const whole: number[] = []
  const newest: number[] = []
  for (let from = 0; from + steps < given.length; from += 1) {
    const run = given.slice(from, from + steps + 1)
    const window = emptyWindow()
    const { model: family, wire } = run[0] ?? { model: '', wire: 'openai-chat' }
    window.frozen = { wire: wire as WireKind, model: family, family, traits, thinking: false }
    const scale = tokenScale(family, wire)
    let truth = 0
    run.forEach(({ model, blocks, thinking, counted }, at) => {
      const all = estimate(model, wire, blocks, thinking)
      // What stands around a window's first blocks is the budget's own business.
      const added = at === 0 ? all - scale.request - scale.tools : all
      window.tokens += added
      window.tokensSince += added
      const before = truth
      truth += counted
      const { used } = budgetOf(window, modelInfo)
      if (at === steps) {
        whole.push(share(used, truth))
        newest.push(share(used - before, counted))
      }
      settle(window, 0, { inputTokens: truth, contextTokens: truth })
    })
  }
  return { whole, newest }
}

const at = (values: readonly number[], part: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/**
 * Bounds that nine in ten held-out requests keep: on the first step (of 100 tokens and more), and after five. The goals
 * are 0.03 on both for published encodings, 0.1 and 0.03 for others; `misses` names what is not reached, and why.
 */
type Kind = { kind: string; models: RegExp; first: number; later: number; misses?: string }
const kinds: readonly Kind[] = [
  {
    kind: 'gpt-4',
    models: /(^|[./-])gpt-4/,
    first: 0.06,
    later: 0.03,
    misses: 'first: a few tokens of how tools are written out',
  },
  {
    kind: 'gpt-5 and o',
    models: /(^|[./-])(gpt-5|o\d)/,
    first: 0.05,
    later: 0.03,
    misses: 'first: a few tokens of how tools are written out, and of other hosts',
  },
  { kind: 'gpt-oss', models: /gpt-oss/, first: 0.03, later: 0.03 },
  {
    kind: 'claude',
    models: /claude/,
    first: 0.1,
    later: 0.05,
    misses: 'later: generations and gateways differ in what they add for tools',
  },
  {
    kind: 'gemini',
    models: /gemini/,
    first: 0.5,
    later: 0.03,
    misses: 'first: one of seven, to a model that is gone; what a tool costs is not published',
  },
  { kind: 'grok', models: /grok/, first: 0.1, later: 0.03 },
  { kind: 'deepseek', models: /deepseek-[^r]/, first: 0.1, later: 0.03 },
  {
    kind: 'qwen',
    models: /qwen/,
    first: 0.35,
    later: 0.12,
    misses: 'both: two large requests, one of them with a template of its own',
  },
  {
    kind: 'mistral',
    models: /mistral/,
    first: 0.2,
    later: 0.04,
    misses: 'both: one name stands for models with and without a system prompt of their own',
  },
]
/** A request of fewer tokens is a test of constants alone; a window of this product begins with thousands. */
const leastTokens = 100

it.skipIf(requests.length === 0)('real requests that nothing was fitted to (needs CASES_DIR)', () => {
  const rows: Record<string, unknown>[] = []
  const heldOutFirst: number[] = []
  const heldOutLater: number[] = []
  for (const { kind, models, first: bound, later, misses = '' } of kinds) {
    const all = requests.filter(({ model }) => models.test(model.toLowerCase()))
    const row = (name: string, own: readonly RealRequest[]) => {
      const large = own.filter(({ counted }) => counted >= leastTokens)
      const groups = [...new Set(own.map((each) => each.wire))].map((wire) =>
        afterSteps(own.filter((each) => each.wire === wire)),
      )
      const whole = groups.flatMap((each) => each.whole)
      const newest = groups.flatMap((each) => each.newest)
      const first = own.map(off)
      const firstLarge = large.map(off)
      rows.push({
        kind,
        half: name,
        n: own.length,
        'first median': percent(at(first, 0.5)),
        'first p90': percent(at(first, 0.9)),
        'p90 tokens': at(own.map(tokensOff), 0.9),
        'n >= 100': large.length,
        'median >= 100': percent(at(firstLarge, 0.5)),
        'p90 >= 100': percent(at(firstLarge, 0.9)),
        threads: whole.length,
        'after 5: median': percent(at(whole, 0.5)),
        'after 5: p90': percent(at(whole, 0.9)),
        'newest median': percent(at(newest, 0.5)),
        'newest p90': percent(at(newest, 0.9)),
        misses: name === 'fitted' ? '' : misses,
      })
      return { first: firstLarge, later: whole }
    }
    row(
      'fitted',
      all.filter((each) => !heldOut(each)),
    )
    const told = row('held out', all.filter(heldOut))
    if (isKnownSet) {
      expect(told.first.length, kind).toBeGreaterThan(0)
      expect(at(told.first, 0.9), kind).toBeLessThanOrEqual(bound)
      expect(at(told.later, 0.9), kind).toBeLessThanOrEqual(later)
      // Where the encoding is published only constants are missed, a handful of tokens: in a window that begins with 5,000
      // they are far below 3 %.
      if (/gpt/.test(kind)) expect(at(all.filter(heldOut).map(tokensOff), 0.9), kind).toBeLessThanOrEqual(15)
    }
    heldOutFirst.push(...told.first)
    heldOutLater.push(...told.later)
  }
  console.table(rows)
  // Of all together: half of the first steps within 3 %, nine in ten within 10 %; after five steps nine in ten within 3 %.
  expect(at(heldOutFirst, 0.5)).toBeLessThanOrEqual(0.03)
  expect(at(heldOutLater, 0.5)).toBeLessThanOrEqual(0.02)
  if (isKnownSet) {
    expect(heldOutFirst.length).toBeGreaterThan(40)
    expect(at(heldOutFirst, 0.9)).toBeLessThanOrEqual(0.1)
    expect(at(heldOutLater, 0.9)).toBeLessThanOrEqual(0.03)
  }
  console.info('held out, all families', {
    first: [heldOutFirst.length, percent(at(heldOutFirst, 0.5)), percent(at(heldOutFirst, 0.9))],
    later: [heldOutLater.length, percent(at(heldOutLater, 0.5)), percent(at(heldOutLater, 0.9))],
  })
})

const asked = countedRequests(cases).filter(({ odd }) => !odd)

it.skipIf(asked.length === 0)(
  'requests that vendors counted without answering them (needs CASES_DIR)',
  () => {
    for (const each of asked) {
      const tokens = tokensOff(each)
      // Of tiny requests a few tokens are much; none of these is off by more than a tenth otherwise.
      if (tokens > 10) expect(off(each), each.source).toBeLessThanOrEqual(0.1)
    }
  },
)

const percent = (part: number): number => Math.round(part * 1_000) / 10

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
