import { describe, expect, it } from 'vitest'
import { model, traits } from '../../../test/setup/scripted-provider.ts'
import { emptyWindow } from '../../../test/turns/edges.ts'
import { defaultThreadSettings } from '../../protocol/settings.ts'
import type { ModelInfo } from '../providers/types.ts'
import { wireFor } from '../providers/wire.ts'
import { envelopeOf, openWindow } from './assemble.ts'
import { budgetOf, estimateTokens } from './budget.ts'
import { promptParts } from './content.ts'
import { tokenScale } from './token-scale.ts'
import { append, settle } from './window.ts'
import { appendWorld, type WorldFacts } from './world/world.ts'

const wire = wireFor('openai-responses')

const opened = () => {
  const window = emptyWindow()
  const frozen = { wire: wire.kind, model: model.id, family: model.family, traits, thinking: true }
  const rows = openWindow(window, wire, frozen, [
    { name: 'a', description: 'A.', parameters: { type: 'object' } },
  ])
  return { window, rows }
}

const facts: WorldFacts = {
  environment: { cwd: '/workspace', now: Date.UTC(2026, 0, 31, 23, 59) },
  settings: defaultThreadSettings,
  model: { id: 'm', label: 'M' },
  projectInstructions: 'Use tabs.',
  rules: undefined,
  strategy: null,
}
const kinds = (rows: { kind: string }[]): string[] => rows.map(({ kind }) => kind)

describe('the world', () => {
  it('is told in full once, then only what changed', () => {
    const { window } = opened()
    const first = appendWorld(window, wire, facts)
    expect(kinds(first)).toEqual(['world:permissions', 'world:model', 'world:project', 'world:environment'])
    expect(first.every(({ reason }) => reason === 'window_start')).toBe(true)
    expect(appendWorld(window, wire, facts)).toEqual([])
    const nextDay = { ...facts, environment: { ...facts.environment, now: Date.UTC(2026, 1, 1) } }
    const second = appendWorld(window, wire, nextDay)
    expect(kinds(second)).toEqual(['world:environment'])
    expect(Buffer.from(second[0]?.wire ?? []).toString()).toContain('2026-02-01')
  })

  it('says when rules and project instructions are gone', () => {
    const { window } = opened()
    appendWorld(window, wire, { ...facts, rules: '# rules' })
    const rows = appendWorld(window, wire, { ...facts, rules: null, projectInstructions: ' ' })
    expect(kinds(rows)).toEqual(['world:rules', 'world:project'])
    const said = rows.map((row) => Buffer.from(row.wire).toString()).join()
    expect(said.match(/no longer apply/g)).toHaveLength(2)
    expect(appendWorld(window, wire, { ...facts, rules: null, projectInstructions: '' })).toEqual([])
  })

  it('says nothing of rules that nobody has looked for', () => {
    const { window } = opened()
    appendWorld(window, wire, { ...facts, rules: '# rules' })
    expect(appendWorld(window, wire, facts)).toEqual([])
  })

  it('knows every setting', () => {
    const { window } = opened()
    for (const permission of ['read-only', 'workspace-write', 'full-access'] as const)
      for (const egress of ['none', 'allowlist', 'public'] as const)
        for (const approvals of ['never', 'on-request', 'untrusted'] as const)
          expect(
            appendWorld(window, wire, { ...facts, settings: { permission, egress, approvals } }),
          ).not.toEqual([])
  })
})

describe('the budget', () => {
  it('counts by estimate until the provider has counted, then only what came after', () => {
    const { window } = opened()
    const before = budgetOf(window, model)
    expect(before.used).toBeGreaterThan(window.tokens)
    settle(window, window.wire.length, { inputTokens: before.used, contextTokens: 5_000 })
    expect(budgetOf(window, model).used).toBe(5_000)
    append(
      window,
      wire,
      { kind: 'user', parts: [{ type: 'text', text: 'word '.repeat(100) }] },
      { reason: 'message' },
    )
    const { used } = budgetOf(window, model)
    expect(used).toBeGreaterThan(5_100)
    expect(used).toBeLessThan(5_125)
    // What the model itself put out is in the provider's count of that step.
    append(window, wire, { kind: 'assistant', text: 'y'.repeat(400), group: 'g' }, { reason: 'output' })
    expect(budgetOf(window, model).used).toBe(used)
  })

  it('is full at its share', () => {
    const { window } = opened()
    settle(window, 2, { inputTokens: 180_000, contextTokens: 180_000 })
    expect(budgetOf(window, model)).toMatchObject({ limit: 180_000, full: true, remaining: 0 })
  })

  it('does not take a picture for its bytes', () => {
    const data = 'A'.repeat(4_000_000)
    const block = { kind: 'user' as const, parts: [{ type: 'image' as const, mediaType: 'image/png', data }] }
    expect(estimateTokens(block, tokenScale('', ''))).toBeLessThan(2_000)
  })
})

describe('the envelope', () => {
  it('asks only for efforts that the model knows and leaves room for the input', () => {
    const { window } = opened()
    const small: ModelInfo = { ...model, contextTokens: 8_000, efforts: ['low'], defaultEffort: 'low' }
    expect(envelopeOf(window, small, 'xhigh')).toMatchObject({ effort: 'low', maxOutputTokens: 2_000 })
    const deep: ModelInfo = { ...model, efforts: ['medium', 'high'], defaultEffort: 'medium' }
    expect(envelopeOf(window, deep, 'max').effort).toBe('high')
    expect(envelopeOf(window, deep, 'none').effort).toBe('medium')
    expect(envelopeOf(window, model, 'high').effort).toBeNull()
    expect(envelopeOf(window, model, null)).toMatchObject({ effort: null, promptCacheKey: window.windowId })
  })
})

describe('what people send', () => {
  const blobs: Record<string, Uint8Array> = {
    text: Buffer.from('a file\0 of text'),
    image: Buffer.from([1, 2, 3]),
    long: Buffer.from('the whole text'),
  }
  const read = async (hash: string): Promise<Uint8Array> => blobs[hash] ?? new Uint8Array()

  it('is text, pictures and files', async () => {
    const parts = await promptParts(
      [
        { type: 'text', text: 'the who', blob: 'long', chars: 14 },
        { type: 'image', blob: 'image', mediaType: 'image/png' },
        { type: 'file', blob: 'text', name: 'notes.txt', mediaType: 'text/plain', bytes: 15 },
        { type: 'file', blob: 'image', name: 'x.bin', mediaType: 'application/octet-stream', bytes: 3 },
      ],
      read,
    )
    expect(parts).toEqual([
      { type: 'text', text: 'the whole text' },
      { type: 'image', mediaType: 'image/png', data: 'AQID' },
      { type: 'text', text: '<file name="notes.txt">\na file\ufffd of text\n</file>' },
      { type: 'text', text: '<file name="x.bin" bytes="3">(not text: application/octet-stream)</file>' },
    ])
  })
})
