/** What the items of a Codex rollout say, in words of ours. Knows neither order nor state. */
import type { ToolDetail } from '../../../../protocol/item.ts'
import type { Said } from '../text.ts'
import { asArray, asCount, asObject, asText, isObject, type Json, jsonText } from '../values.ts'

/** The parts of a message's content; a text alone is one part. */
export const saidOf = (content: unknown): Said[] => {
  if (typeof content === 'string') return [{ text: content }]
  return asArray(content).map((part): Said => {
    const { type, text, image_url: url } = asObject(part)
    if (type === 'input_image' && typeof url === 'string') return { url }
    if (typeof text === 'string') return { text }
    return { text: jsonText(part) }
  })
}

export const plainText = (said: readonly Said[]): string =>
  said.map((part) => ('text' in part ? part.text : '')).join('')

/** Text that the program itself puts before the model in a person's place. */
export const isContext = (text: string): boolean =>
  /^\s*<(?:[a-z][a-z_]*(?:\s[a-z]+)?)>/.test(text) || text.startsWith('# AGENTS.md instructions for ')

/** What a person asked for, without what their editor put in front. */
export const requestOf = (text: string): string => {
  const mark = '## My request for Codex:'
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(at + mark.length)
}

export const reasoningText = (item: Json): string => {
  const parts = [...asArray(item.summary), ...asArray(item.content)].map((part) =>
    asText(asObject(part).text),
  )
  return parts.filter((text) => text !== '').join('\n\n')
}

const callTypes: Record<string, (item: Json) => { tool: string; args: string }> = {
  function_call: (item) => ({ tool: asText(item.name), args: jsonText(item.arguments) }),
  custom_tool_call: (item) => ({ tool: asText(item.name), args: jsonText(item.input) }),
  local_shell_call: (item) => ({ tool: 'local_shell_call', args: jsonText(item.action) }),
  tool_search_call: (item) => ({ tool: 'tool_search_call', args: jsonText(item.arguments) }),
  web_search_call: (item) => ({ tool: 'web_search_call', args: jsonText(item.action) }),
  image_generation_call: (item) => ({ tool: 'image_generation_call', args: jsonText(item.revised_prompt) }),
}

/** The call that an item makes; null when it is none. */
export const callOf = (item: Json): { tool: string; args: string; callId: string } | null => {
  const read = callTypes[asText(item.type)]
  if (read === undefined) return null
  return { ...read(item), callId: asText(item.call_id) || asText(item.id) }
}

/** Calls that the vendor runs: their result stands in themselves. */
export const isWholeCall = (type: string): boolean =>
  type === 'web_search_call' || type === 'image_generation_call'

export const outputTypes: ReadonlySet<string> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'mcp_tool_call_output',
  'tool_search_output',
])

type Output = { output: string; isError: boolean; exitCode: number | null }

/** Older programs wrapped a command's output in JSON with its exit code; newer ones write both in words. */
const unwrapped = (text: string): Output | null => {
  if (!text.startsWith('{"output":')) return null
  try {
    const { output, metadata } = asObject(JSON.parse(text))
    const code = asObject(metadata).exit_code
    return typeof output === 'string'
      ? { output, isError: false, exitCode: typeof code === 'number' ? Math.round(code) : null }
      : null
  } catch {
    return null
  }
}

