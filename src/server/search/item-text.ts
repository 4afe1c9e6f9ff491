/**
 * An item's whole text, as history reads it and search looks through it: made of what its events hold and of blobs of
 * up to 50 MB, in pieces, so that no text is ever in memory as a whole. Knows no table.
 */
import { stripVTControlCharacters } from 'node:util'
import { Fault } from '../../protocol/error.ts'
import type { HistoryEntry, HistoryRole } from '../../protocol/history.ts'
import type { ContentPart, Item, LongText, ToolCall, ToolCallState } from '../../protocol/item.ts'
import { rootAgent } from '../../protocol/note.ts'
import type { BlobStore, ItemRow } from '../store/types.ts'

/** A part of the text: words, or a blob with what is known of it when it is gone. */
type Section = string | { blob: string; instead: string; terminal: boolean }

const roles: Record<Item['type'], HistoryRole> = {
  user_message: 'user',
  agent_message: 'assistant',
  reasoning: 'assistant',
  plan: 'assistant',
  question: 'assistant',
  tool_call: 'tool',
  hand_over: 'system',
  notice: 'system',
}

export const entryOf = ({ item, ...row }: ItemRow, agentPath = rootAgent): HistoryEntry => ({
  threadId: row.threadId,
  itemId: item.id,
  seq: row.seq,
  windowId: row.windowId,
  agentPath,
  at: row.at,
  actorId: row.actorId,
  role: roles[item.type],
  kind: item.type,
  tool: item.type === 'tool_call' ? item.tool : null,
  status: item.type === 'tool_call' ? item.state.status : null,
})

const long = ({ text, blob }: LongText): Section =>
  blob === undefined ? text : { blob, instead: text, terminal: false }

const contentSections = (content: ContentPart[]): Section[] =>
  content.flatMap((part, index): Section[] => {
    const gap = index === 0 ? [] : ['\n']
    if (part.type === 'text') return [...gap, long({ text: part.text, ...blobOf(part.blob) })]
    return [...gap, `[${part.type}: ${part.name ?? part.mediaType}]`]
  })
const blobOf = (blob: string | undefined) => (blob === undefined ? {} : { blob })

/** A command's bytes beyond this are not in its call's text as a whole: head and tail were kept, half of it each. */
const keptCommandBytes = 1_048_576

const outputSections = (state: ToolCallState): Section[] => {
  if (!('output' in state)) return []
  const full = 'full' in state ? state.full : undefined
  const detail = 'detail' in state ? state.detail : undefined
  const given = long(state.output)
  if (detail?.type === 'command' && detail.outputBlob !== undefined && detail.bytes > keptCommandBytes)
    return [given, '\n\n[The whole output:]\n', { blob: detail.outputBlob, instead: '', terminal: true }]
  return [full === undefined ? given : { blob: full, instead: state.output.text, terminal: false }]
}

/** What a command printed until it ended, when that was after its call. */
export const lateOutput = (call: ToolCall, exitBlob: string | undefined): string | null => {
  const { state } = call
  const detail = 'detail' in state ? state.detail : undefined
  const isLate = detail?.type === 'command' && detail.outputBlob === undefined
  return isLate && exitBlob !== undefined ? exitBlob : null
}

/** The sections of an item as its event holds it; `late` is a command's output when the command outlived its call. */
export const sectionsOf = (item: Item, late: string | null = null): Section[] => {
  switch (item.type) {
    case 'user_message':
      return contentSections(item.content)
    case 'agent_message':
    case 'reasoning':
      return [long(item.text)]
    case 'tool_call':
      return [long(item.arguments), '\n\n', ...outputSections(item.state), ...lateSections(late)]
    case 'plan':
      return [
        ...(item.explanation === undefined ? [] : [`${item.explanation}\n`]),
        item.entries.map(({ text, status }) => `[${status}] ${text}`).join('\n'),
      ]
    case 'question':
      return [
        item.questions
          .map(({ id, text }) => `${text}\n${(item.answers?.[id] ?? ['(no answer)']).join('\n')}`)
          .join('\n\n'),
      ]
    case 'hand_over':
      return [`New window: ${item.reason}`]
    case 'notice':
      return [item.text]
  }
}

const lateSections = (late: string | null): Section[] =>
  late === null ? [] : [lateHead, { blob: late, instead: '', terminal: true }]
const lateHead = '\n\n[The whole output of the command, which ended after this call:]\n'

/** Characters of an escape sequence that may be cut in two by the end of a piece. */
const escapeChars = 200

async function* blobText(
  blobs: Pick<BlobStore, 'read'>,
  hash: string,
  terminal: boolean,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let held = ''
  const clean = (text: string): string => (terminal ? stripVTControlCharacters(text) : text)
  for await (const bytes of blobs.read(hash)) {
    const text = held + decoder.decode(bytes, { stream: true })
    const at = terminal ? text.lastIndexOf('\u001b') : -1
    const end = at >= 0 && at > text.length - escapeChars ? at : text.length
    held = text.slice(end)
    yield clean(text.slice(0, end))
  }
  yield clean(held + decoder.decode())
}

/** The text in order, in pieces of up to a megabyte. A blob that is gone leaves its preview. */
export async function* textPieces(
  blobs: Pick<BlobStore, 'read'>,
  sections: Section[],
): AsyncGenerator<string> {
  for (const section of sections) {
    if (typeof section === 'string') {
      if (section !== '') yield section
      continue
    }
    try {
      yield* blobText(blobs, section.blob, section.terminal)
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'not_found')) throw error
      yield section.instead
    }
  }
}

const head = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}…`

/**
 * The beginning of an item from its event alone, without a look at any blob: of a call its arguments, cut to a third,
 * and what it gave. `more` = the item has more than that.
 */
export const previewOf = (item: Item, maxChars: number): { text: string; more: boolean } => {
  const words = (section: Section): string => (typeof section === 'string' ? section : section.instead)
  const sections = sectionsOf(item)
  const hasBlob = sections.some((section) => typeof section !== 'string')
  if (item.type !== 'tool_call') {
    const text = sections.map(words).join('')
    return { text: head(text, maxChars), more: hasBlob || text.length > maxChars }
  }
  const args = item.arguments.text
  const output = 'output' in item.state ? item.state.output.text : ''
  const shown = head(args, Math.max(Math.ceil(maxChars / 3), maxChars - output.length))
  const rest = Math.max(maxChars - shown.length, 0)
  return {
    text: output === '' ? shown : `${shown}\n${head(output, rest)}`,
    more: hasBlob || args.length > shown.length || output.length > rest,
  }
}
