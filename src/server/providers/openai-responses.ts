// OpenAI Responses: how blocks and envelope become its request body. The answer's side is openai-responses-stream.ts.
// Stateless use only (`store: false`): reasoning comes back encrypted and is replayed whole; ids of messages and calls
// are not sent, because the vendor ties them to reasoning that may be absent.
import { openaiResponsesStream } from './openai-responses-stream.ts'
import type {
  Envelope,
  OutputBlock,
  PromptBlock,
  PromptPart,
  WindowTraits,
  Wire,
  WireBlock,
} from './types.ts'
import { BodyWriter, joinStrings, json, jsonOf, makeWireBlock } from './wire-block.ts'

export const openaiResponses: Wire = {
  kind: 'openai-responses',
  encodeBlock,
  sendable,
  encodeEnvelope,
  planCacheMarks: () => [],
  assembleBody,
  ...openaiResponsesStream,
}

function encodeBlock(block: PromptBlock, traits: WindowTraits): WireBlock | null {
  switch (block.kind) {
    case 'tool':
      return makeWireBlock(
        'tool',
        '',
        json({
          type: 'function',
          name: block.name,
          description: block.description,
          strict: block.strict ?? false,
          parameters: block.parameters,
        }),
      )
    case 'instructions':
      return makeWireBlock('instructions', '', json(block.text))
    case 'developer':
    case 'user':
      return item('', {
        type: 'message',
        role: block.kind,
        content: block.parts.map((part) => encodePart(part, traits)),
      })
    case 'assistant': {
      const phase = block.payload?.wire === 'openai-responses' ? block.payload.item.phase : undefined
      return item(block.group, {
        type: 'message',
        role: 'assistant',
        content: block.text,
        ...(typeof phase === 'string' ? { phase } : {}),
      })
    }
    case 'reasoning':
      if (traits.reasoning === 'none' || block.payload?.wire !== 'openai-responses') return null
      return item(block.group, block.payload.item)
    case 'tool_call':
      return item(block.group, {
        type: 'function_call',
        call_id: block.callId,
        name: block.name,
        arguments: block.argumentsText,
      })
    case 'tool_result': {
      const first = block.parts[0]
      const output =
        block.parts.length === 1 && first?.type === 'text'
          ? first.text
          : block.parts.map((part) => encodePart(part, traits))
      return item(block.group, { type: 'function_call_output', call_id: block.callId, output })
    }
    case 'other':
      return block.payload.wire === 'openai-responses' ? item(block.group, block.payload.item) : null
  }
}

function item(group: string, value: unknown): WireBlock {
  return makeWireBlock('item', group, json(value))
}

function encodePart(part: PromptPart, traits: WindowTraits): unknown {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (!traits.images)
    return { type: 'input_text', text: '[An image was here; this model cannot see images.]' }
  return {
    type: 'input_image',
    detail: 'auto',
    image_url: `data:${part.mediaType};base64,${part.data}`,
  }
}

/** A reasoning item must be followed by an item of its own response, and must carry something that can be replayed. */
function sendable(output: readonly OutputBlock[], traits: WindowTraits): OutputBlock[] {
  const kept: OutputBlock[] = []
  for (const block of [...output].reverse()) {
    if (block.kind === 'assistant' && block.text === '') continue
    if (block.kind === 'tool_call' && (block.callId === '' || block.name === '')) continue
    if (block.kind === 'reasoning') {
      const follower = kept.at(-1)
      if (traits.reasoning === 'none' || follower === undefined || !canReplay(block)) continue
    }
    kept.push(block)
  }
  return kept.reverse()
}

function canReplay(block: Extract<OutputBlock, { kind: 'reasoning' }>): boolean {
  const payload = block.payload
  if (payload?.wire !== 'openai-responses') return false
  const content = payload.item.content
  return typeof payload.item.encrypted_content === 'string' || (Array.isArray(content) && content.length > 0)
}

function encodeEnvelope(envelope: Envelope, traits: WindowTraits): Uint8Array {
  return Buffer.from(
    json({
      model: envelope.model,
      stream: true,
      store: false,
      max_output_tokens: envelope.maxOutputTokens,
      ...(envelope.thinking
        ? {
            reasoning: { ...(envelope.effort === null ? {} : { effort: envelope.effort }), summary: 'auto' },
            include: ['reasoning.encrypted_content'],
          }
        : {}),
      ...(envelope.parallelToolCalls ? {} : { parallel_tool_calls: false }),
      ...(traits.cacheKey ? { prompt_cache_key: envelope.promptCacheKey } : {}),
      ...envelope.extra,
    }),
  )
}

function assembleBody(envelope: Uint8Array, blocks: readonly WireBlock[]): Uint8Array {
  const of = (slot: string) => blocks.filter((block) => block.slot === slot).map(jsonOf)
  const tools = of('tool')
  const instructions = of('instructions')
  const body = new BodyWriter().put(envelope.subarray(0, envelope.length - 1))
  if (tools.length > 0) body.put(',"tool_choice":"auto","tools":[').list(tools).put(']')
  if (instructions.length > 0) body.put(',"instructions":', ...joinStrings(instructions, '\\n\\n'))
  return body.put(',"input":[').list(of('item')).put(']}').bytes()
}
