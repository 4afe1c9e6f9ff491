/** Which format a file has, from how it begins: its name says nothing. Knows nothing of what comes after. */
import type { ImportFormat } from '../../../protocol/import.ts'
import { createDocument } from './document.ts'
import { asArray, asObject, asText, isObject, type Json, parsed } from './values.ts'

export type Detected =
  | { type: 'zip' }
  /** `isDocument`: the values are not one a line. */
  | { type: 'json'; format: ImportFormat; isDocument: boolean }
  | { type: 'none'; why: 'empty' | 'not_json' | 'not_utf8' | 'unknown' }

const has = (value: Json, ...keys: string[]): boolean => keys.every((key) => key in value)

const codexLines =
  /^(?:session_meta|response_item|event_msg|turn_context|compacted|world_state|token_usage_record|inter_agent_.*)$/
const codexItems = /^(?:message|reasoning|ghost_snapshot|.*_call|.*_call_output)$/
const claudeLines =
  /^(?:user|assistant|system|summary|progress|attachment|file-history-snapshot|queue-operation|custom-title|ai-title|last-prompt|permission-mode|pr-link|agent-name|mode)$/
const piLines =
  /^(?:session|message|model_change|thinking_level_change|compaction|branch_summary|custom|custom_message|label|session_info)$/

const rules: [ImportFormat, (value: Json, type: string) => boolean][] = [
  ['baton', (value, type) => type === 'header' && value.format === 'baton-rollout'],
  ['codex', (value, type) => codexLines.test(type) && isObject(value.payload)],
  [
    'inspect',
    (value) => has(value, 'eval') && (has(value, 'version') || has(value, 'samples') || has(value, 'status')),
  ],
  [
    'swe-agent',
    (value) =>
      has(value, 'trajectory', 'history') ||
      has(value, 'trajectory', 'info') ||
      'trajectory_format' in value ||
      (Array.isArray(value.history) &&
        isObject(value.history[0]) &&
        has(value.history[0], 'role', 'content')) ||
      (has(value, 'messages', 'info') && Array.isArray(value.messages)),
  ],
  [
    'openhands',
    (value) =>
      (has(value, 'source') &&
        (has(value, 'action') || has(value, 'observation') || /Event$/.test(asText(value.kind)))) ||
      has(value, 'instance_id', 'history') ||
      (has(value, 'test_result', 'metadata') && 'history' in value),
  ],
  [
    'claude-code',
    (value, type) =>
      claudeLines.test(type) &&
      (has(value, 'sessionId') ||
        has(value, 'parentUuid') ||
        has(value, 'leafUuid') ||
        has(value, 'uuid') ||
        has(value, 'messageId')),
  ],
  [
    'pi',
    (value, type) =>
      (piLines.test(type) && has(value, 'timestamp') && (type !== 'message' || isObject(value.message))) ||
      (type === 'session' && has(value, 'id')),
  ],
  [
    'codex',
    (value, type) =>
      'record_type' in value ||
      (type === '' && has(value, 'id', 'timestamp', 'instructions')) ||
      (codexItems.test(type) &&
        (has(value, 'role', 'content') || has(value, 'call_id') || has(value, 'summary'))),
  ],
]

/** The format that one value of a file speaks; null when none does. */
export const formatOf = (value: unknown): ImportFormat | null => {
  if (Array.isArray(value)) {
    const [first] = value
    // A bare list of messages, as the smallest agents keep it.
    if (isObject(first) && has(first, 'role', 'content') && !('type' in first)) return 'swe-agent'
    return isObject(first) ? formatOf(first) : null
  }
  if (!isObject(value)) return null
  const type = asText(value.type)
  return rules.find(([, fits]) => fits(value, type))?.[0] ?? null
}

/** What can be seen of a document's outermost value, whose end may be missing. */
const outline = (head: Uint8Array): unknown => {
  const document = createDocument({
    descend: (path) => path.length === 0 || (path.length === 1 && path[0] === 0),
    maxBytes: head.length,
  })
  let isList = false
  const seen: Json = {}
  const parts = [...document.push(head), ...document.end()]
  for (const part of parts) {
    if (part.type === 'enter' && part.path[0] === 0) isList = true
    if (part.type !== 'value' && part.type !== 'large') continue
    const key = part.path.at(-1)
    if (typeof key !== 'string' || part.path.length > (isList ? 2 : 1)) continue
    const text = Buffer.from(part.bytes).toString('utf8')
    // Of a value whose end is missing, its kind is all that is known.
    seen[key] ??= part.type === 'value' ? parsed(text) : text.startsWith('[') ? [] : {}
  }
  return isList ? [seen] : seen
}

const isText = (byte: number | undefined): boolean => byte === 123 || byte === 91

/** `head`: the file's first bytes, all of them when `isWhole`. Formats with documents of their own are told by `hasDocument`. */
export const detect = (
  head: Buffer,
  isWhole: boolean,
  hasDocument: (format: ImportFormat) => boolean,
): Detected => {
  if (head.length === 0) return { type: 'none', why: 'empty' }
  if (head.subarray(0, 4).equals(Buffer.from([0x50, 0x4b, 3, 4]))) return { type: 'zip' }
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff))
    return { type: 'none', why: 'not_utf8' }
  const text = head.toString('utf8').replace(/^\ufeff/, '')
  const first = text.trimStart()
  if (first === '') return { type: 'none', why: 'empty' }

  const lines = text.split('\n')
  // The last line may go on beyond the head.
  const whole = isWhole ? lines : lines.slice(0, -1)
  const filled = whole.filter((line) => line.trim() !== '')
  const isLines = filled.some((line) => isObject(parsed(line)))
  for (const line of filled) {
    const value = parsed(line)
    const format = value === null ? null : formatOf(value)
    if (format !== null)
      return { type: 'json', format, isDocument: hasDocument(format) || asArray(value).length > 0 }
  }
  if (!isText(first.charCodeAt(0)) && !isLines) return { type: 'none', why: 'not_json' }
  const seen = outline(Buffer.from(first))
  const format = formatOf(seen)
  if (format === null)
    return { type: 'none', why: isLines || Object.keys(asObject(seen)).length > 0 ? 'unknown' : 'not_json' }
  // One line that is longer than the head is a line all the same.
  const isOneLine = filled.length === 0 && !isWhole && !Array.isArray(seen)
  return { type: 'json', format, isDocument: hasDocument(format) || !isOneLine }
}
