// Google's generateContent: how blocks and envelope become its request body; the model stands in the address. The
// answer's side is google-genai-stream.ts. Calls and results of one step share a message each, because the vendor wants
// as many results in the next message as there were calls. What it cached it finds by itself: there are no marks; a copy
// of the head that was made on demand (google-head-copies.ts) stands in the envelope by its name.
import type { Effort } from '../../protocol/settings.ts'
import { record } from './fields.ts'
import { googleGenaiStream } from './google-genai-stream.ts'
import type {
  Envelope,
  OutputBlock,
  PromptBlock,
  PromptPart,
  ProviderPayload,
  WindowTraits,
  Wire,
  WireBlock,
} from './types.ts'
import { BodyWriter, json, jsonOf, makeWireBlock, runsOf } from './wire-block.ts'

/** Tokens of thought on models that take a number; -1 lets the model decide. Within the limits of every 2.5 model. */
const THINKING_BUDGET: Record<Effort, number> = {
  none: 0,
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
}
/** The vendor's levels; it has none for no thought at all and none above its highest. */
const THINKING_LEVEL: Record<Effort, string> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'XHIGH',
  max: 'XHIGH',
}
const DYNAMIC = -1

export const googleGenai: Wire = {
  kind: 'google-genai',
  encodeBlock,
  sendable,
  encodeEnvelope,
  planCacheMarks: () => [],
  assembleBody,
  ...googleGenaiStream,
}

function encodeBlock(block: PromptBlock, traits: WindowTraits): WireBlock | null {
  switch (block.kind) {
    case 'tool':
      return makeWireBlock(
        'tool',
        '',
        json({ name: block.name, description: block.description, parametersJsonSchema: block.parameters }),
      )
    case 'instructions':
      return makeWireBlock('instructions', '', json({ text: block.text }))
    case 'developer':
    case 'user':
      return makeWireBlock('item', '', encodeParts(block.parts, traits))
    case 'assistant': {
      const signed = signedParts(block.payload, traits)
      if (signed !== null) return makeWireBlock('assistant', block.group, signed)
      return block.text === '' ? null : makeWireBlock('assistant', block.group, json({ text: block.text }))
    }
    case 'reasoning': {
      const signed = signedParts(block.payload, traits)
      return signed === null ? null : makeWireBlock('reasoning', block.group, signed)
    }
    case 'tool_call':
      return makeWireBlock('call', block.group, encodeCall(block, traits))
    case 'tool_result':
      return makeWireBlock('result', block.group, encodeResult(block, traits))
    case 'other':
      return block.payload.wire === 'google-genai'
        ? makeWireBlock('assistant', block.group, json(block.payload.item))
        : null
  }
}

function encodeParts(parts: readonly PromptPart[], traits: WindowTraits): string {
  const encoded = parts
    .filter((part) => part.type === 'image' || part.text !== '')
    .map((part) => {
      if (part.type === 'text') return json({ text: part.text })
      if (!traits.images) return json({ text: '[An image was here; this model cannot see images.]' })
      return json({ inlineData: { mimeType: part.mediaType, data: part.data } })
    })
  return encoded.length > 0 ? encoded.join(',') : json({ text: '(empty)' })
}

/** Signed parts as they came, as fragments with commas between. Null when nothing may be handed back. */
function signedParts(payload: ProviderPayload | null | undefined, traits: WindowTraits): string | null {
  const parts = payload?.wire === 'google-genai' ? payload.item.parts : null
  if (traits.reasoning === 'none' || !Array.isArray(parts) || parts.length === 0) return null
  return parts.map(json).join(',')
}

/** The id is always ours: the vendor gives some calls none, and results must find theirs. */
function encodeCall(block: Extract<OutputBlock, { kind: 'tool_call' }>, traits: WindowTraits): string {
  const item = block.payload?.wire === 'google-genai' ? block.payload.item : {}
  const signed = traits.reasoning !== 'none' && typeof item.thoughtSignature === 'string'
  const args = record(item.functionCall)?.args ?? input(block.argumentsText)
  return json({
    functionCall: { id: block.callId, name: block.name, args },
    ...(signed ? { thoughtSignature: item.thoughtSignature } : {}),
  })
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

/** Pictures stand beside the response, which older models could not read inside it. */
function encodeResult(block: Extract<PromptBlock, { kind: 'tool_result' }>, traits: WindowTraits): string {
  const said = block.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const pictures = block.parts.filter((part) => part.type === 'image')
  const response = block.isError ? { error: said } : { output: said }
  const result = json({ functionResponse: { id: block.callId, name: block.name, response } })
  return pictures.length === 0 ? result : `${result},${encodeParts(pictures, traits)}`
}

function mayGoBack(block: OutputBlock, traits: WindowTraits): boolean {
  switch (block.kind) {
    case 'assistant':
      return block.text.trim() !== '' || signedParts(block.payload, traits) !== null
    case 'tool_call':
      return block.callId !== '' && block.name !== ''
    case 'reasoning':
      return signedParts(block.payload, traits) !== null
    case 'other':
      return block.payload.wire === 'google-genai'
  }
}

/** A signature stays with what it was given for: alone it says nothing, before or after something it is kept. */
function sendable(output: readonly OutputBlock[], traits: WindowTraits): OutputBlock[] {
  const kept = output.filter((block) => mayGoBack(block, traits))
  return kept.some((block) => block.kind !== 'reasoning') ? kept : []
}

function encodeEnvelope(envelope: Envelope, traits: WindowTraits): Uint8Array {
  return Buffer.from(
    json({
      generationConfig: {
        maxOutputTokens: envelope.maxOutputTokens,
        ...(envelope.thinking ? thinking(envelope, traits) : {}),
      },
      ...(envelope.headCopy === undefined ? {} : { cachedContent: envelope.headCopy }),
      ...envelope.extra,
    }),
  )
}

function thinking({ effort }: Envelope, traits: WindowTraits): Record<string, unknown> {
  if (traits.thinking === 'none') return {}
  const depth =
    traits.thinking === 'budget'
      ? { thinkingBudget: effort === null ? DYNAMIC : THINKING_BUDGET[effort] }
      : effort === null
        ? {}
        : { thinkingLevel: THINKING_LEVEL[effort] }
  return { thinkingConfig: { includeThoughts: true, ...depth } }
}

function assembleBody(envelope: Uint8Array, blocks: readonly WireBlock[]): Uint8Array {
  const body = new BodyWriter().put(envelope.subarray(0, envelope.length - 1))
  // The vendor refuses a head beside the name of its copy.
  const named = JSON.parse(Buffer.from(envelope).toString()).cachedContent !== undefined
  for (const [slot, before, after] of [
    ['tool', ',"tools":[{"functionDeclarations":[', ']}]'],
    ['instructions', ',"systemInstruction":{"parts":[', ']}'],
  ] as const) {
    const list = blocks.filter((block) => block.slot === slot)
    if (list.length > 0 && !named) body.put(before).list(list.map(jsonOf)).put(after)
  }
  body.put(',"contents":[')
  runsOf(blocks).forEach((run, at) => {
    if (at > 0) body.put(',')
    body.put(run.role === 'assistant' ? '{"role":"model","parts":[' : '{"role":"user","parts":[')
    body.list(run.blocks.map(jsonOf)).put(']}')
  })
  return body.put(']}').bytes()
}
