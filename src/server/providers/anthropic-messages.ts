// Anthropic Messages: how blocks, envelope and cache marks become its request body. The answer's side is
// anthropic-messages-stream.ts. Blocks of one step share one message, because thinking, text and calls belong together
// and results must follow their calls in one user message.
import type { Effort } from '../../protocol/settings.ts'
import { anthropicMessagesStream } from './anthropic-messages-stream.ts'
import { record } from './fields.ts'
import type {
  Envelope,
  OutputBlock,
  PromptBlock,
  PromptPart,
  WindowTraits,
  Wire,
  WireBlock,
} from './types.ts'
import { BodyWriter, json, jsonOf, makeWireBlock, runsOf } from './wire-block.ts'

const MARK = ',"cache_control":{"type":"ephemeral"}}'
/** The vendor's limit of marks in one request. */
const MAX_MARKS = 4
/** Share of the output limit that budgeted thinking may take, and the vendor's minimum. */
const THINKING_SHARE: Record<Effort, number> = {
  none: 0,
  minimal: 0.05,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.7,
  max: 0.8,
}
const MIN_THINKING_TOKENS = 1024

export const anthropicMessages: Wire = {
  kind: 'anthropic-messages',
  encodeBlock,
  sendable,
  encodeEnvelope,
  planCacheMarks,
  assembleBody,
  ...anthropicMessagesStream,
}

function encodeBlock(block: PromptBlock, traits: WindowTraits): WireBlock | null {
  switch (block.kind) {
    case 'tool':
      return makeWireBlock(
        'tool',
        '',
        json({ name: block.name, description: block.description, input_schema: block.parameters }),
      )
    case 'instructions':
      return makeWireBlock('instructions', '', json({ type: 'text', text: filled(block.text) }))
    case 'developer':
    case 'user':
      return makeWireBlock('item', '', encodeParts(block.parts, traits))
    case 'assistant':
      return block.text.trim() === ''
        ? null
        : makeWireBlock('assistant', block.group, json({ type: 'text', text: block.text }))
    case 'reasoning':
      if (traits.reasoning === 'none' || !isSigned(block)) return null
      return makeWireBlock('reasoning', block.group, json(block.payload?.item), false)
    case 'tool_call':
      return makeWireBlock(
        'call',
        block.group,
        json({
          type: 'tool_use',
          id: safeId(block.callId),
          name: block.name,
          input: input(block.argumentsText),
        }),
      )
    case 'tool_result': {
      const parts = encodeParts(block.parts, traits)
      const head = json({
        type: 'tool_result',
        tool_use_id: safeId(block.callId),
        ...(block.isError ? { is_error: true } : {}),
      })
      return makeWireBlock('result', block.group, `${head.slice(0, -1)},"content":[${parts}]}`)
    }
    case 'other':
      return block.payload.wire === 'anthropic-messages'
        ? makeWireBlock('assistant', block.group, json(block.payload.item), false)
        : null
  }
}

function encodeParts(parts: readonly PromptPart[], traits: WindowTraits): string {
  const encoded = parts
    .filter((part) => part.type === 'image' || part.text.trim() !== '')
    .map((part) => {
      if (part.type === 'text') return json({ type: 'text', text: part.text })
      if (!traits.images)
        return json({ type: 'text', text: '[An image was here; this model cannot see images.]' })
      return json({
        type: 'image',
        source: { type: 'base64', media_type: part.mediaType, data: part.data },
      })
    })
  return encoded.length > 0 ? encoded.join(',') : json({ type: 'text', text: filled('') })
}

/** The vendor refuses empty text. */
function filled(text: string): string {
  return text.trim() === '' ? '(empty)' : text
}

function safeId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_')
}

/** The vendor wants an object here; text that is none is kept under a name that says so. */
function input(argumentsText: string): unknown {
  if (argumentsText.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(argumentsText)
    if (record(parsed) !== null) return parsed
  } catch {
    // Falls through: the model sees what it wrote.
  }
  return { unparsed_arguments: argumentsText }
}

