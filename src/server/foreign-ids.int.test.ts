/**
 * Ids within ids: whoever may use a thread names in it what belongs to another one. Nothing of that is given, and nothing
 * is done to it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedRollout } from '../../test/bench/parts/seed-rollout.ts'
import { openTestTeam, type Person, type TestTeam } from '../../test/setup/team.ts'
import type { ThreadEvent } from '../protocol/event.ts'
import { newId } from '../protocol/ids.ts'
import type { Op } from '../protocol/op.ts'

type Ids = {
  threadId: string
  windowId: string
  stepId: string
  itemId: string
  turnId: string
  commandId: string
  commentId: string
}

let team: TestTeam
let ann: Person
let bob: Person
let mine: Ids
let theirs: Ids
let projectId: string

const made = async (person: Person): Promise<Ids> => {
  const { threadId } = await seedRollout(team.store, { projectId, ownerId: person.userId, events: 400 })
  const events = await team.store.log.after(threadId, 0, 1_000)
  const of = (key: 'windowId' | 'stepId' | 'itemId' | 'turnId'): string =>
    events.map((event: ThreadEvent) => event[key]).find((id) => id !== undefined) ?? ''
  const commandId =
    events.flatMap((event) => (event.type === 'command.started' ? [event.body.commandId] : []))[0] ??
    newId('cmd')
  const ids = { windowId: of('windowId'), stepId: of('stepId'), itemId: of('itemId'), turnId: of('turnId') }
  const commentId = newId('cmt')
  await person.api.review.comment.mutate({
    ...{ threadId, commentId, text: 'a private remark' },
    on: { stepId: ids.stepId },
  })
  return { threadId, ...ids, commandId, commentId }
}

beforeAll(async () => {
  team = await openTestTeam()
  ann = await team.join('member', 'Ann')
  bob = await team.join('member', 'Bob')
  projectId = (await ann.api.project.create.mutate({ name: 'Two' })).id
  mine = await made(ann)
  theirs = await made(bob)
}, 180_000)
afterAll(() => team?.close())

/** What came back, or the code of the fault. */
const answer = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call
  } catch (error) {
    const code = (error as { data?: { fact?: { code?: string } } }).data?.fact?.code
    return code === undefined ? String(error) : { code }
  }
}
const isNothing = (value: unknown): boolean => {
  if (value === null || (Array.isArray(value) && value.length === 0)) return true
  if (typeof value !== 'object') return false
  const { code, entries, comments, blocks } = value as Record<string, unknown>
  if (code !== undefined)
    return ['not_found', 'forbidden', 'bad_input', 'op_refused', 'command_lost'].includes(String(code))
  return [entries, comments, blocks].some((list) => Array.isArray(list) && list.length === 0)
}

