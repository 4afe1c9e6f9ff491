/** Plays a task to its end in one strategy, and counts where each fact was found. */
import type { ThreadEvent } from '../../src/protocol/event.ts'
import type { Strategy } from '../../src/protocol/settings.ts'
import { median } from '../setup/figures.ts'
import { type Conversation, converse, type Evaluation, type Size, type Turn } from './harness.ts'
import { looksUp } from './policy.ts'
import type { Question, Task } from './task.ts'

/** One line of the report. Tokens: input and output of all steps. Milliseconds: median over the hand-overs. */
export type Outcome = {
  strategy: Strategy
  task: string
  windows: number
  facts: number
  first: number
  oneCall: number
  twoCalls: number
  lost: number
  tokens: number
  handoverMs: number
}

/** A fact is asked for so many windows after the last that held it, and in a thread of so many windows at least. */
const windowsBack = 2
const leastWindows = 5
/** Work before the first question, the same for all strategies, however soon theirs open windows. */
const leastFills = 20
const mostFills = 150

/** A window in which the base of a request and a few outputs have room. */
export const standardSize: Size = { limitTokens: 16_000, bufferTokens: 6_000 }

/** In JSON a line break is two characters or more, of which the last is a letter. */
const plain = (json: string): string => json.replace(/\\+[nrt"]/g, ' ')

/** As a word of its own: a number is not found in the middle of an id. */
const isIn = (text: string, word: string): boolean =>
  text.includes(word) &&
  new RegExp(
    `(?<![\\p{L}\\p{N}])${word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
    'u',
  ).test(text)

const holds = (json: string, { answer }: Question): boolean => {
  const text = plain(json)
  return answer.every((each) => isIn(text, each))
}

const holdsPart = (json: string, { answer }: Question): boolean => {
  const text = plain(json)
  return answer.some((each) => isIn(text, each))
}

/** The newest window with an item that holds a part of the fact; what a window is given at its beginning is no item. */
const lastWindowWith = (events: readonly ThreadEvent[], question: Question): number => {
  let index = 0
  let found = -1
  const indexes = new Map<string, number>()
  for (const event of events) {
    if (event.type === 'window.opened') {
      index = event.body.index
      indexes.set(event.windowId, index)
    }
    if (event.type === 'item.completed' && holdsPart(JSON.stringify(event.body), question))
      found = indexes.get(event.windowId) ?? index
  }
  return found
}

/** Asked in a window that has just begun, with the fact far behind. */
const goFarEnough = async (talk: Conversation, question: Question, told: number): Promise<void> => {
  for (let fills = 0; ; fills += 1) {
    if (fills > mostFills) throw new Error(`${talk.threadId}: no new window after ${fills} turns`)
    const before = talk.window()
    await talk.fill()
    const now = talk.window()
    const last = Math.max(told, lastWindowWith(talk.events, question))
    if (now > before && now - last >= windowsBack && now + 1 >= leastWindows && talk.filled() >= leastFills)
      return
  }
}

const answerOf = (events: readonly ThreadEvent[]): string => {
  const last = events.findLast(
    (event) => event.type === 'item.completed' && event.body.item.type === 'agent_message',
  )
  return last?.type === 'item.completed' && last.body.item.type === 'agent_message'
    ? last.body.item.text.text
    : ''
}

type Found = 'first' | 'oneCall' | 'twoCalls' | 'lost'
const ranks: Found[] = ['first', 'oneCall', 'twoCalls']

/** How many lookups were made before a request held the fact, given that it was then answered. */
const whereFound = ({ events, steps }: Turn, question: Question): Found => {
  const said = answerOf(events)
  if (!question.answer.every((each) => isIn(said, each))) return 'lost'
  let lookups = 0
  for (const { request, after } of steps) {
    if (holds(request.body, question)) return ranks[lookups] ?? 'lost'
    lookups += after.filter(
      (event) =>
        event.type === 'item.completed' &&
        event.body.item.type === 'tool_call' &&
        looksUp(event.body.item.tool),
    ).length
  }
  return 'lost'
}

/**
 * Milliseconds from the end of the last answer in a window, or from when the turn was asked for, to the first request of
 * the next window; the document that a model writes in between counts in.
 */
const handOvers = (turns: readonly Turn[]): number[] => {
  const times: number[] = []
  let window: string | null = null
  for (const { saidAt, steps } of turns) {
    let free = saidAt
    for (const { windowId, request } of steps) {
      if (request.body.includes('<hand_over_request>')) continue
      if (window !== null && windowId !== window) times.push(request.startedAt - free)
      window = windowId
      free = request.endedAt
    }
  }
  return times
}

const tokensOf = (events: readonly ThreadEvent[]): number =>
  events.reduce(
    (sum, event) =>
      event.type === 'step.completed' ? sum + event.body.usage.input + event.body.usage.output : sum,
    0,
  )

export type Play = {
  outcome: Outcome
  events: ThreadEvent[]
  misses: { ask: string; found: Found; said: string }[]
}

/** Throws when a turn fails or no window ends. */
export const evaluate = async (
  evaluation: Evaluation,
  task: Task,
  strategy: Strategy,
  size: Size = standardSize,
): Promise<Play> => {
  const talk = await converse(evaluation, task, strategy, size)
  for (const { say, fill } of task.turns) {
    await talk.turn(say)
    const from = talk.window()
    while (talk.window() < from + fill) await talk.fill()
  }
  const told = talk.window()
  const found: Play['misses'] = []
  for (const question of task.questions) {
    await goFarEnough(talk, question, told)
    const turn = await talk.turn(`Question: ${question.ask}`)
    found.push({ ask: question.ask, found: whereFound(turn, question), said: answerOf(turn.events) })
  }
  const times = handOvers(talk.turns)
  const count = (where: Found): number => found.filter((each) => each.found === where).length
  return {
    events: talk.events,
    misses: found.filter((each) => each.found === 'twoCalls' || each.found === 'lost'),
    outcome: {
      strategy,
      task: task.task,
      windows: talk.window() + 1,
      facts: found.length,
      first: count('first'),
      oneCall: count('oneCall'),
      twoCalls: count('twoCalls'),
      lost: count('lost'),
      tokens: tokensOf(talk.events),
      handoverMs: times.length === 0 ? 0 : Number(median(times).toFixed(1)),
    },
  }
}
