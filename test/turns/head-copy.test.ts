// Google's explicit cache over real HTTP: the vendor keeps tools and instructions under a name, requests name it.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/sha256.ts'
import { newId } from '../../src/protocol/ids.ts'
import { decodeWireBlock } from '../../src/server/providers/wire-block.ts'
import { loadScenarios } from '../scripted-model/load.ts'
import { type ScriptedModel, startScriptedModel } from '../scripted-model/scripted-model.ts'
import { promptItems } from './prompt-items.ts'
import { type Whole, wholeTurn } from './whole-turn.ts'

let server: ScriptedModel
let answered = 0
let onAnswer: (count: number) => void = () => undefined
beforeEach(async () => {
  answered = 0
  onAnswer = () => undefined
  const onSending = () => {
    answered += 1
    onAnswer(answered)
  }
  server = await startScriptedModel({ scenarios: await loadScenarios(), hurry: true, onSending })
})
afterEach(() => server.close())

const turnWithCopies = (name: string): Whole => {
  const turn = wholeTurn(server, 'google-genai', name, { 'AGENTS.md': 'Be kind.' })
  turn.input.model = { ...turn.input.model, explicitCache: true }
  return turn
}

type Body = Record<string, unknown> & { cachedContent?: string }
const bodiesOf = (turn: Whole): Body[] => turn.bodies().map((body) => JSON.parse(body) as Body)

/** Every copy that there ever was; the server forgets those that are removed. */
const watchCopies = () => {
  const all = new Map(server.google.copies)
  const note = () => {
    for (const [name, copy] of server.google.copies) all.set(name, copy)
  }
  const whole = (body: Body): string[] => {
    const copy = all.get(body.cachedContent ?? '')
    const { cachedContent: _name, ...rest } = body
    const head = copy === undefined ? {} : { tools: copy.tools, systemInstruction: copy.systemInstruction }
    return promptItems(JSON.stringify({ ...head, ...rest }))
  }
  return { note, whole }
}

const expectPrefixes = (items: readonly string[][]): void => {
  for (let n = 1; n < items.length; n += 1) {
    const before = items[n - 1] ?? []
    expect(items[n]?.slice(0, before.length)).toEqual(before)
  }
}

/** The stored bytes of each step give the request that went out. */
const expectRebuilt = (turn: Whole): void => {
  const sent = new Set(turn.bodies().map((body) => sha256(body)))
  for (const step of turn.log.steps) {
    const blocks = turn.log.blocksOf(step.windowId).slice(0, step.blockCount)
    const wire = blocks.map((block) => decodeWireBlock(block.wire))
    const body = turn.input.provider.wire.assembleBody(step.envelope, wire, step.cacheMarks)
    const hash = sha256(body)
    expect(hash).toBe(step.bodySha256)
    expect(sent).toContain(hash)
  }
}

it('names its head from the third request on, and reads the same', async () => {
  const copies = watchCopies()
  onAnswer = copies.note
  const turn = turnWithCopies('rounds:20')
  expect(await turn.run()).toEqual({ status: 'completed' })
  expect(turn.defects).toEqual([])
  const bodies = bodiesOf(turn)
  expect(bodies).toHaveLength(21)
  expect(bodies.map(({ cachedContent }) => cachedContent)).toEqual(
    bodies.map((_, at) => (at < 2 ? undefined : 'cachedContents/copy-1')),
  )
  expect(bodies[2]).not.toHaveProperty('tools')
  expect(bodies[2]).not.toHaveProperty('systemInstruction')
  expectPrefixes(bodies.map(copies.whole))
  expect(copies.whole(bodies[20] ?? {})[0]).toBe(promptItems(turn.bodies()[0] ?? '')[0])
  expectRebuilt(turn)
  expect(server.google.log).toEqual([{ method: 'POST', name: null, ttl: '600s' }])
  // The provider's own count of what came out of the copy stands with each step; the one that made it paid for it.
  const ends = turn.log.ofType('step.completed').map(({ body }) => body)
  const { tokens = 0 } = server.google.copies.get('cachedContents/copy-1') ?? {}
  expect(ends.map(({ usage }) => usage.cachedInput)).toEqual(ends.map((_, at) => (at < 2 ? 0 : tokens)))
  expect(ends[2]?.costMicros).toBeGreaterThan(tokens + (ends[3]?.costMicros ?? 0) / 2)
})

it('carries its head again when the copy is gone, and has another made', async () => {
  const copies = watchCopies()
  onAnswer = (count) => {
    copies.note()
    if (count === 8) server.google.copies.clear()
  }
  const turn = turnWithCopies('rounds:20')
  expect(await turn.run()).toEqual({ status: 'completed' })
  expect(turn.defects).toEqual([])
  const cut = turn.log.ofType('step.cut')
  expect(cut).toHaveLength(1)
  expect(cut[0]?.body.error.message).toContain('CachedContent not found')
  const named = bodiesOf(turn).map(({ cachedContent }) => cachedContent?.at(-1) ?? '-')
  expect(named.join('')).toBe('--1111111-22222222222222'.slice(0, named.length))
  expect(named).toHaveLength(22)
  expectPrefixes(bodiesOf(turn).map(copies.whole))
  expectRebuilt(turn)
})

it('lets go of a window’s copy when the next window opens', async () => {
  const copies = watchCopies()
  onAnswer = copies.note
  const turn = turnWithCopies('rounds:6')
  expect(await turn.run()).toEqual({ status: 'completed' })
  expect(server.google.copies.size).toBe(1)
  turn.control.windows.push({})
  expect(await turn.run({ turnId: newId('trn') })).toEqual({ status: 'completed' })
  expect(turn.log.windows).toHaveLength(2)
  const { log, copies: left } = server.google
  await expect
    .poll(() => log.filter(({ method }) => method === 'DELETE').map(({ name }) => name))
    .toEqual(['cachedContents/copy-1'])
  expect([...left.keys()]).toEqual(['cachedContents/copy-2'])
  for (const { windowId } of turn.log.windows) {
    const own = bodiesOf(turn).filter((_, at) => turn.log.steps[at]?.windowId === windowId)
    expect(own.at(-1)?.cachedContent).toBeDefined()
    expectPrefixes(own.map(copies.whole))
  }
})

it('prolongs a copy that is about to end, and makes another of one that ended', async () => {
  const turn = turnWithCopies('rounds:8')
  onAnswer = (count) => {
    if (count === 4) turn.clock.advance(450_000)
    if (count === 6) turn.clock.advance(600_000)
  }
  expect(await turn.run()).toEqual({ status: 'completed' })
  expect(server.google.log.map(({ method, name }) => `${method} ${name ?? ''}`.trim())).toEqual([
    'POST',
    'PATCH cachedContents/copy-1',
    'POST',
  ])
  expect(turn.log.ofType('step.cut')).toEqual([])
})

it('asks for no copy of a model that nobody switched it on for', async () => {
  const turn = wholeTurn(server, 'google-genai', 'rounds:5')
  expect(await turn.run()).toEqual({ status: 'completed' })
  expect(server.google.log).toEqual([])
})