describe('SEC-40 nested ids', () => {
  test('what is read under one’s own thread is one’s own thread’s', async () => {
    const { threadId } = mine
    const { api } = ann
    const reads: Record<string, (ids: Ids) => Promise<unknown>> = {
      'thread.windowBlocks': ({ windowId }) => api.thread.windowBlocks.query({ threadId, windowId }),
      'thread.commandOutput': ({ commandId }) =>
        api.thread.commandOutput.query({ threadId, commandId, from: 0 }),
      'history.items': ({ windowId }) => api.history.items.query({ threadId, windowId }),
      'history.item': ({ itemId }) => api.history.item.query({ threadId, itemId }),
      'history.search': ({ windowId }) => api.history.search.query({ threadId, windowId, text: 'the' }),
      'rollout.step': ({ stepId }) => api.rollout.step.query({ threadId, stepId }),
      'rollout.blocks': ({ stepId }) => api.rollout.blocks.query({ threadId, stepId }),
      'rollout.block': ({ stepId }) => api.rollout.block.query({ threadId, stepId, idx: 0 }),
      'rollout.difference': ({ stepId }) =>
        api.rollout.difference.query({ threadId, a: mine.stepId, b: stepId }),
      'rollout.handOver': ({ windowId }) => api.rollout.handOver.query({ threadId, windowId }),
      'rollout.locate step': ({ stepId }) => api.rollout.locate.query({ threadId, place: { stepId } }),
      'rollout.locate item': ({ itemId }) => api.rollout.locate.query({ threadId, place: { itemId } }),
      'rollout.locate turn': ({ turnId }) => api.rollout.locate.query({ threadId, place: { turnId } }),
      'compare.windows': ({ stepId }) =>
        api.compare.windows.query({ a: threadId, b: threadId, stepA: mine.stepId, stepB: stepId }),
      'review.comments': ({ stepId }) => api.review.comments.query({ threadId, place: { stepId } }),
      'review.commentChanges': ({ commentId }) => api.review.commentChanges.query({ threadId, commentId }),
    }
    const leaks: string[] = []
    for (const [name, read] of Object.entries(reads)) {
      const got = await answer(read(theirs))
      if (!isNothing(got)) leaks.push(`${name}: ${JSON.stringify(got)?.slice(0, 200)}`)
      expect(JSON.stringify(got) ?? '').not.toContain('a private remark')
    }
    expect(leaks).toEqual([])
  })

  test('what is done under one’s own thread is done to that alone', async () => {
    const { threadId } = mine
    const { api } = ann
    const { commentId } = theirs
    const on = (place: { stepId: string } | { itemId: string } | { replyTo: string }) =>
      api.review.comment.mutate({ threadId, commentId: newId('cmt'), text: 'x', on: place })
    const changes: Record<string, () => Promise<unknown>> = {
      'comment on a step': () => on({ stepId: theirs.stepId }),
      'comment on an item': () => on({ itemId: theirs.itemId }),
      answer: () => on({ replyTo: commentId }),
      edit: () => api.review.edit.mutate({ threadId, commentId, text: 'mine now', version: 1 }),
      remove: () => api.review.remove.mutate({ threadId, commentId }),
      resolve: () => api.review.resolve.mutate({ threadId, commentId, resolved: true }),
      'a comment under the other thread': () =>
        api.review.comment.mutate({
          ...{ threadId: theirs.threadId, commentId: newId('cmt'), text: 'x' },
          on: { stepId: theirs.stepId },
        }),
    }
    for (const [name, change] of Object.entries(changes))
      expect([name, isNothing(await answer(change()))]).toEqual([name, true])
    const { comments } = await bob.api.review.comments.query({ threadId: theirs.threadId })
    expect(comments).toMatchObject([{ id: commentId, text: 'a private remark', resolvedAt: null }])
  })

  test('ops that name what another thread has are refused', async () => {
    const own = await ann.api.thread.create.mutate({ projectId, title: 'Mine' })
    const ops: Op[] = [
      { type: 'turn.interrupt', turnId: theirs.turnId },
      { type: 'turn.steer', expectedTurnId: theirs.turnId, content: [{ type: 'text', text: 'x' }] },
      { type: 'queue.cancel', opId: newId('op') },
      { type: 'input.answer', itemId: theirs.itemId, answers: [] as never },
      { type: 'window.pin', itemId: theirs.itemId, pinned: true },
      { type: 'command.kill', commandId: theirs.commandId },
      { type: 'document.stop', stepId: theirs.stepId },
      { type: 'thread.rewind', beforeTurnId: theirs.turnId, files: false },
    ]
    const before = await team.store.log.head(theirs.threadId)
    for (const op of ops) {
      const got = (await answer(
        ann.api.thread.submit.mutate({ threadId: own.id, clientId: newId('op'), op }),
      )) as { status?: string; code?: string }
      expect([op.type, got.status === 'refused' || got.code !== undefined]).toEqual([op.type, true])
      const foreign = ann.api.thread.submit.mutate({ threadId: theirs.threadId, clientId: newId('op'), op })
      expect([op.type, await answer(foreign)]).toEqual([
        op.type,
        { code: expect.stringMatching(/not_found|bad_input/) },
      ])
    }
    expect(await team.store.log.head(theirs.threadId)).toBe(before)
  })
})
