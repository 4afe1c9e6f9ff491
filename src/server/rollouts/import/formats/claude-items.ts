/** What the blocks of a Claude Code session say, in words of ours. Knows neither order nor state. */
import type { Usage } from '../../../../protocol/event.ts'
import type { ToolDetail } from '../../../../protocol/item.ts'
import type { CallEnd } from '../calls.ts'
import type { Said } from '../text.ts'
import { asArray, asCount, asObject, asText, isObject, type Json, jsonText } from '../values.ts'

/** Input counts what was read from the cache and what was written to it. */
export const usageOf = (value: unknown): Usage => {
  const usage = asObject(value)
  const cachedInput = asCount(usage.cache_read_input_tokens)
  const cacheWrite = asCount(usage.cache_creation_input_tokens)
  return {
    input: asCount(usage.input_tokens) + cachedInput + cacheWrite,
    cachedInput,
    cacheWrite,
    output: asCount(usage.output_tokens),
    reasoning: 0,
  }
}

export const blocksOf = (content: unknown): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content).map(asObject)

const mediaOf = (block: Json): Said | null => {
  const source = asObject(block.source)
  if (source.type === 'base64' && typeof source.data === 'string')
    return {
      data: source.data,
      mediaType: asText(source.media_type),
      ...(typeof block.title === 'string' ? { name: block.title } : {}),
    }
  return typeof source.url === 'string' ? { text: `[${asText(block.type)}: ${source.url}]` } : null
}

export const saidOf = (block: Json): Said => {
  if (typeof block.text === 'string') return { text: block.text }
  return mediaOf(block) ?? { text: jsonText(block) }
}

/** The text of a result. Pictures in it are kept, and named in the text. */
export const resultText = (content: unknown, keep: (said: Said) => string): string =>
  typeof content === 'string' || !Array.isArray(content)
    ? jsonText(content ?? '')
    : content
        .map((part) => {
          const said = saidOf(asObject(part))
          return 'text' in said ? said.text : keep(said)
        })
        .join('\n')

const short = (text: unknown, limit = 300): string => asText(text).slice(0, limit).toWellFormed()

/** How a call is shown, from what it was called with. */
export const detailOf = (tool: string, input: Json, commandId: string): ToolDetail | null => {
  const path = short(input.file_path ?? input.notebook_path ?? input.path)
  switch (tool) {
    case 'Bash':
      return { type: 'command', commandId, command: short(input.command, 800), running: false, bytes: 0 }
    case 'Read':
      return { type: 'read', path }
    case 'LS':
      return { type: 'list', path, entries: 0 }
    case 'Grep':
    case 'Glob':
      return { type: 'search', query: short(input.pattern), ...(path ? { path } : {}), matches: 0 }
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
    case 'NotebookEdit': {
      const lines = (text: unknown): number => (asText(text) === '' ? 0 : asText(text).split('\n').length)
      const edits = tool === 'MultiEdit' ? asArray(input.edits).map(asObject) : [input]
      const sum = (key: string): number => edits.reduce((total, edit) => total + lines(edit[key]), 0)
      const additions = tool === 'Write' ? lines(input.content) : sum('new_string') + lines(input.new_source)
      const change = tool === 'Write' ? ('added' as const) : ('modified' as const)
      return { type: 'patch', files: [{ path, change, additions, deletions: sum('old_string') }] }
    }
    default:
      return null
  }
}

/** What the program itself noted of a result: whole output, whether it was stopped, lines that changed. */
export const notedOf = (noted: unknown, known: ToolDetail | null): Partial<CallEnd> => {
  if (!isObject(noted)) return {}
  const printed = [asText(noted.stdout), asText(noted.stderr)].filter((text) => text !== '').join('\n')
  const more: Partial<CallEnd> = {
    ...(printed === '' ? {} : { full: printed }),
    ...(noted.interrupted === true ? { isInterrupted: true } : {}),
  }
  if (known?.type === 'command' && printed !== '')
    return { ...more, detail: { ...known, bytes: Buffer.byteLength(printed) } }
  if (known?.type === 'search') return { ...more, detail: { ...known, matches: asCount(noted.numFiles) } }
  const file = known?.type === 'patch' ? known.files[0] : undefined
  if (known?.type !== 'patch' || file === undefined || !Array.isArray(noted.structuredPatch)) return more
  const changed = noted.structuredPatch.flatMap((hunk) => asArray(asObject(hunk).lines).map(asText))
  if (changed.length === 0) return more
  const count = (sign: string): number => changed.filter((line) => line.startsWith(sign)).length
  return {
    ...more,
    detail: {
      type: 'patch',
      files: [{ ...file, change: 'modified', additions: count('+'), deletions: count('-') }],
    },
  }
}

export const planOf = (input: Json): { text: string; status: 'pending' | 'in_progress' | 'completed' }[] =>
  asArray(input.todos)
    .map(asObject)
    .map(({ content, status }) => ({
      text: asText(content),
      status: status === 'completed' || status === 'in_progress' ? status : 'pending',
    }))
