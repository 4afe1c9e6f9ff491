import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestRuntime, type TestRuntime } from '../../../test/setup/runtime.ts'
import { answers, calls, ends, says } from '../../../test/setup/scripted-provider.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import { applyEvents } from '../../protocol/fold.ts'
import { newId } from '../../protocol/ids.ts'
import { emptyView } from '../../protocol/view.ts'

let test: TestRuntime
beforeEach(async () => {
  test = await startTestRuntime()
})
afterEach(async () => {
  await test?.close()
})

const isEnd = (event: ThreadEvent) => event.type === 'turn.completed'
const openings = (events: ThreadEvent[]) =>
  events.flatMap((event) =>
    event.type === 'window.opened' ? [{ ...event.body, windowId: event.windowId }] : [],
  )

const talk = async (threadId: string, text: string): Promise<ThreadEvent[]> => {
  const before = (await test.events(threadId)).filter(isEnd).length
  await test.say(threadId, text)
  return test.until(threadId, (_, all) => all.filter(isEnd).length > before)
}

describe('a new window', () => {
  it('that the model asks for goes on in the same turn, with notes and plan in the hint', async () => {
    const plan = [{ step: 'count the beans', status: 'in_progress' }]
    test.play([
      [
        ...calls('a', 'update_plan', { plan }),
        ...calls('b', 'notes_write', { path: 'beans.md', text: 'There are 41.' }, 1),
        ...calls('c', 'new_context', {}, 2),
        ...ends('tool_calls'),
      ],
      answers('It is done.'),
    ])
    const threadId = await test.createThread()
    const events = await talk(threadId, 'Count the beans.')
    expect(openings(events).map(({ index, reason }) => [index, reason])).toEqual([
      [0, 'first_turn'],
      [1, 'asked'],
    ])
    expect(applyEvents(emptyView(), events).gap).toBeNull()
    const row = await test.store.threads.get(threadId)
    expect(row).toMatchObject({ windowIndex: 1, windowId: openings(events)[1]?.windowId, status: 'idle' })
    expect(test.bodies[1]).toContain('beans.md')
    expect(test.bodies[1]).toContain('[>] count the beans')
    expect(test.bodies[1]).toContain('Count the beans.')
    expect(test.bodies[1]).not.toContain('There are 41.')

    const { blocks, next } = await test.runtime.windowBlocks(threadId, row.windowId, 0, 3)
    expect(blocks).toHaveLength(3)
    expect(next).toBe(3)
    const rest = await test.runtime.windowBlocks(threadId, row.windowId, 0, 500)
    expect(rest.next).toBeNull()
    expect(rest.blocks.find(({ reason }) => reason === 'message')?.preview).toBe('Count the beans.')
    expect(Math.max(...rest.blocks.map(({ preview }) => preview.length))).toBeLessThanOrEqual(200)
    const other = await test.createThread()
    await expect(test.runtime.windowBlocks(other, row.windowId, 0, 3)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('that a person asks for between turns is opened at once, with their words; pins come along', async () => {
    test.play([answers('Forty-one.')])
    const threadId = await test.createThread()
    const early = await test.send(threadId, { type: 'window.start' })
    expect(early).toMatchObject({ status: 'refused', error: { code: 'op_refused' } })
    const events = await talk(threadId, 'How many beans?')
    const said = events.findLast(
      (event) => event.type === 'item.completed' && event.body.item.type === 'agent_message',
    )
    const pin = await test.send(threadId, { type: 'window.pin', itemId: said?.itemId ?? '', pinned: true })
    expect(pin.status).toBe('applied')
    expect((await test.store.threads.get(threadId)).pinnedItems).toEqual([said?.itemId])
    const strange = await test.send(threadId, { type: 'window.pin', itemId: newId('itm'), pinned: true })
    expect(strange).toMatchObject({ status: 'refused', error: { code: 'not_found' } })

    const receipt = await test.send(threadId, { type: 'window.start', focus: 'Only the red ones matter.' })
    expect(['accepted', 'applied']).toContain(receipt.status)
    const after = await test.until(
      threadId,
      (event) => event.type === 'window.opened' && event.body.index === 1,
    )
    expect(openings(after)[1]).toMatchObject({
      reason: 'person',
      focus: 'Only the red ones matter.',
      pinned: [said?.itemId],
    })
    test.play([answers('Twelve.')])
    await talk(threadId, 'And the red ones?')
    const body = test.bodies.at(-1) ?? ''
    expect(body).toContain('Only the red ones matter.')
    expect(body).toContain('Forty-one.')
    expect(body).toContain('And the red ones?')
    expect((await test.store.ops.get(threadId, receipt.opId))?.status).toBe('applied')
    const unpin = await test.send(threadId, { type: 'window.pin', itemId: said?.itemId ?? '', pinned: false })
    expect(unpin.status).toBe('applied')
    expect((await test.store.threads.get(threadId)).pinnedItems).toEqual([])
  })

  it('for which a model writes between turns keeps nobody waiting; what is said meanwhile comes after it', async () => {
    test.play([answers('Forty-one.')])
    const threadId = await test.createThread()
    await test.send(threadId, { type: 'thread.settings', settings: { strategy: 'handoff' } })
    await talk(threadId, 'How many beans?')
    const model = Promise.withResolvers<void>()
    test.play([[model.promise, ...answers('The document: 41 beans.')], answers('Twelve.')])
    const asked = await test.send(threadId, { type: 'window.start' })
    const said = await test.say(threadId, 'And the red ones?')
    expect(said.status).toBe('queued')
    model.resolve()
    const events = await test.until(threadId, (_, all) => all.filter(isEnd).length === 2)
    expect(openings(events).map(({ reason }) => reason)).toEqual(['first_turn', 'person'])
    expect(test.bodies.at(-1)).toContain('The document: 41 beans.')
    expect(test.bodies.at(-1)?.match(/And the red ones/g)).toHaveLength(1)
    expect((await test.store.ops.get(threadId, asked.opId))?.status).toBe('applied')
    expect(applyEvents(emptyView(), events).gap).toBeNull()
  })

  it('that a crash keeps from being written between turns is opened after the restart, once', async () => {
    test.play([answers('Forty-one.')])
    const threadId = await test.createThread()
    await test.send(threadId, { type: 'thread.settings', settings: { strategy: 'handoff' } })
    await talk(threadId, 'How many beans?')
    test.play([[new Promise(() => undefined)]])
    const asked = await test.send(threadId, { type: 'window.start' })
    await test.until(threadId, (_, all) => all.filter(({ type }) => type === 'step.started').length === 2)
    test.play([answers('The document: 41 beans.'), answers('Twelve.')])
    await test.restart('crash')
    await test.until(threadId, (event) => event.type === 'window.opened' && event.body.index === 1)
    const events = await talk(threadId, 'And the red ones?')
    expect(openings(events).map(({ reason }) => reason)).toEqual(['first_turn', 'person'])
    expect(test.bodies.at(-1)).not.toContain('<hand_over_request>')
    expect((await test.store.ops.get(threadId, asked.opId))?.status).toBe('applied')
  })

  it('is gone on in after a crash, from what is stored', async () => {
    test.play([[...calls('a', 'new_context', {}), ...ends('tool_calls')], [new Promise(() => undefined)]])
    const threadId = await test.createThread()
    await test.say(threadId, 'Count the beans.')
    await test.until(threadId, (_, all) => all.filter(({ type }) => type === 'step.started').length === 2)
    test.play([answers('Forty-one.')])
    await test.restart('crash')
    const events = await test.until(threadId, isEnd)
    expect(openings(events)).toHaveLength(2)
    expect(test.bodies.at(-1)?.match(/"Count the beans\."/g)).toHaveLength(1)
    expect(applyEvents(emptyView(), events).gap).toBeNull()
  })

  it('is made by a thread’s own figures, and the strategy can be changed', async () => {
    test.play([
      [...calls('a', 'list_dir', { path: '.' }), ...ends('tool_calls', 21_000)],
      [...says('The document: count beans.'), ...ends('end', 21_100)],
      answers('Done.'),
    ])
    const threadId = await test.createThread()
    const settings = { strategy: 'handoff' as const, window: { limitTokens: 20_000, bufferTokens: 0 } }
    expect((await test.send(threadId, { type: 'thread.settings', settings })).status).toBe('applied')
    const events = await talk(threadId, 'Count the beans.')
    expect(openings(events)[1]).toMatchObject({
      reason: 'budget',
      strategy: 'handoff',
      limitTokens: 20_000,
      hint: { text: 'The document: count beans.' },
    })
    expect(test.bodies.at(-1)).toContain('The document: count beans.')
  })
})

describe('a hand-over document', () => {
  /** A thread with one turn behind it, whose next window is written for by a model that never ends. */
  const writing = async (): Promise<{ threadId: string; opId: string; stepId: string }> => {
    test.play([answers('Forty-one.')])
    const threadId = await test.createThread({ strategy: 'handoff' })
    await talk(threadId, 'How many beans?')
    test.play([[...says('The document begins').slice(0, 2), new Promise(() => undefined)]])
    const { opId } = await test.send(threadId, { type: 'window.start' })
    const events = await test.until(threadId, (event) => isDocument(event))
    return { threadId, opId, stepId: events.find(isDocument)?.stepId ?? '' }
  }
  const isDocument = (event: ThreadEvent): boolean =>
    event.type === 'step.started' && event.body.purpose === 'hand_over_document'
  const shown = async (threadId: string) => {
    const view = emptyView()
    applyEvents(view, await test.events(threadId))
    return view.document?.value ?? null
  }

  it('written between turns is seen, and stopped by a person: the window goes on from notes and history', async () => {
    const { threadId, opId, stepId } = await writing()
    expect(await shown(threadId)).toMatchObject({ stepId })
    expect((await test.store.threads.get(threadId)).status).toBe('working')
    const wrong = await test.send(threadId, { type: 'document.stop', stepId: newId('stp') })
    expect(wrong).toMatchObject({ status: 'refused', error: { code: 'op_refused' } })
    const stop = await test.send(threadId, { type: 'document.stop', stepId })
    expect(stop.status).toBe('applied')
    const events = await test.until(
      threadId,
      (event) => event.type === 'window.opened' && event.body.index === 1,
    )
    expect(openings(events)[1]).toMatchObject({ reason: 'person', strategy: 'handoff' })
    expect(events.find((event) => event.type === 'step.cut')).toMatchObject({ stepId })
    const notices = events.flatMap((event) =>
      event.type === 'item.completed' && event.body.item.type === 'notice' ? [event.body.item.kind] : [],
    )
    expect(notices).toEqual(['handoff_failed'])
    await expect
      .poll(async () => (await test.store.ops.get(threadId, opId))?.status, { timeout: 60_000 })
      .toBe('applied')
    expect(await shown(threadId)).toBeNull()
    expect((await test.store.threads.get(threadId)).status).toBe('idle')
    const late = await test.send(threadId, { type: 'document.stop', stepId })
    expect(late).toMatchObject({ status: 'refused', error: { code: 'op_refused' } })
    test.play([answers('Twelve.')])
    await talk(threadId, 'And the red ones?')
    expect(test.bodies.at(-1)).toContain('<hint>')
    expect(test.bodies.at(-1)).not.toContain('<hand_over_request>')
  })

  it('within a turn is stopped without the turn', async () => {
    test.play([
      [...calls('a', 'list_dir', { path: '.' }), ...ends('tool_calls', 21_000)],
      [new Promise(() => undefined)],
    ])
    const window = { limitTokens: 20_000, bufferTokens: 0 }
    const threadId = await test.createThread({ strategy: 'handoff', window })
    await test.say(threadId, 'Count the beans.')
    const events = await test.until(threadId, isDocument)
    const stepId = events.find(isDocument)?.stepId ?? ''
    expect(await shown(threadId)).toMatchObject({ turnId: events.find(isDocument)?.turnId })
    test.play([answers('Forty-one.')])
    expect((await test.send(threadId, { type: 'document.stop', stepId })).status).toBe('applied')
    const after = await test.until(threadId, isEnd)
    expect(openings(after).map(({ reason }) => reason)).toEqual(['first_turn', 'budget'])
    expect(test.bodies.at(-1)).toContain('<hint>')
    expect(await shown(threadId)).toBeNull()
  })

  it('whose server died is not shown as if somebody wrote it, and is asked for again', async () => {
    const { threadId, opId, stepId } = await writing()
    test.play([answers('The document: 41 beans.')])
    await test.restart('crash')
    const events = await test.until(
      threadId,
      (event) => event.type === 'window.opened' && event.body.index === 1,
    )
    expect(events.find((event) => event.type === 'step.cut')).toMatchObject({ stepId })
    expect(openings(events)[1]?.hint?.text).toBe('The document: 41 beans.')
    expect(await shown(threadId)).toBeNull()
    await expect
      .poll(async () => (await test.store.ops.get(threadId, opId))?.status, { timeout: 60_000 })
      .toBe('applied')
    expect((await test.store.threads.get(threadId)).status).toBe('idle')
  })
})