export const outputOf = (item: Json): Output => {
  const given = item.output ?? item.tools ?? item.result
  const wrapped = isObject(given) ? given : null
  const body = wrapped === null ? given : (wrapped.content ?? wrapped.content_items ?? wrapped)
  const text = Array.isArray(body)
    ? body
        .map((part) => {
          const { text: words, image_url: url } = asObject(part)
          return typeof words === 'string' ? words : typeof url === 'string' ? '[picture]' : jsonText(part)
        })
        .join('\n')
    : jsonText(body)
  const isError = wrapped?.success === false
  const inner = unwrapped(text)
  if (inner !== null) return { ...inner, isError: isError || inner.isError }
  const code = /^(?:[^\n]*\n){0,4}?(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(text.slice(0, 400))
  return { output: text, isError, exitCode: code?.[1] === undefined ? null : Number(code[1]) }
}

const commandOf = (args: string): string | null => {
  try {
    const { command, cmd } = asObject(JSON.parse(args))
    if (typeof cmd === 'string') return cmd
    if (typeof command === 'string') return command
    const words = asArray(command).map(asText)
    return words.length === 3 && /^-l?c$/.test(words[1] ?? '')
      ? (words[2] ?? '')
      : words.length > 0
        ? words.join(' ')
        : null
  } catch {
    return null
  }
}

/** How a command is shown; null for what runs none. */
export const commandDetail = (
  args: string,
  commandId: string,
): Extract<ToolDetail, { type: 'command' }> | null => {
  const command = commandOf(args)
  return command === null
    ? null
    : { type: 'command', commandId, command: command.slice(0, 800).toWellFormed(), running: false, bytes: 0 }
}

const lines = (text: string, sign: '+' | '-'): number =>
  text.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length

/** Files that a patch changed, from what the program says of it. */
export const patchDetail = (changes: Json): Extract<ToolDetail, { type: 'patch' }> => ({
  type: 'patch',
  files: Object.entries(changes)
    .slice(0, 20)
    .map(([path, about]) => {
      const change = asObject(about)
      const diff = asText(change.unified_diff)
      const whole = asText(change.content)
      const kind = asText(change.type)
      const movedTo = asText(change.move_path)
      return {
        path: path.slice(0, 300),
        change: kind === 'add' ? 'added' : kind === 'delete' ? 'deleted' : movedTo ? 'moved' : 'modified',
        ...(movedTo ? { movedTo: movedTo.slice(0, 300) } : {}),
        additions: kind === 'add' ? whole.split('\n').length : lines(diff, '+'),
        deletions: kind === 'delete' ? whole.split('\n').length : lines(diff, '-'),
      }
    }),
})

/** Files that a patch in the envelope format names. */
export const patchOfText = (text: string): Extract<ToolDetail, { type: 'patch' }> | null => {
  const found = [...text.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)]
  if (found.length === 0) return null
  return {
    type: 'patch',
    files: found.slice(0, 20).map((match, at) => {
      const body = text.slice(match.index, found[at + 1]?.index ?? text.length)
      return {
        path: (match[2] ?? '').slice(0, 300),
        change: match[1] === 'Add' ? 'added' : match[1] === 'Delete' ? 'deleted' : 'modified',
        additions: lines(body, '+'),
        deletions: lines(body, '-'),
      }
    }),
  }
}

export type Totals = {
  input: number
  cachedInput: number
  cacheWrite: number
  output: number
  reasoning: number
}

export const totalsOf = (value: unknown): Totals | null => {
  if (!isObject(value) || !('input_tokens' in value || 'output_tokens' in value)) return null
  return {
    input: asCount(value.input_tokens),
    cachedInput: asCount(value.cached_input_tokens),
    cacheWrite: asCount(value.cache_write_input_tokens),
    output: asCount(value.output_tokens),
    reasoning: asCount(value.reasoning_output_tokens),
  }
}

/** How versions about 0.50 counted one request. */
export const oldCount = (info: Json): Totals | null =>
  typeof info.prompt === 'number' || typeof info.completion === 'number'
    ? {
        input: asCount(info.prompt),
        cachedInput: 0,
        cacheWrite: 0,
        output: asCount(info.completion),
        reasoning: 0,
      }
    : null

/** What was used since the running total before; a total that is smaller has begun anew. */
export const sinceTotals = (before: Totals, now: Totals): { used: Totals; isNew: boolean } => {
  const isNew = now.input < before.input || now.output < before.output
  const from = isNew ? { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 } : before
  const part = (key: keyof Totals): number => Math.max(0, now[key] - from[key])
  return {
    used: {
      input: part('input'),
      cachedInput: part('cachedInput'),
      cacheWrite: part('cacheWrite'),
      output: part('output'),
      reasoning: part('reasoning'),
    },
    isNew,
  }
}