function isSigned(block: Extract<OutputBlock, { kind: 'reasoning' }>): boolean {
  const item = block.payload?.wire === 'anthropic-messages' ? block.payload.item : null
  if (item === null) return false
  if (item.type === 'redacted_thinking') return typeof item.data === 'string' && item.data !== ''
  return item.type === 'thinking' && typeof item.signature === 'string' && item.signature !== ''
}

/** Signed thinking only, and only before something it led to; vendor-run tools only with their results. */
function sendable(output: readonly OutputBlock[], traits: WindowTraits): OutputBlock[] {
  const answered = new Set(
    output.map((block) => (block.kind === 'other' ? block.payload.item.tool_use_id : undefined)),
  )
  const kept: OutputBlock[] = []
  for (const block of [...output].reverse()) {
    if (block.kind === 'assistant' && block.text.trim() === '') continue
    if (block.kind === 'tool_call' && (block.callId === '' || block.name === '')) continue
    if (block.kind === 'reasoning' && (traits.reasoning === 'none' || !isSigned(block) || kept.length === 0))
      continue
    if (block.kind === 'other' && /_tool_use$/.test(block.label) && !answered.has(block.payload.item.id))
      continue
    kept.push(block)
  }
  return kept.reverse()
}

function encodeEnvelope(envelope: Envelope, traits: WindowTraits): Uint8Array {
  return Buffer.from(
    json({
      model: envelope.model,
      stream: true,
      max_tokens: envelope.maxOutputTokens,
      ...(envelope.thinking ? thinking(envelope, traits) : {}),
      ...envelope.extra,
    }),
  )
}

/** The vendor's lowest word is `low`. */
function levelOf(effort: Effort): Effort {
  return effort === 'none' || effort === 'minimal' ? 'low' : effort
}

function thinking(envelope: Envelope, traits: WindowTraits): Record<string, unknown> {
  if (traits.thinking === 'adaptive')
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      ...(envelope.effort === null ? {} : { output_config: { effort: levelOf(envelope.effort) } }),
    }
  if (traits.thinking === 'none') return {}
  const share = THINKING_SHARE[envelope.effort ?? 'medium']
  const budget = Math.max(MIN_THINKING_TOKENS, Math.floor(envelope.maxOutputTokens * share))
  return budget < envelope.maxOutputTokens ? { thinking: { type: 'enabled', budget_tokens: budget } } : {}
}

/** The end of the frozen head, the end of the last request, and the end of this one. */
function planCacheMarks(blocks: readonly WireBlock[], previousCount: number): number[] {
  const marks = new Set<number>()
  const lastBefore = (end: number) => {
    for (let at = end - 1; at >= 0; at -= 1) if (blocks[at]?.markable) return at
    return -1
  }
  const head = blocks.findLastIndex((block) => block.slot === 'instructions' || block.slot === 'tool')
  for (const at of [head, lastBefore(Math.min(previousCount, blocks.length)), lastBefore(blocks.length)])
    if (at >= 0) marks.add(at)
  return [...marks].sort((a, b) => a - b).slice(-MAX_MARKS)
}

function assembleBody(
  envelope: Uint8Array,
  blocks: readonly WireBlock[],
  cacheMarks: readonly number[],
): Uint8Array {
  const marked = new Set(cacheMarks.map((at) => blocks[at]))
  const write = (body: BodyWriter, list: readonly WireBlock[]) => {
    list.forEach((block, at) => {
      const fragment = jsonOf(block)
      if (at > 0) body.put(',')
      if (marked.has(block)) body.put(fragment.subarray(0, fragment.length - 1), MARK)
      else body.put(fragment)
    })
  }
  const body = new BodyWriter().put(envelope.subarray(0, envelope.length - 1))
  for (const [slot, field] of [
    ['tool', ',"tools":['],
    ['instructions', ',"system":['],
  ] as const) {
    const list = blocks.filter((block) => block.slot === slot)
    if (list.length === 0) continue
    body.put(field)
    write(body, list)
    body.put(']')
  }
  body.put(',"messages":[')
  runsOf(blocks).forEach((run, at) => {
    if (at > 0) body.put(',')
    body.put(run.role === 'assistant' ? '{"role":"assistant","content":[' : '{"role":"user","content":[')
    write(body, run.blocks)
    body.put(']}')
  })
  return body.put(']}').bytes()
}
