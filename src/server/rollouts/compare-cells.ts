/**
 * What a line of a comparison says: made from the event of the log that it stands for.
 */
import type { CompareCell, CompareText } from '../../protocol/compare.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import type { Item, LongText, ToolCall } from '../../protocol/item.ts'
import type { RolloutRowStatus } from '../../protocol/rollout.ts'

const labelChars = 300

const line = (text: string): string => {
  const flat = text
    .slice(0, 4 * labelChars)
    .replace(/\s+/g, ' ')
    .trim()
  return (flat.length <= labelChars ? flat : `${flat.slice(0, labelChars - 1)}…`).toWellFormed()
}

/** What a call is about: its command or file when it has one, otherwise all it was given. */
const about = (item: ToolCall): string => {
  const detail = 'detail' in item.state ? item.state.detail : undefined
  if (detail?.type === 'command') return detail.command
  if (detail?.type === 'patch' && detail.files.length > 0)
    return detail.files.map(({ path }) => path).join(', ')
  try {
    const given: unknown = JSON.parse(item.arguments.text)
    const values = Object.values(given ?? {})
    if (values.length === 1 && typeof values[0] === 'string') return values[0]
  } catch {
    // Longer than its preview, or no JSON at all: as it is.
  }
  return item.arguments.text
}

const statuses: Record<ToolCall['state']['status'], RolloutRowStatus> = {
  proposed: 'running',
  waiting: 'running',
  running: 'running',
  succeeded: 'ok',
  failed: 'failed',
  refused: 'refused',
  interrupted: 'interrupted',
}

const saidOf = (item: Item): LongText => {
  if (item.type === 'user_message') {
    const parts = item.content.map((part) =>
      part.type === 'text' ? part : { text: `[${part.name ?? part.type}]` },
    )
    const blob = parts.find((part) => 'blob' in part && part.blob !== undefined)
    return {
      text: parts.map(({ text }) => text).join('\n'),
      ...(blob ? { chars: Number.MAX_SAFE_INTEGER } : {}),
    }
  }
  if (item.type === 'agent_message') return item.text
  return item.type === 'tool_call' ? item.arguments : { text: '' }
}

const gaveOf = (item: Item): LongText | null =>
  item.type === 'tool_call' && 'output' in item.state ? item.state.output : null

const isCut = (text: LongText | null): boolean => text?.blob !== undefined || text?.chars !== undefined

/** Null for an event that says nothing (a turn that no message began). */
export const textOf = (event: ThreadEvent): CompareText | null => {
  if (event.type !== 'item.completed') return null
  const [said, gave] = [saidOf(event.body.item), gaveOf(event.body.item)]
  return { said: said.text, gave: gave?.text ?? null, cut: isCut(said) || isCut(gave) }
}

/** `head`: the event begins a turn. */
export const cellOf = (event: ThreadEvent, head: boolean): CompareCell => {
  const { seq, at } = event
  const base = {
    seq,
    at,
    turnId: event.turnId ?? null,
    stepId: event.stepId ?? null,
    itemId: null as string | null,
    kind: head ? ('turn' as const) : ('message' as const),
    name: '',
    label: '',
    result: null,
    status: 'none' as RolloutRowStatus,
    durationMs: null as number | null,
  }
  if (event.type !== 'item.completed') return base
  const { item } = event.body
  if (item.type !== 'tool_call')
    return { ...base, itemId: item.id, name: item.type, label: line(saidOf(item).text) }
  const { state } = item
  const took =
    'endedAt' in state && state.startedAt !== undefined ? Math.max(0, state.endedAt - state.startedAt) : null
  return {
    ...base,
    kind: 'tool',
    itemId: item.id,
    name: item.tool,
    label: line(about(item)),
    result: 'output' in state ? line(state.output.text) : null,
    status: statuses[state.status],
    durationMs: took,
  }
}
