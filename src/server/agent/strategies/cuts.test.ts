import fc from 'fast-check'
import { expect, it } from 'vitest'
import { traits } from '../../../../test/setup/scripted-provider.ts'
import type { WindowState } from '../../context/types.ts'
import { append, emptyWindow } from '../../context/window.ts'
import type { Wire, WireKind } from '../../providers/types.ts'
import { wireFor } from '../../providers/wire.ts'
import { type Cut, cutMiddle, cutResults, cutToLatest } from './cuts.ts'

type Step = { words: number; calls: number; result: number; message: number }
const step: fc.Arbitrary<Step> = fc.record({
  words: fc.integer({ min: 0, max: 60 }),
  calls: fc.integer({ min: 0, max: 3 }),
  result: fc.integer({ min: 0, max: 900 }),
  message: fc.integer({ min: 0, max: 60 }),
})

const windowOf = (steps: Step[], wire: Wire): WindowState => {
  const window = emptyWindow('win', 0)
  window.frozen = { wire: wire.kind, model: 'm', family: 'f', traits, thinking: true }
  const text = (words: number) => [{ type: 'text' as const, text: 'word '.repeat(words) }]
  append(window, wire, { kind: 'instructions', text: 'Be good.' }, { reason: 'window_start' })
  append(window, wire, { kind: 'user', parts: text(20) }, { reason: 'message', itemId: 'request' })
  steps.forEach(({ words, calls, result, message }, n) => {
    const group = `stp_${n}`
    if (words > 0)
      append(window, wire, { kind: 'assistant', text: 'said '.repeat(words), group }, { reason: 'output' })
    for (let c = 0; c < calls; c += 1) {
      const call = {
        kind: 'tool_call' as const,
        callId: `c${n}.${c}`,
        name: 'read',
        argumentsText: '{}',
        group,
      }
      append(window, wire, call, { reason: 'output', itemId: call.callId })
    }
    for (let c = 0; c < calls; c += 1) {
      const callId = `c${n}.${c}`
      const parts = text(result)
      const block = { kind: 'tool_result' as const, callId, name: 'read', parts, isError: false, group }
      append(window, wire, block, { reason: 'result', itemId: callId })
    }
    if (message > 0)
      append(window, wire, { kind: 'user', parts: text(message) }, { reason: 'message', itemId: `m${n}` })
  })
  return window
}

/** Every call that stays has its result, and the other way round; order stays. */
const check = (window: WindowState, { kept }: Cut): void => {
  const places = kept.map(({ at }) => at)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  const ids = (kind: string) =>
    places.filter((at) => window.rows[at]?.kind === kind).map((at) => window.rows[at]?.callId)
  expect(ids('tool_call').sort()).toEqual(ids('tool_result').sort())
  expect(window.rows[places[0] ?? -1]?.kind).toBe('instructions')
}

const wires: WireKind[] = ['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai']

it.each(wires)('no cut parts a call from its result, and the request always stays (%s)', (kind) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 500, max: 20_000 }), (steps, limit) => {
      const window = windowOf(steps, wireFor(kind))
      const results = cutResults(window, limit)
      expect(results.kept).toHaveLength(window.rows.length)
      check(window, results)
      const middle = cutMiddle(window, limit)
      check(window, middle)
      // People's words and the model's stay.
      for (const kind of ['user', 'assistant'])
        expect(middle.kept.filter(({ at }) => window.rows[at]?.kind === kind)).toHaveLength(
          window.rows.filter((row) => row.kind === kind).length,
        )
      const latest = cutToLatest(window, limit, new Set(['request']))
      check(window, latest)
      expect(latest.kept.some(({ at }) => window.rows[at]?.itemId === 'request')).toBe(true)
      const size = latest.kept.reduce((sum, { at }) => sum + (window.rows[at]?.tokens ?? 0), 0)
      expect(size).toBeLessThanOrEqual(limit * 0.4 + 60)
    }),
    { numRuns: 30 },
  )
})
