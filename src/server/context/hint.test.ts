import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { composeHint, hintBytes } from './hint.ts'
import type { Recall } from './recall.ts'

const nothing: Recall = {
  agentPath: '/root',
  goal: null,
  requests: [],
  answer: null,
  question: null,
  plan: null,
  changes: null,
  commands: [],
  failure: null,
  rules: null,
  notes: { files: [], total: 0 },
  windows: { list: [{ windowId: 'win_0', index: 0 }], total: 1, firstWindowId: 'win_0' },
  pinned: [],
}
const place = (n: number) => ({ itemId: `itm_${n}`, windowId: 'win_0' })
const noFocus = { focus: null, given: new Set<string>() }

const text = fc.string({ unit: 'grapheme', maxLength: 3_000 })
const count = fc.integer({ min: 0, max: 120 })
const recall: fc.Arbitrary<Recall> = fc
  .record({
    goal: text,
    request: text,
    answer: text,
    plan: count,
    files: count,
    commands: count,
    notes: count,
  })
  .chain((shape) => fc.tuple(fc.constant(shape), text))
  .map(([shape, words]) => ({
    ...nothing,
    goal: { ...place(0), text: shape.goal },
    requests: [
      { ...place(0), text: shape.goal },
      { ...place(1), text: shape.request },
    ],
    answer: { ...place(2), text: shape.answer },
    plan:
      shape.plan === 0
        ? null
        : {
            ...place(3),
            explanation: null,
            entries: Array.from({ length: shape.plan }, (_, n) => ({
              text: `${n} ${words}`,
              status: (['completed', 'in_progress', 'pending'] as const)[n % 3] ?? 'pending',
            })),
          },
    changes: {
      files: Array.from({ length: shape.files }, (_, n) => ({
        path: `src/${n}/${words.slice(0, 200)}`,
        change: 'modified' as const,
        additions: n,
        deletions: 0,
        binary: false,
      })),
      fileCount: shape.files,
      additions: 1,
      deletions: 0,
    },
    commands: Array.from({ length: shape.commands }, (_, n) => ({ ...place(n), command: words, session: n })),
    failure: { ...place(4), what: words, text: words },
    notes: {
      files: Array.from({ length: shape.notes }, (_, n) => ({
        agentPath: '/root',
        path: `${n}-${words.slice(0, 100)}`,
        version: n,
        bytes: n,
        actorId: 'agent' as const,
        createdAt: 0,
        updatedAt: 0,
      })),
      total: shape.notes,
    },
  }))

describe('the hint', () => {
  it('never takes more than 4,000 bytes, is the same for the same facts, and drops no part whole', () => {
    fc.assert(
      fc.property(recall, fc.option(text), (facts, focus) => {
        const hint = composeHint(facts, { focus, given: new Set() })
        expect(Buffer.byteLength(hint)).toBeLessThanOrEqual(hintBytes)
        expect(hint.isWellFormed()).toBe(true)
        expect(hint).not.toContain('\0')
        expect(composeHint(structuredClone(facts), { focus, given: new Set() })).toBe(hint)
        expect(hint).toContain('The thread began with this request [itm_0 in win_0]')
        expect(hint).toContain('History: all that was said')
        expect(hint).toMatch(/notes/i)
        expect(hint).toContain('Last failure [itm_4 in win_0]')
        if (facts.plan !== null) expect(hint).toContain('Plan [itm_3 in win_0]')
        if (focus !== null) expect(hint.startsWith('A person says what matters now:')).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('of a young thread says where things are and nothing else', () => {
    expect(composeHint(nothing, noFocus)).toMatchInlineSnapshot(`
      "Notes: none were written.
      History: all that was said and done is kept. history_search finds words in it; history_read_item gives an item whole; history_list_items lists a window (the one before this: win_0; the first: win_0)."
    `)
  })

  it('tells what is still to do, what runs, what failed and what was noted', () => {
    const facts: Recall = {
      ...nothing,
      goal: { ...place(0), text: 'Make the tests pass.' },
      requests: [
        { ...place(0), text: 'Make the tests pass.' },
        { ...place(5), text: 'First the parser.' },
        { ...place(9), text: 'This one stands in the window.' },
      ],
      answer: { ...place(8), text: 'The parser is done.' },
      plan: {
        ...place(3),
        explanation: null,
        entries: [
          { text: 'parser', status: 'completed' },
          { text: 'printer', status: 'in_progress' },
        ],
      },
      changes: {
        files: [{ path: 'src/a.ts', change: 'modified', additions: 3, deletions: 1, binary: false }],
        fileCount: 1,
        additions: 3,
        deletions: 1,
      },
      commands: [{ ...place(6), command: 'npm run dev -- --port 4123', session: 1_000_007 }],
      failure: { ...place(7), what: 'exec_command npm test', text: '1 test failed: printer' },
    }
    expect(composeHint(facts, { focus: null, given: new Set(['itm_9']) })).toMatchInlineSnapshot(`
      "The thread began with this request [itm_0 in win_0]:
      Make the tests pass.
      The last request before [itm_5 in win_0]:
      First the parser.
      Plan [itm_3 in win_0]: 1 of 2 steps done; still to do:
      - [>] printer
      The last thing you said [itm_8 in win_0]:
      The parser is done.
      Changed in the workspace since the thread began (1 files, +3 -1):
      - modified src/a.ts +3 -1
      Commands that still run (write_stdin takes the session):
      - session 1000007: npm run dev -- --port 4123 [itm_6 in win_0]
      Last failure [itm_7 in win_0], which may be solved by now: exec_command npm test
      1 test failed: printer
      Notes: none were written.
      History: all that was said and done is kept. history_search finds words in it; history_read_item gives an item whole; history_list_items lists a window (the one before this: win_0; the first: win_0)."
    `)
  })
})
