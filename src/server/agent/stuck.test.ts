import { expect, it } from 'vitest'
import { createStuckDetector } from './stuck.ts'
import type { CallOutcome } from './tool-runner.ts'

const call = { itemId: 'i', callId: 'c', tool: 'write_stdin', argumentsText: '{}' }
const outcome: CallOutcome = { status: 'succeeded', text: 'still running', wrote: false, polled: true }

it('never takes looking after a running command for being stuck', () => {
  const detector = createStuckDetector()
  for (let n = 0; n < 50; n += 1) expect(detector.see(call, outcome)).toBeNull()
})

it('counts only what follows each other', () => {
  const detector = createStuckDetector()
  const same = { ...outcome, polled: false }
  for (const seen of [same, same, same]) expect(detector.see(call, seen)).toBeNull()
  expect(detector.see(call, { ...same, text: 'done' })).toBeNull()
  expect(detector.see(call, same)).toBeNull()
})

it('takes results for the same that differ only in their times', () => {
  const detector = createStuckDetector()
  const seen = (seconds: number): CallOutcome => ({
    ...outcome,
    polled: false,
    text: `Exit code: 1\nWall time: ${seconds.toFixed(2)} s\nOutput:\n2 tests failed in ${seconds * 1_000}ms`,
  })
  for (const seconds of [1, 2.5, 3]) expect(detector.see(call, seen(seconds))).toBeNull()
  expect(detector.see(call, seen(4.75))).toContain('4 times in a row')
})
