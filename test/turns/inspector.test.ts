// What the inspector shows of a request is what the model received: on every wire, over hundreds of steps and several
// windows, with pictures, thoughts, large results, retries and cut streams, the rebuilt bytes hash as the received ones.

import { afterEach, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/sha256.ts'
import type { RequestView } from '../../src/server/providers/demo/scenario.ts'
import type { WireKind } from '../../src/server/providers/types.ts'
import {
  blockText,
  handOverDifference,
  requestBlocks,
  requestDifference,
} from '../../src/server/rollouts/blocks.ts'
import { keptStep, rebuildRequest } from '../../src/server/rollouts/request.ts'
import { rolloutsOf } from '../../src/server/rollouts/rollouts.ts'
import type { Reply } from '../scripted-model/scripted-model.ts'
import { type HttpRuntime, startHttpRuntime } from '../setup/http-runtime.ts'
import { wires } from './whole-turn.ts'

let test: HttpRuntime
afterEach(() => test?.close())

const turns = 6
const stepsInTurn = 55
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** One answer after the other, whatever the window: steps of one kind after another, a new window now and then. */
const answers = (): ((view: RequestView) => Reply) => {
  let asked = 0
  return ({ attempt }) => {
    // The same bytes again: what failed before is answered now.
    if (attempt === 0) asked += 1
    const n = asked
    if (n % stepsInTurn === 0) return { text: 'This part is done.' }
    if (attempt === 0 && n % 97 === 0) return { error: { status: 503, body: { error: { message: 'busy' } } } }
    if (attempt === 0 && n % 131 === 0) return { text: 'This will not be whole', cut: 'part' }
    if (n % stepsInTurn === 30) return { calls: [{ name: 'new_context', arguments: {} }] }
    const usage = { input: 4_000 + n, cached: n % stepsInTurn === 1 ? 0 : 3_000 }
    const look = { name: 'read_file', arguments: { path: n % 7 === 0 ? 'large.txt' : `small-${n % 10}.txt` } }
    if (n % 5 === 0)
      return { usage, reasoning: `Thought ${n} 漢字 🙂`, text: `Step ${n}: "quoted"\n\t\\`, calls: [look] }
    if (n % 3 === 0) return { usage, calls: [look, { name: 'list_dir', arguments: { path: '.' } }] }
    return { usage, calls: [look] }
  }
}

const patienceMs = 240_000

/** Looks at the thread's row, since reading a long log again and again takes longer than the turn. */
const turnEnds = async (threadId: string, turn: number): Promise<void> => {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const row = await test.store.threads.get(threadId)
    if (row.turns >= turn && ['idle', 'failed'].includes(row.status)) break
    if (Date.now() > deadline) throw new Error(`turn ${turn} did not end: ${row.status}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const end = await test.store.log.last(threadId, 'turn.completed')
  const ends = (await test.store.log.ofTypes(threadId, ['turn.completed', 'turn.failed', 'turn.limited']))
    .length
  expect([end?.type, ends]).toEqual(['turn.completed', turn])
}

const play = async (kind: WireKind): Promise<string> => {
  test = await startHttpRuntime([{ name: 'm', rules: [{ reply: answers() }] }])
  const threadId = await test.createThread({ model: test.ref(kind, 'm') })
  const box = test.sandbox(threadId)
  box.write('AGENTS.md', 'Answer in one sentence. ü 漢\n')
  for (let n = 0; n < 10; n += 1) box.write(`small-${n}.txt`, `small file ${n}\nwith two lines\n`)
  box.write('large.txt', `${'a line of a large file: "x" \\ ü\n'.repeat(900)}`)
  const blob = await test.store.blobs.put(picture)
  await test.store.blobs.ref(threadId, blob)
  const content = [
    { type: 'text' as const, text: 'What do you see? <b>&amp;</b> \u2028' },
    { type: 'image' as const, blob, mediaType: 'image/png' as const, name: 'pixel.png' },
  ]
  for (let turn = 1; turn <= turns; turn += 1) {
    await test.send(threadId, { type: 'turn.start', content: turn === 1 ? content : content.slice(0, 1) })
    await turnEnds(threadId, turn)
  }
  return threadId
}

it.each(wires)('every request of %s is rebuilt as it was received', { timeout: 600_000 }, async (kind) => {
  const threadId = await play(kind)
  const { store } = test

  const received = test.sent('m').map(sha256)
  const stored = await store.windows.steps(threadId)
  expect(stored.length).toBeGreaterThanOrEqual(300)
  expect(new Set(stored.map(({ windowId }) => windowId)).size).toBeGreaterThan(5)
  // In order, each as often as it was sent; a retry sends the same bytes.
  const once = received.filter((hash, n) => hash !== received[n - 1])
  expect(stored.map(({ bodySha256 }) => bodySha256)).toEqual(once)
  const rebuilt: string[] = []
  for (const { stepId } of stored) {
    const kept = await keptStep(store, threadId, stepId)
    const bytes = kept && (await rebuildRequest(store, kept))
    rebuilt.push(bytes ? sha256(bytes) : 'nothing')
  }
  expect(rebuilt).toEqual(once)

  const marks = stored.filter(({ cacheMarks }) => cacheMarks.length > 0)
  expect(marks).toHaveLength(kind === 'anthropic-messages' ? stored.length : 0)

  const reader = rolloutsOf(store)
  const last = stored.at(-1)
  const first = stored.find(({ windowId }) => windowId === last?.windowId)
  if (!last || !first) throw new Error('there are no steps')
  const step = await reader.step(threadId, last.stepId)
  expect(step.request).toEqual({
    bodySha256: last.bodySha256,
    rebuiltSha256: last.bodySha256,
    bytes: Buffer.byteLength(test.sent('m').at(-1) ?? ''),
  })
  expect(step).toMatchObject({
    wire: kind,
    model: 'm',
    windowIndex: 6,
    end: { status: 'completed' },
    cut: false,
  })
  expect(step.newFrom).toBeGreaterThan(0)
  expect(step.newFrom).toBeLessThan(step.blockCount)
  expect(step.items.map(({ item }) => item.type)).toEqual(['agent_message'])
  expect(step.response.bytes).toBeGreaterThan(0)

  const { blocks, total } = await requestBlocks(
    store,
    { threadId, stepId: last.stepId },
    { from: 0, limit: 200 },
  )
  expect(total).toBe(last.blockCount)
  expect(blocks.map(({ isNew }) => isNew).indexOf(true)).toBe(step.newFrom)
  expect(blocks.every(({ cached }, n) => cached === n < step.cachedTo)).toBe(true)
  expect(blocks.filter(({ kind: each }) => each === 'instructions')[0]?.preview).toContain('You are Baton')
  for (const { idx } of blocks.slice(-12)) {
    const { text, totalChars } = await blockText(
      store,
      { threadId, stepId: last.stepId, idx: idx },
      { offset: 0, limit: 200_000 },
    )
    expect(text).toHaveLength(totalChars)
    expect(totalChars).toBeGreaterThan(0)
  }
  const rules = blocks.find(({ kind: each }) => each === 'world:rules')
  const told = await blockText(
    store,
    { threadId, stepId: last.stepId, idx: rules?.idx ?? -1 },
    { offset: 0, limit: 10_000 },
  )
  expect(told.text).toContain('Answer in one sentence. ü 漢')
  const before = stored[0]
  const seen = await requestBlocks(store, { threadId, stepId: before?.stepId ?? '' }, { from: 0, limit: 200 })
  const asked = seen.blocks.find(({ reason }) => reason === 'message')
  const message = await blockText(
    store,
    { threadId, stepId: before?.stepId ?? '', idx: asked?.idx ?? -1 },
    { offset: 0, limit: 10_000 },
  )
  expect(message.text).toContain('What do you see? <b>&amp;</b> \u2028')
  expect(message.images).toEqual([{ mediaType: 'image/png', bytes: picture.length, hash: sha256(picture) }])

  const same = { threadId, stepId: last.stepId }
  const grown = await requestDifference(store, { threadId, stepId: first.stepId }, same)
  expect(grown).toMatchObject({ sameBlocks: first.blockCount, onlyA: [], cut: false })
  expect(grown.onlyB).toHaveLength(last.blockCount - first.blockCount)
  const handed = await handOverDifference(store, threadId, last.windowId)
  expect(handed).toMatchObject({ reason: 'asked', toWindowId: last.windowId })
  expect(handed.given.length).toBeGreaterThan(3)
  expect(handed.leftTotal.blocks).toBeGreaterThan(stepsInTurn)
  expect(handed.left.some(({ kind: each }) => each === 'tool' || each === 'instructions')).toBe(false)

  const picturePoints = await reader.picture(threadId)
  expect(picturePoints.idx).toHaveLength(stored.length)
  const sums = picturePoints.idx.map((_, n) =>
    picturePoints.tokens.reduce((sum, column) => sum + (column[n] ?? 0), 0),
  )
  expect(Math.min(...sums)).toBeGreaterThan(0)
  // The picture falls at each hand-over and rises between them.
  const falls = sums.filter((sum, n) => n > 0 && sum < (sums[n - 1] ?? 0)).length
  expect(falls).toBe(new Set(picturePoints.windowIndex).size - 1)
})
