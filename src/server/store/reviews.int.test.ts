import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asked, called, loggedThread, said } from '../../../test/setup/logged-thread.ts'
import { makeThread, openTestStore, type TestStore } from '../../../test/setup/store.ts'
import type { NewEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import type { ReviewChange } from '../../protocol/review.ts'

let test: TestStore
beforeAll(async () => {
  test = await openTestStore()
})
afterAll(async () => {
  await test?.close()
})

const ada = newId('usr')
const bob = newId('usr')

const fresh = async () => {
  const thread = await loggedThread(test.store)
  const question = asked('why does it fail?')
  const call = called('read_file', { path: 'a.ts' }, 'text')
  const stepId = newId('stp')
  const step: NewEvent = {
    type: 'step.started',
    windowId: thread.windowId,
    turnId: newId('trn'),
    stepId,
    actorId: 'agent',
    body: { index: 1, blockCount: 1, newBlocks: 1, bodySha256: 'a'.repeat(64), estimatedTokens: 1 },
  }
  const [first, second] = await thread.write(question, step, call, said('because'))
  return { ...thread, question, call, stepId, seqs: [first?.seq, second?.seq] }
}
const write = (threadId: string, text: string, on: object, authorId = ada, commentId = newId('cmt')) =>
  test.store.reviews.comment({ commentId, threadId, authorId, text, on: on as { itemId: string } })

/** Turns that a thread has, as its projection says. */
const setTurns = async (threadId: string, turns: number, status = 'idle'): Promise<void> => {
  const client = new pg.Client({ connectionString: test.url })
  await client.connect()
  await client.query(
    `update "ThreadProjection" set status = $2, state = (state::jsonb || jsonb_build_object('turns', $3::int, 'status', $2::text))::json
     where "threadId" = $1`,
    [threadId, status, turns],
  )
  await client.end()
}

describe('comments', () => {
  it('stand on an item or a step of their own thread, in the order of the log', async () => {
    const { threadId, question, call, stepId, seqs } = await fresh()
    const onCall = await write(threadId, 'wrong file', { itemId: call.id })
    const onStep = await write(threadId, 'why this?', { stepId })
    const onQuestion = await write(threadId, 'unclear', { itemId: question.id })
    const answer = await write(threadId, 'indeed', { replyTo: onStep.id }, bob)
    expect([onQuestion.seq, onStep.seq]).toEqual(seqs)
    expect(answer).toMatchObject({ stepId, itemId: null, seq: onStep.seq, replyTo: onStep.id, authorId: bob })
    const page = await test.store.reviews.comments(threadId, { limit: 100 })
    expect(page.comments.map(({ text }) => text)).toEqual(['unclear', 'why this?', 'indeed', 'wrong file'])
    expect(page).toMatchObject({ total: 4, next: null })
    const ofStep = await test.store.reviews.comments(threadId, { place: { stepId }, limit: 1 })
    expect(ofStep).toMatchObject({ total: 2, next: '1', comments: [{ text: 'why this?' }] })
    expect(
      (await test.store.reviews.comments(threadId, { place: { stepId }, limit: 1, after: '1' })).comments,
    ).toMatchObject([{ text: 'indeed' }])
    expect(onCall.createdAt).toBeGreaterThan(1_600_000_000_000)
  })

  it('of places that are unknown, or of another thread, are not found', async () => {
    const one = await fresh()
    const other = await fresh()
    const root = await write(other.threadId, 'theirs', { stepId: other.stepId })
    for (const on of [
      { itemId: newId('itm') },
      { stepId: newId('stp') },
      { itemId: other.call.id },
      { stepId: other.stepId },
      { replyTo: root.id },
      { replyTo: newId('cmt') },
    ])
      await expect(write(one.threadId, 'x', on)).rejects.toMatchObject({ code: 'not_found' })
    const foreign = { threadId: one.threadId, commentId: root.id, actorId: ada }
    await expect(test.store.reviews.edit(foreign, 'x', 1)).rejects.toMatchObject({ code: 'not_found' })
    await expect(test.store.reviews.remove(foreign)).rejects.toMatchObject({ code: 'not_found' })
    await expect(test.store.reviews.resolve(foreign, true)).rejects.toMatchObject({ code: 'not_found' })
    await expect(test.store.reviews.changes(one.threadId, root.id, null, 10)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await test.store.reviews.comments(one.threadId, { limit: 9 })).total).toBe(0)
  })

  it('sent twice are one; an id that stands for another is refused', async () => {
    const { threadId, stepId } = await fresh()
    const id = newId('cmt')
    const [first, second] = await Promise.all([
      write(threadId, 'once', { stepId }, ada, id),
      write(threadId, 'once', { stepId }, ada, id),
    ])
    expect(second).toEqual(first)
    await expect(write(threadId, 'other', { stepId }, ada, id)).rejects.toMatchObject({ code: 'conflict' })
    expect((await test.store.reviews.changes(threadId, id, null, 9)).map(({ action }) => action)).toEqual([
      'written',
    ])
  })

  it('keep every text with who and when, through edits and deletion', async () => {
    const { threadId, stepId } = await fresh()
    const { id } = await write(threadId, 'one', { stepId })
    const mine = { threadId, commentId: id, actorId: ada }
    expect(await test.store.reviews.edit(mine, 'two', 1)).toMatchObject({ text: 'two', version: 2 })
    await test.store.reviews.resolve({ ...mine, actorId: bob }, true)
    await test.store.reviews.resolve({ ...mine, actorId: bob }, true)
    await test.store.reviews.resolve(mine, false)
    const gone = await test.store.reviews.remove(mine)
    expect(gone).toMatchObject({ text: '', version: 3, resolvedAt: null })
    expect(gone.deletedAt).not.toBeNull()
    await expect(test.store.reviews.edit(mine, 'three', 3)).rejects.toMatchObject({ code: 'conflict' })
    const changes = await test.store.reviews.changes(threadId, id, null, 50)
    expect(changes.map(({ action, text, actorId }) => [action, text, actorId])).toEqual([
      ['deleted', null, ada],
      ['reopened', null, ada],
      ['resolved', null, bob],
      ['edited', 'two', ada],
      ['written', 'one', ada],
    ])
    expect((await test.store.reviews.changes(threadId, id, 3, 1)).map(({ number }) => number)).toEqual([2])
    expect((await test.store.reviews.summary(threadId)).marks).toEqual({
      [stepId]: { total: 0, open: 0, deleted: 1 },
    })
  })

  it('of two who edit at once one is told, and both texts are kept where they were saved', async () => {
    const { threadId, stepId } = await fresh()
    const { id } = await write(threadId, 'one', { stepId })
    const mine = { threadId, commentId: id, actorId: ada }
    const both = await Promise.allSettled([
      test.store.reviews.edit(mine, 'from the left', 1),
      test.store.reviews.edit(mine, 'from the right', 1),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = both.find((each) => each.status === 'rejected')
    expect(lost?.reason).toMatchObject({ code: 'conflict', details: { version: 2 } })
    // Saved over what is there now, on purpose.
    const over = await test.store.reviews.edit(mine, 'after all', 2)
    expect(over).toMatchObject({ text: 'after all', version: 3 })
    expect((await test.store.reviews.changes(threadId, id, null, 9)).length).toBe(3)
  })

  it('are changed by who wrote them alone; what is answered is resolved, not the answer', async () => {
    const { threadId, stepId } = await fresh()
    const root = await write(threadId, 'one', { stepId })
    const answer = await write(threadId, 'two', { replyTo: root.id }, bob)
    const asBob = { threadId, commentId: root.id, actorId: bob }
    await expect(test.store.reviews.edit(asBob, 'x', 1)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(test.store.reviews.remove(asBob)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      test.store.reviews.resolve({ threadId, commentId: answer.id, actorId: bob }, true),
    ).rejects.toMatchObject({ code: 'bad_input' })
    await expect(write(threadId, 'x', { replyTo: answer.id })).rejects.toMatchObject({ code: 'bad_input' })
    expect((await test.store.reviews.summary(threadId)).marks).toEqual({
      [stepId]: { total: 2, open: 1, deleted: 0 },
    })
    await test.store.reviews.resolve(asBob, true)
    expect((await test.store.reviews.summary(threadId)).marks).toEqual({
      [stepId]: { total: 2, open: 0, deleted: 0 },
    })
    expect((await test.store.reviews.comments(threadId, { open: true, limit: 9 })).comments).toEqual([])
  })

  it('one page stays under a megabyte however long they are', async () => {
    const { threadId, stepId } = await fresh()
    for (let n = 0; n < 80; n += 1) await write(threadId, '界'.repeat(5_000), { stepId })
    const page = await test.store.reviews.comments(threadId, { limit: 100 })
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(1_000_000)
    const rest = await test.store.reviews.comments(threadId, { limit: 100, after: page.next ?? '' })
    expect(page.comments.length + rest.comments.length).toBe(80)
    expect(rest.next).toBeNull()
  })

  it('go with their thread, and tell whoever listens', async () => {
    const { threadId, stepId, remove } = await fresh()
    const heard: ReviewChange[] = []
    const stop = test.store.reviews.onChange((change) => heard.push(change))
    const { id } = await write(threadId, 'one', { stepId })
    await remove()
    await expect(
      test.store.reviews.edit({ threadId, commentId: id, actorId: ada }, 'x', 1),
    ).rejects.toMatchObject({ code: 'not_found' })
    await expect(write(threadId, 'x', { stepId })).rejects.toMatchObject({ code: 'not_found' })
    stop()
    expect(heard.filter((change) => change.type === 'thread' && change.threadId === threadId)).toEqual([
      { type: 'thread', threadId, what: 'comments' },
    ])
  })
})

describe('verdicts', () => {
  const judge = (threadId: string, baseVersion: number, more: object = {}) =>
    test.store.reviews.review({
      threadId,
      reviewerId: ada,
      action: 'given' as const,
      verdict: 'accepted' as const,
      reason: '',
      baseVersion,
      ...more,
    })

  it('keep every version, one newest for each reviewer', async () => {
    const { threadId } = await fresh()
    await setTurns(threadId, 2)
    expect(await judge(threadId, 0)).toMatchObject({ version: 1, verdict: 'accepted', turns: 2 })
    await judge(threadId, 1, { verdict: 'needs_work', reason: 'tests are missing' })
    await judge(threadId, 0, { reviewerId: bob, verdict: 'rejected', reason: 'wrong branch' })
    expect(await judge(threadId, 2, { action: 'set_aside' })).toMatchObject({
      version: 3,
      action: 'set_aside',
      verdict: 'needs_work',
      reason: 'tests are missing',
    })
    expect(await judge(threadId, 3, { action: 'withdrawn' })).toMatchObject({ verdict: null, turns: 0 })
    const { reviews } = await test.store.reviews.summary(threadId)
    expect(reviews.map(({ reviewerId, version }) => [reviewerId, version])).toEqual([
      [ada, 4],
      [bob, 1],
    ])
    expect((await test.store.reviews.reviews(threadId)).map(({ version }) => version)).toEqual([
      4, 3, 1, 2, 1,
    ])
  })

  it('given in two tabs at once: the second is told', async () => {
    const { threadId } = await fresh()
    const both = await Promise.allSettled([judge(threadId, 0), judge(threadId, 0, { verdict: 'rejected' })])
    const lost = both.find((each) => each.status === 'rejected')
    expect(lost?.reason).toMatchObject({ code: 'conflict', details: { version: 1 } })
    expect(await test.store.reviews.reviews(threadId)).toHaveLength(1)
  })

  it('of a thread that is gone are not found', async () => {
    await expect(judge(newId('thr'), 0)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('labels', () => {
  it('have one name each, whatever its case, until they are removed', async () => {
    const flaky = await test.store.reviews.createLabel(
      { name: 'Flaky', colour: 'orange', description: '' },
      ada,
    )
    await expect(
      test.store.reviews.createLabel({ name: 'flaky', colour: 'red', description: '' }, ada),
    ).rejects.toMatchObject({ code: 'conflict' })
    const gone = await test.store.reviews.changeLabel(flaky.id, { removed: true }, ada)
    expect(gone.removedAt).not.toBeNull()
    const again = await test.store.reviews.createLabel({ name: 'flaky', colour: 'red', description: '' }, ada)
    await expect(test.store.reviews.changeLabel(flaky.id, { removed: false }, ada)).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await test.store.reviews.changeLabel(again.id, { name: 'Flakes' }, ada)).toMatchObject({
      name: 'Flakes',
      colour: 'red',
    })
    await expect(test.store.reviews.changeLabel(newId('lbl'), { name: 'x' }, ada)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('are put on and taken off, with who did it', async () => {
    const { threadId } = await fresh()
    const made = (name: string) =>
      test.store.reviews.createLabel({ name, colour: 'blue', description: '' }, ada)
    const [one, two] = [await made('one'), await made('two')]
    await test.store.reviews.label(threadId, [one.id, two.id, one.id], [], ada)
    await test.store.reviews.label(threadId, [one.id], [two.id], bob)
    const { labels } = await test.store.reviews.summary(threadId)
    expect(labels).toMatchObject([{ labelId: one.id, actorId: ada }])
    const changes = await test.store.reviews.labelChanges(threadId)
    expect(changes[0]).toMatchObject({ labelId: two.id, action: 'removed', actorId: bob })
    expect(changes).toHaveLength(3)
    await expect(test.store.reviews.label(threadId, [newId('lbl')], [], ada)).rejects.toMatchObject({
      code: 'not_found',
    })
    await test.store.reviews.changeLabel(two.id, { removed: true }, ada)
    await expect(test.store.reviews.label(threadId, [two.id], [], ada)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await test.store.reviews.vocabulary()).find(({ id }) => id === one.id)?.used).toBe(1)
  })
})

describe('the queue', () => {
  it('holds what is at rest with turns that nobody judged, and what came after', async () => {
    const owner = newId('usr')
    const leaseOwner = newId('own')
    await test.store.leases.register({ ownerId: leaseOwner, installId: 'test', worker: leaseOwner })
    const made = async (turns: number, status?: string): Promise<string> => {
      const { threadId } = await makeThread(test.store, leaseOwner, owner)
      await setTurns(threadId, turns, status)
      return threadId
    }
    const [fine, running, empty, failed] = [
      await made(1),
      await made(2, 'working'),
      await made(0),
      await made(3, 'failed'),
    ]
    await made(1)
    const heap = async (name: 'to_review' | 'mine' | 'done', more: object = {}) =>
      test.store.reviews.queue({ heap: name, actorId: owner, limit: 50, ...more })
    const first = await heap('to_review')
    expect(first.counts).toEqual({ to_review: 3, mine: 0, done: 0 })
    expect(first.lines.map(({ threadId }) => threadId)).not.toContain(running)
    expect(first.lines.map(({ threadId }) => threadId)).not.toContain(empty)
    const pageOne = await heap('to_review', { limit: 2 })
    const pageTwo = await heap('to_review', { limit: 2, after: pageOne.next ?? '' })
    expect([...pageOne.lines, ...pageTwo.lines].map(({ threadId }) => threadId)).toEqual(
      first.lines.map(({ threadId }) => threadId),
    )
    expect(pageTwo.next).toBeNull()
    await expect(heap('to_review', { after: 'x' })).rejects.toMatchObject({ code: 'bad_input' })

    const given = { action: 'given', verdict: 'accepted', reason: '' } as const
    await test.store.reviews.review({ ...given, threadId: fine, reviewerId: owner, baseVersion: 0 })
    await test.store.reviews.review({
      ...given,
      threadId: failed,
      reviewerId: owner,
      baseVersion: 0,
      action: 'set_aside',
      verdict: null,
    })
    expect((await heap('done')).counts).toEqual({ to_review: 1, mine: 2, done: 2 })
    expect((await heap('done', { verdict: 'accepted' })).lines).toMatchObject([
      { threadId: fine, reviews: [{ verdict: 'accepted' }] },
    ])
    expect(await test.store.reviews.reviewedTurns(owner)).toEqual({ [fine]: 1, [failed]: 3 })
    // Another turn: to be looked at again.
    await setTurns(fine, 2)
    expect((await heap('to_review')).lines.map(({ threadId }) => threadId)).toContain(fine)
    expect((await test.store.reviews.queue({ heap: 'to_review', actorId: ada, limit: 9 })).lines).toEqual([])
  })
})
