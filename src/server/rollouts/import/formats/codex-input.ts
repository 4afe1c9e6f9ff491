/**
 * The input of a Codex session's model, as that program would send it again: every item of the file as it is, what a
 * compaction put in the place of the earlier ones, without what was rolled back. Knows no turn and no screen.
 */
import { type InputBlock, inputBlock } from '../input.ts'
import { asObject, asText, type Json } from '../values.ts'
import { isContext, outputTypes, plainText, saidOf } from './codex-items.ts'

/** Kept in the file for the program itself, never sent. */
const ownFields = ['internal_chat_message_metadata_passthrough']
/** Items of the file that are not sent. */
const unsent: ReadonlySet<string> = new Set(['ghost_snapshot', 'compaction_trigger', 'additional_tools'])
/** The words of people that a compaction without a list of its own keeps, newest first: 20,000 tokens of four characters. */
const keptUserChars = 80_000
const noSummary = '(no summary available)'

const kindOf = (item: Json): string => {
  const type = asText(item.type)
  if (type === 'message') {
    const role = asText(item.role)
    return role === 'assistant' ? 'assistant' : role === 'user' ? 'user' : 'developer'
  }
  if (type === 'reasoning') return 'reasoning'
  if (outputTypes.has(type)) return 'tool_result'
  return type.endsWith('_call') ? 'tool_call' : 'other'
}

/** The item as it is sent; null when it never is. */
export const sentItem = (item: Json): Json | null => {
  if (unsent.has(asText(item.type))) return null
  if (!ownFields.some((field) => field in item)) return item
  return Object.fromEntries(Object.entries(item).filter(([key]) => !ownFields.includes(key)))
}

export const blockOf = (item: Json, reason: string, itemId?: string): InputBlock | null => {
  const sent = sentItem(item)
  if (sent === null) return null
  const kind = kindOf(item)
  const callId = kind === 'tool_call' || kind === 'tool_result' ? asText(item.call_id) : ''
  return inputBlock(kind, JSON.stringify(sent), {
    reason,
    ...(itemId === undefined ? {} : { itemId }),
    ...(callId === '' ? {} : { callId: callId.slice(0, 200) }),
  })
}

const isPersons = (block: InputBlock): string | null => {
  if (block.kind !== 'user') return null
  const text = plainText(saidOf(asObject(JSON.parse(block.json)).content))
  return isContext(text) ? null : text
}

const userMessage = (text: string): Json => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})

/** What stands in the place of everything before a compaction. */
export const afterCompaction = (before: readonly InputBlock[], payload: Json): InputBlock[] => {
  const instructions = before.filter(({ slot }) => slot === 'instructions')
  const given = payload.replacement_history
  const items = Array.isArray(given)
    ? given.map(asObject)
    : [...recentWords(before).map(userMessage), userMessage(asText(payload.message) || noSummary)]
  return [
    ...instructions,
    ...items.flatMap((item) => {
      const block = blockOf(item, 'hand_over')
      return block === null ? [] : [block]
    }),
  ]
}

const recentWords = (before: readonly InputBlock[]): string[] => {
  const kept: string[] = []
  let room = keptUserChars
  for (const block of before.toReversed()) {
    const text = isPersons(block)
    if (text === null || room <= 0) continue
    kept.unshift(text.length <= room ? text : text.slice(0, room))
    room -= text.length
  }
  return kept
}

/** Without the newest `turns` messages of people and all that came after the first of these. */
export const rolledBack = (before: readonly InputBlock[], turns: number): InputBlock[] => {
  const starts = before.flatMap((block, at) => (isPersons(block) === null ? [] : [at]))
  const from = turns <= 0 ? before.length : starts[Math.max(0, starts.length - turns)]
  return before.slice(0, from ?? before.length)
}

const absentOutput = (call: InputBlock): InputBlock => {
  const { type, call_id: callId } = asObject(JSON.parse(call.json))
  const kind = type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output'
  return inputBlock('tool_result', JSON.stringify({ type: kind, call_id: callId, output: 'aborted' }), {
    reason: 'interrupted',
    ...(call.itemId === null ? {} : { itemId: call.itemId }),
    ...(call.callId === null ? {} : { callId: call.callId }),
  })
}

const needsOutput: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call', 'local_shell_call'])

/** Every call with its result: absent ones are told as aborted right after their call, others without a call go. Null: it is so already. */
export const settled = (blocks: readonly InputBlock[]): InputBlock[] | null => {
  const results = new Set(blocks.flatMap(({ kind, callId }) => (kind === 'tool_result' ? [callId] : [])))
  const calls = new Set(blocks.flatMap(({ kind, callId }) => (kind === 'tool_call' ? [callId] : [])))
  const out = blocks.flatMap((block) => {
    if (block.kind === 'tool_result' && !calls.has(block.callId)) return []
    if (block.kind !== 'tool_call' || results.has(block.callId)) return [block]
    return needsOutput.has(asText(asObject(JSON.parse(block.json)).type))
      ? [block, absentOutput(block)]
      : [block]
  })
  const isSame = out.length === blocks.length && out.every((block, at) => block === blocks[at])
  return isSame ? null : out
}

/** The program's own instructions, when the file has them. */
export const instructionsOf = (meta: Json): InputBlock[] => {
  const text = asText(asObject(meta.base_instructions).text) || asText(meta.instructions)
  return text === ''
    ? []
    : [inputBlock('instructions', JSON.stringify(text), { slot: 'instructions', reason: 'window_start' })]
}
