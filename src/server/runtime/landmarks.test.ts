import { expect, it } from 'vitest'
import type { ThreadEvent } from '../../protocol/event.ts'
import { noLandmarks } from '../../protocol/thread.ts'
import { nextLandmarks } from './landmarks.ts'

const after = (events: { type: string; body: unknown }[]) =>
  events.reduce(
    (known, event, at) => nextLandmarks(known, { ...event, seq: at + 1 } as unknown as ThreadEvent),
    noLandmarks,
  )
const item = (value: object) => ({ type: 'item.completed', body: { item: value } })
const call = (state: object) => item({ type: 'tool_call', state })
const ran = (exitCode: number | null) =>
  call({ status: 'succeeded', detail: { type: 'command', exitCode, running: exitCode === null } })

it('landmarks are the first and the newest requests, the newest plan, and the last failure', () => {
  const said = item({ type: 'user_message' })
  expect(
    after([said, said, item({ type: 'plan' }), said, ran(0), ran(2), said, item({ type: 'agent_message' })]),
  ).toEqual({ ...noLandmarks, goal: 1, requests: [2, 4, 7], plan: 3, failure: 6, answer: 8 })
  expect(after([ran(0), ran(null), call({ status: 'refused' })]).failure).toBeNull()
  expect(after([call({ status: 'failed' }), { type: 'turn.limited', body: {} }]).failure).toBe(2)
})

it('a command is a landmark while it runs', () => {
  const event = (type: string, commandId: string) => ({ type, body: { commandId } })
  expect(
    after([event('command.started', 'a'), event('command.started', 'b'), event('command.exited', 'a')])
      .commands,
  ).toEqual([{ commandId: 'b', seq: 2 }])
})

it('a wish for a window is a landmark until one is opened, or is told not to be', () => {
  const wish = call({ status: 'succeeded', detail: { type: 'other' } })
  const named = { type: wish.type, body: { item: { ...wish.body.item, tool: 'new_context' } } }
  const opened = { type: 'window.opened', body: {} }
  const warned = (kind: string) => ({ type: 'window.warned', body: { kind } })
  expect(after([wish]).renewal).toBeNull()
  expect(after([opened, named]).renewal).toBe(2)
  expect(after([named, opened]).renewal).toBeNull()
  expect(after([named, warned('reminder')]).renewal).toBe(1)
  expect(after([named, warned('not_renewed')]).renewal).toBeNull()
})

it('the last rules and the last question that was answered are landmarks', () => {
  const question = (more: object) => item({ type: 'question', ...more })
  const rules = { type: 'rules.changed', body: { files: [], text: { text: '' } } }
  const known = after([rules, question({ answers: { q: ['x'] } }), rules, question({ withdrawn: true })])
  expect([known.rules, known.question]).toEqual([3, 2])
})
