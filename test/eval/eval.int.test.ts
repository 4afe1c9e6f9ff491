// Keeps the evaluation honest: the policy knows one request only, searches with the question's words, and a worse
// mechanism is told from the real one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { execCommand } from '../../src/server/tools/exec-command.ts'
import { newContext } from '../../src/server/tools/new-context.ts'
import { notesAppend } from '../../src/server/tools/notes-append.ts'
import { toolSet } from '../../src/server/tools/registry.ts'
import { updatePlan } from '../../src/server/tools/update-plan.ts'
import type { ScriptedModel } from '../scripted-model/scripted-model.ts'
import { evaluate, type Play } from './evaluate.ts'
import { type Change, type EvaluatedModel, openEvaluation } from './harness.ts'
import { looksUp, policy } from './policy.ts'
import { keyWords } from './reading.ts'
import { startPolicy } from './scripted.ts'
import { Task } from './task.ts'
import { generatedTasks } from './tasks.ts'

let server: ScriptedModel
let model: EvaluatedModel
beforeAll(async () => {
  const started = await startPolicy()
  server = started.server
  model = started.model
})
afterAll(async () => {
  await server?.close()
})

const taskOf = (name: string): Task => {
  const found = generatedTasks().find(({ task }) => task === name)
  if (found === undefined) throw new Error(`no task ${name}`)
  return found
}

const play = async (task: Task, change: Change = {}): Promise<Play & { bodies: string[] }> => {
  const evaluation = await openEvaluation(model, change)
  try {
    return {
      ...(await evaluate(evaluation, task, 'windows')),
      bodies: evaluation.seen.map(({ body }) => body),
    }
  } finally {
    await evaluation.close()
  }
}

/** Without what a new window is told of the time before; the request stays well-formed. */
const withoutHint = (body: string): string =>
  body.replace(/<hint>.*?<\/hint>/g, '<hint>\\n</hint>').replace(/<plan>.*?<\/plan>/g, '<plan>\\n</plan>')

/** Question and arguments of each lookup, in order. */
const lookups = (events: readonly ThreadEvent[]): { question: string; input: Record<string, string> }[] => {
  let question = ''
  return events.flatMap((event) => {
    if (event.type !== 'item.completed') return []
    const { item } = event.body
    if (item.type === 'user_message')
      question = item.content.map((part) => ('text' in part ? part.text : '')).join()
    if (item.type !== 'tool_call' || !looksUp(item.tool)) return []
    return [{ question, input: JSON.parse(item.arguments.text) as Record<string, string> }]
  })
}

describe('evaluation of windows', () => {
  it('finds a number by search, with words of its question, from one request at a time', async () => {
    const { outcome, events, bodies } = await play(taskOf('number-read'))
    expect(outcome).toMatchObject({ facts: 2, first: 0, oneCall: 2, twoCalls: 0, lost: 0 })
    expect(outcome.windows).toBeGreaterThanOrEqual(5)
    expect(outcome.tokens).toBeGreaterThan(0)

    const looked = lookups(events)
    expect(looked).toHaveLength(2)
    for (const { question, input } of looked)
      for (const word of keyWords(input.query ?? '')) expect(keyWords(question)).toContain(word)

    // The same answers in any order: nothing is remembered from one request to the next.
    const forward = bodies.map(policy)
    expect(bodies.toReversed().map(policy).toReversed()).toEqual(forward)
    // Before it looked anything up it had no answer.
    const asked = bodies.findIndex((body) => body.includes('Question:'))
    expect(forward[asked]).toMatchObject({ calls: [{ name: 'history_search' }] })
  })

  it.each(['failed-approach', 'cut-from-output'])(
    'needs two calls where one is not enough (%s)',
    async (name) => {
      const { outcome } = await play(taskOf(name))
      expect(outcome).toMatchObject({ facts: 2, first: 0, oneCall: 1, twoCalls: 1, lost: 0 })
    },
  )

  it('sees a plan at once, and by a call when the hint is spoilt', async () => {
    const task = taskOf('thirty-sub-tasks')
    const { outcome } = await play(task)
    expect(outcome).toMatchObject({ facts: 1, first: 1, oneCall: 0, twoCalls: 0, lost: 0 })
    const spoilt = await play(task, { alterBody: withoutHint })
    expect(spoilt.outcome.first).toBe(0)
    expect(spoilt.outcome.lost).toBe(0)
  })

  it('loses what stands only in hint and history when both are taken away', async () => {
    const tools = toolSet([execCommand, updatePlan, newContext, notesAppend])
    const { outcome } = await play(taskOf('thirty-sub-tasks'), { alterBody: withoutHint, tools })
    expect(outcome).toMatchObject({ facts: 1, first: 0, oneCall: 0, twoCalls: 0, lost: 1 })
  })
})

describe('tasks', () => {
  it('are of many kinds, the same for the same seed and others for another', () => {
    const tasks = generatedTasks()
    expect(new Set(tasks.map(({ task }) => task)).size).toBe(tasks.length)
    expect(tasks.length).toBeGreaterThanOrEqual(12)
    expect(generatedTasks()).toEqual(tasks)
    expect(generatedTasks(2)).not.toEqual(tasks)
  })

  it('hold no answer in a question', () => {
    const given = {
      task: 'x',
      turns: [{ say: 'port 4711' }],
      questions: [{ ask: 'is it 4711?', answer: ['4711'] }],
    }
    expect(Task.safeParse(given).success).toBe(false)
  })
})
