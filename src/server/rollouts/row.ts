/**
 * What a row of a rollout says: its label and figures, read from the event that it begins with and the one that ends it.
 */
import type { ThreadEvent, Usage } from '../../protocol/event.ts'
import type { Item, LongText, ToolCall } from '../../protocol/item.ts'
import type { RolloutRow } from '../../protocol/rollout.ts'
import type { RolloutRowKey } from '../store/rollout-types.ts'

const labelChars = 160

/** At most 160 characters on one line, without half a character at the end. */
export const oneLine = (text: string): string => {
  const line = text
    .slice(0, 4 * labelChars)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= labelChars) return line.toWellFormed()
  return `${line
    .slice(0, labelChars - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()}…`
}

/** What a call is about: the first of these arguments that is a text. */
const told = ['cmd', 'command', 'path', 'file_path', 'query', 'pattern', 'script', 'code', 'url', 'text']

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Of a plan or a list of things to do: the entry that is being worked on, else the first. */
const aboutEntries = (values: Record<string, unknown>): string | null => {
  const entries = ['plan', 'todos']
    .map((name) => values[name])
    .find(Array.isArray)
    ?.filter(isRecord)
  const entry = entries?.find(({ status }) => status === 'in_progress') ?? entries?.[0]
  const words = entry && [entry.step, entry.content].find((value) => typeof value === 'string')
  return typeof words === 'string' ? words : null
}

const aboutArguments = ({ text }: LongText): string => {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'string') return parsed
    if (parsed !== null && typeof parsed === 'object') {
      const values = parsed as Record<string, unknown>
      for (const name of told) {
        const value = values[name]
        if (typeof value === 'string') return value
        if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ')
      }
      const entry = aboutEntries(values)
      if (entry !== null) return entry
    }
  } catch {
    // A patch, or arguments longer than their preview: the file or command may stand in what there is of them.
    const cut =
      /^\{(?:"[a-z_]+":"(?:[^"\\]|\\.){0,40}",){0,2}"(?:file_path|path|cmd|command|query)":"([^"\\]+)"/.exec(
        text,
      )
    if (cut?.[1] !== undefined) return cut[1]
  }
  return /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(text)?.[1] ?? text
}

const aboutCall = (item: ToolCall): string => {
  const detail = 'detail' in item.state ? item.state.detail : undefined
  if (detail?.type === 'command') return detail.command
  if (detail?.type === 'patch') return detail.files.map(({ path }) => path).join(', ')
  return aboutArguments(item.arguments)
}

const saysOf = (item: Item): string => {
  switch (item.type) {
    case 'user_message':
      return item.content
        .map((part) => (part.type === 'text' ? part.text : (part.name ?? part.type)))
        .join(' ')
    case 'agent_message':
    case 'reasoning':
      return item.text.text
    case 'tool_call':
      return aboutCall(item)
    case 'plan':
      return item.entries.map(({ text }) => text).join('; ')
    case 'question':
      return item.questions.map(({ text }) => text).join(' ')
    case 'hand_over':
      return `${item.index}`
    case 'notice':
      return item.text
  }
}

const saysEvent = (event: ThreadEvent): string => {
  const { body } = event
  switch (event.type) {
    case 'item.started':
    case 'item.completed':
      return saysOf(event.body.item)
    case 'turn.started':
      return event.body.modelLabel
    case 'window.opened':
      return `${event.body.index}`
    case 'step.completed':
      return event.body.stopReason
    case 'checkpoint.created':
      return event.body.files.map(({ path }) => path).join(', ')
    case 'approval.requested':
      return event.body.action
    case 'egress.denied':
      return `${event.body.host}:${event.body.port}`
    case 'record.kept':
      return `${event.body.kind} ${event.body.raw.text}`.trim()
    case 'note.written':
      return event.body.path
    case 'sandbox.stopped':
      return event.body.why
    case 'server.restarted':
      return [...event.body.resumed, ...event.body.repeated, ...event.body.abandoned].join(', ')
    case 'thread.settings_changed':
      return event.body.changed.join(', ')
    case 'agent.spawned':
      return event.body.agentPath
    case 'agent.message':
      return event.body.text
    case 'rollout.imported':
      return event.body.fileName
    default:
      return 'error' in body ? body.error.message : 'budget' in body ? body.budget : ''
  }
}

const usageOf = (event: ThreadEvent): Usage | null => ('usage' in event.body ? event.body.usage : null)

const linesOf = (event: ThreadEvent): { additions: number; deletions: number } | null => {
  if (event.type === 'checkpoint.created') return event.body
  if (event.type !== 'item.completed' || event.body.item.type !== 'tool_call') return null
  const { state } = event.body.item
  if (!('detail' in state) || state.detail?.type !== 'patch') return null
  const sum = (name: 'additions' | 'deletions'): number =>
    state.detail?.type === 'patch' ? state.detail.files.reduce((all, file) => all + file[name], 0) : 0
  return { additions: sum('additions'), deletions: sum('deletions') }
}

/** The first event says most of a turn and a wait, the last one of everything else. */
const labelOf = (kind: string, first: ThreadEvent, last: ThreadEvent, asked?: ThreadEvent): string => {
  if (kind === 'turn') {
    const words = asked === undefined ? '' : saysEvent(asked)
    if (words.trim() !== '') return words
  }
  if (kind === 'turn' || kind === 'window') {
    if ('error' in last.body) return last.body.error.message
    return saysEvent(first)
  }
  return saysEvent(last) || saysEvent(first)
}

/** The events that a row is read from: how it begins, how it ends, and of a turn what a person asked for. */
export type RowEvents = Record<'first' | 'last' | 'asked', ThreadEvent | undefined>

/** `steps` has the numbers of steps by id. An event that is missing (deleted meanwhile) leaves the row bare. */
export const rowOf = (
  row: RolloutRowKey,
  { first, last, asked }: RowEvents,
  steps: ReadonlyMap<string, number>,
): RolloutRow => {
  const { idx, seq, kind, name, status, at, durationMs, windowId, turnId, costMicros } = row
  const stepId = first?.stepId ?? (kind === 'step' ? row.key : null)
  const isItem = kind === 'message' || kind === 'tool' || row.key?.startsWith('itm_') === true
  const lines = last && linesOf(last)
  return {
    idx,
    seq,
    kind,
    name,
    status,
    at,
    durationMs,
    windowId,
    turnId,
    label: first && last ? oneLine(labelOf(kind, first, last, asked)) : '',
    stepId,
    itemId: first?.itemId ?? (isItem ? row.key : null),
    step: row.step ?? (stepId === null ? null : (steps.get(stepId) ?? null)),
    usage: last && (kind === 'step' || kind === 'turn') ? usageOf(last) : null,
    costMicros: kind === 'step' || kind === 'turn' ? costMicros : null,
    additions: lines?.additions ?? null,
    deletions: lines?.deletions ?? null,
  }
}
