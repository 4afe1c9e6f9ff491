/**
 * A rollout as it is told to people: turns with what was said and done in them, in order, with long bodies cut to a
 * limit. What Markdown and HTML are written from; knows neither.
 */
import type { EventBody, ThreadEvent, Usage } from '../../../protocol/event.ts'
import type { Item, PlanEntry, ToolDetail } from '../../../protocol/item.ts'
import type { Cut } from './cut.ts'
import type { RolloutSource } from './source.ts'
import { blobBytes, longText, type OutText } from './texts.ts'

/** Bytes of one body, and of one picture; larger pictures are named only. */
export type Limits = { message: number; output: number; picture: number }

export type Picture = { name: string; mediaType: string; bytes: number; data: Buffer | null }

export type Part =
  | { type: 'turn'; number: number; model: string; at: number }
  | {
      type: 'turn_end'
      status: 'completed' | 'interrupted' | 'failed' | 'limited'
      usage: Usage
      costMicros: number | null
      durationMs: number
      steps: number
      why: string | null
    }
  | { type: 'window'; number: number; reason: string; tokens: number }
  | { type: 'step'; number: number; end: EventBody<'step.completed'> }
  | {
      type: 'message'
      who: 'person' | 'agent'
      actorId: string
      text: OutText
      pictures: Picture[]
      at: number
    }
  | { type: 'reasoning'; text: OutText }
  | {
      type: 'call'
      tool: string
      args: OutText
      status: 'ok' | 'failed' | 'refused' | 'interrupted' | 'running'
      output: OutText | null
      detail: ToolDetail | null
      durationMs: number | null
      why: string | null
    }
  | { type: 'plan'; entries: PlanEntry[]; explanation: string }
  | { type: 'question'; questions: { text: string; answer: string }[] }
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; text: string }
  | { type: 'record'; line: number; kind: string; text: OutText }

type CallItem = Extract<Item, { type: 'tool_call' }>

const statusOf = {
  proposed: 'running',
  waiting: 'running',
  running: 'running',
  refused: 'refused',
  succeeded: 'ok',
  failed: 'failed',
  interrupted: 'interrupted',
} as const

const callPart = async (cut: Cut, item: CallItem, limits: Limits): Promise<Part> => {
  const { state } = item
  const detail = 'detail' in state ? (state.detail ?? null) : null
  const isOver = 'endedAt' in state && 'startedAt' in state && state.startedAt !== undefined
  return {
    type: 'call',
    tool: item.tool,
    args: await longText(cut, item.arguments, limits.output),
    status: statusOf[state.status],
    output: 'output' in state ? await longText(cut, state.output, limits.output) : null,
    detail,
    durationMs: isOver ? Math.max(0, state.endedAt - (state.startedAt ?? 0)) : null,
    why: 'error' in state ? state.error.message : 'reason' in state ? state.reason : null,
  }
}

const userPart = async (
  cut: Cut,
  item: Extract<Item, { type: 'user_message' }>,
  limits: Limits,
  at: number,
): Promise<Part> => {
  const texts: OutText[] = []
  const pictures: Picture[] = []
  for (const part of item.content) {
    if (part.type === 'text') texts.push(await longText(cut, part, limits.message))
    else if (part.type === 'image') {
      const bytes = part.bytes ?? cut.open(part.blob)?.bytes ?? 0
      const data = await blobBytes(cut, part.blob, limits.picture)
      pictures.push({ name: part.name ?? '', mediaType: part.mediaType, bytes, data })
    } else pictures.push({ name: part.name, mediaType: part.mediaType, bytes: part.bytes, data: null })
  }
  const cutText = texts.find(({ cutFrom }) => cutFrom !== null)
  const text = { text: texts.map((each) => each.text).join('\n\n'), cutFrom: cutText?.cutFrom ?? null }
  return { type: 'message', who: 'person', actorId: item.actorId, text, pictures, at }
}

const itemPart = async (cut: Cut, item: Item, limits: Limits, at: number): Promise<Part | null> => {
  switch (item.type) {
    case 'user_message':
      return userPart(cut, item, limits, at)
    case 'agent_message': {
      const text = await longText(cut, item.text, limits.message)
      return { type: 'message', who: 'agent', actorId: 'agent', text, pictures: [], at }
    }
    case 'reasoning': {
      const text = await longText(cut, item.text, limits.output)
      return text.text === '' ? null : { type: 'reasoning', text }
    }
    case 'tool_call':
      return callPart(cut, item, limits)
    case 'plan':
      return { type: 'plan', entries: item.entries, explanation: item.explanation ?? '' }
    case 'question':
      return {
        type: 'question',
        questions: item.questions.map(({ id, text }) => ({
          text,
          answer: item.withdrawn ? '' : (item.answers?.[id] ?? []).join(', '),
        })),
      }
    case 'notice':
      return { type: 'notice', level: item.level, text: item.text }
    case 'hand_over':
      return null
  }
}

const turnEnds = {
  'turn.completed': 'completed',
  'turn.interrupted': 'interrupted',
  'turn.failed': 'failed',
  'turn.limited': 'limited',
} as const

/**
 * Everything in the order of the log. An item that was never completed is told when its turn ends. `before`: how many turns
 * and steps there were before the part that is read.
 */
export async function* tell(
  source: Pick<RolloutSource, 'events'>,
  cut: Cut,
  limits: Limits,
  before = { turns: 0, steps: 0 },
): AsyncGenerator<Part> {
  let { turns, steps } = before
  const open = new Map<string, { item: Item; at: number }>()

  async function* unfinished(): AsyncGenerator<Part> {
    for (const { item, at } of open.values()) {
      const part = await itemPart(cut, item, limits, at)
      if (part) yield part
    }
    open.clear()
  }

  async function* told(event: ThreadEvent): AsyncGenerator<Part> {
    switch (event.type) {
      case 'turn.started':
        turns += 1
        yield { type: 'turn', number: turns, model: event.body.modelLabel, at: event.at }
        return
      case 'window.opened': {
        const { index, reason, tokens } = event.body
        yield { type: 'window', number: index + 1, reason, tokens }
        return
      }
      case 'step.completed':
        steps += 1
        yield { type: 'step', number: steps, end: event.body }
        return
      case 'step.failed':
      case 'step.cut':
      case 'checkpoint.failed':
      case 'sandbox.lost':
        yield { type: 'notice', level: 'error', text: event.body.error.message }
        return
      case 'step.retried':
        yield { type: 'notice', level: 'warning', text: event.body.error.message }
        return
      case 'egress.denied':
        yield { type: 'notice', level: 'warning', text: `${event.body.host}:${event.body.port} was refused` }
        return
      case 'item.started':
        open.set(event.body.item.id, { item: event.body.item, at: event.at })
        return
      case 'item.completed': {
        open.delete(event.body.item.id)
        const part = await itemPart(cut, event.body.item, limits, event.at)
        if (part) yield part
        return
      }
      case 'record.kept': {
        const { line, kind, raw } = event.body
        yield { type: 'record', line, kind, text: await longText(cut, raw, limits.output) }
        return
      }
      case 'turn.completed':
      case 'turn.interrupted':
      case 'turn.failed':
      case 'turn.limited': {
        yield* unfinished()
        const { usage, costMicros, durationMs } = event.body
        const why = 'error' in event.body ? event.body.error.message : null
        const end = { usage, costMicros, durationMs, steps: event.body.steps, why }
        yield { type: 'turn_end', status: turnEnds[event.type], ...end }
        return
      }
      default:
    }
  }

  for await (const page of source.events()) for (const event of page) yield* told(cut.event(event))
  yield* unfinished()
}
