// OpenAI Chat Completions and the many servers that speak it: how blocks and envelope become the request body.
// The answer's side is openai-chat-stream.ts. What a server accepts beyond the common core comes from the window's
// traits; nothing here knows a vendor's name.
import { openaiChatStream } from './openai-chat-stream.ts'
import type {
  Envelope,
  OutputBlock,
  PromptBlock,
  PromptPart,
  WindowTraits,
  Wire,
  WireBlock,
} from './types.ts'
import { BodyWriter, joinStrings, json, jsonOf, makeWireBlock, runsOf } from './wire-block.ts'

export const openaiChat: Wire = {
  kind: 'openai-chat',
  encodeBlock,
  sendable,
  encodeEnvelope,
  planCacheMarks: () => [],
  assembleBody,
  ...openaiChatStream,
}

function encodeBlock(block: PromptBlock, traits: WindowTraits): WireBlock | null {
  switch (block.kind) {
    case 'tool':
      return makeWireBlock(
        'tool',
        '',
        json({
          type: 'function',
          function: {
            name: block.name,
            description: block.description,
            parameters: block.parameters,
            ...(block.strict === undefined ? {} : { strict: block.strict }),
          },
        }),
      )
    case 'instructions':
      return makeWireBlock(
        'item',
        '',
        json({ role: traits.developerRole === 'developer' ? 'developer' : 'system', content: block.text }),
      )
    case 'developer':
      return message(traits.developerRole, block.parts, traits)
    case 'user':
      return message('user', block.parts, traits)
    case 'assistant':
      return block.text === '' ? null : makeWireBlock('assistant', block.group, json(block.text))
    case 'reasoning':
      return encodeReasoning(block, traits)
    case 'tool_call':
      return makeWireBlock(
        'call',
        block.group,
        json({
          id: block.callId,
          type: 'function',
          function: { name: block.name, arguments: block.argumentsText.trim() || '{}' },
        }),
      )
    case 'tool_result':
      return makeWireBlock(
        'item',
        '',
        json({ role: 'tool', tool_call_id: block.callId, content: resultText(block.parts) }),
      )
    case 'other':
      return null
  }
}

function message(role: string, parts: readonly PromptPart[], traits: WindowTraits): WireBlock {
  const sees = traits.images && role === 'user'
  if (!sees || parts.every((part) => part.type === 'text'))
    return makeWireBlock('item', '', json({ role, content: plainText(parts) }))
  const content = parts.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
  )
  return makeWireBlock('item', '', json({ role, content }))
}

function plainText(parts: readonly PromptPart[]): string {
  return parts
    .map((part) =>
      part.type === 'text' ? part.text : '[An image was here; this model cannot see images here.]',
    )
    .join('\n\n')
}

function resultText(parts: readonly PromptPart[]): string {
  return plainText(parts) || '(no output)'
}

/** The stored fragment is one member, `"field":value`, so that a body needs no knowledge of the field. */
function encodeReasoning(
  block: Extract<PromptBlock, { kind: 'reasoning' }>,
  traits: WindowTraits,
): WireBlock | null {
  const field = traits.reasoning
  if (field === 'none' || field === 'payload' || block.payload?.wire !== 'openai-chat') return null
  const item = block.payload.item
  const value =
    field === 'reasoning_details' ? item.reasoning_details : (item.reasoning_content ?? item.reasoning)
  if (field === 'reasoning_details' ? !Array.isArray(value) : typeof value !== 'string') return null
  return makeWireBlock('reasoning', block.group, `${json(field)}:${json(value)}`)
}

/** Reasoning alone is no message; a server that wants reasoning on every message gets an empty one. */
function sendable(output: readonly OutputBlock[], traits: WindowTraits): OutputBlock[] {
  const says = (block: OutputBlock): boolean =>
    (block.kind === 'assistant' && block.text !== '') ||
    (block.kind === 'tool_call' && block.callId !== '' && block.name !== '')
  if (!output.some(says)) return []
  const kept = output.filter(
    (block) =>
      says(block) ||
      (block.kind === 'reasoning' && traits.reasoning !== 'none' && block.payload?.wire === 'openai-chat'),
  )
  if (traits.reasoningOnEveryMessage && !kept.some((block) => block.kind === 'reasoning'))
    kept.unshift({
      kind: 'reasoning',
      text: '',
      payload: { wire: 'openai-chat', item: { reasoning_content: '' } },
    })
  return kept
}

function encodeEnvelope(envelope: Envelope, traits: WindowTraits): Uint8Array {
  return Buffer.from(
    json({
      model: envelope.model,
      stream: true,
      stream_options: { include_usage: true },
      [traits.maxTokensField]: envelope.maxOutputTokens,
      ...(envelope.effort === null ? {} : { reasoning_effort: envelope.effort }),
      ...(envelope.parallelToolCalls ? {} : { parallel_tool_calls: false }),
      ...(traits.cacheKey ? { prompt_cache_key: envelope.promptCacheKey } : {}),
      ...envelope.extra,
    }),
  )
}

function assembleBody(envelope: Uint8Array, blocks: readonly WireBlock[]): Uint8Array {
  const body = new BodyWriter().put(envelope.subarray(0, envelope.length - 1))
  const tools = blocks.filter((block) => block.slot === 'tool').map(jsonOf)
  if (tools.length > 0) body.put(',"tool_choice":"auto","tools":[').list(tools).put(']')
  body.put(',"messages":[')
  runsOf(blocks).forEach((run, at) => {
    if (at > 0) body.put(',')
    if (run.role === 'assistant') putAssistant(body, run.blocks)
    else body.list(run.blocks.map(jsonOf))
  })
  return body.put(']}').bytes()
}

function putAssistant(body: BodyWriter, blocks: readonly WireBlock[]): void {
  const of = (slot: string) => blocks.filter((block) => block.slot === slot).map(jsonOf)
  const texts = of('assistant')
  const calls = of('call')
  body.put('{"role":"assistant","content":')
  if (texts.length > 0) body.put(...joinStrings(texts, ''))
  else body.put(calls.length > 0 ? 'null' : '""')
  const reasoning = of('reasoning')
  const first = reasoning[0]
  if (first !== undefined) {
    const start = first.indexOf(COLON) + 1
    const values = reasoning.map((member) => member.subarray(start))
    body.put(',', first.subarray(0, start))
    if (first[start] === QUOTE) body.put(...joinStrings(values, ''))
    else
      body
        .put('[')
        .list(values.map((value) => value.subarray(1, value.length - 1)))
        .put(']')
  }
  if (calls.length > 0) body.put(',"tool_calls":[').list(calls).put(']')
  body.put('}')
}

const COLON = 0x3a
const QUOTE = 0x22
