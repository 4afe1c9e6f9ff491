// Every recorded and damaged stream of the cases folder, read through the SDKs' own client and decoder.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { casesIn } from '../../../test/setup/cases.ts'
import { isProviderFailure } from './errors.ts'
import { record } from './fields.ts'
import { createProvider } from './provider.ts'
import type { ModelEvent, OutputBlock, ProviderError, Usage, WireKind } from './types.ts'

const CASES = casesIn('streams').path
const WIRES: Record<string, WireKind> = {
  responses: 'openai-responses',
  chat: 'openai-chat',
  anthropic: 'anthropic-messages',
  gemini: 'google-genai',
}

type Expected = {
  text: string
  reasoning: string
  tool_calls: {
    id: string | null
    name: string
    arguments_text?: string
    input?: string
    kind?: string
    /** Of the wire that sends arguments as an object, and the pieces it may send instead. */
    arguments?: unknown
    partial_args?: { jsonPath: string; stringValue?: string }[]
  }[]
  other_items: { type?: string; kind?: string }[]
  finish_reason: string | null
  usage: Record<string, unknown> | null
  errors: unknown[]
  response_id: string | null
  terminal_seen?: boolean
  /** Present where a recording's deltas and its final object differ. */
  final_text?: string
}

type Case = { name: string; wire: WireKind; expected: Expected; body: Buffer; splits: number[] | null }

function casesOf(folder: string): Case[] {
  const root = join(CASES, folder)
  if (!existsSync(root)) return []
  return readdirSync(root).flatMap((name) => {
    const at = join(root, name)
    const wire = WIRES[name.split('--')[0] ?? '']
    if (wire === undefined || !existsSync(join(at, 'expected.json'))) return []
    const splits = join(at, 'split-offsets.json')
    return [
      {
        name,
        wire,
        expected: JSON.parse(readFileSync(join(at, 'expected.json'), 'utf8')) as Expected,
        body: readFileSync(join(at, 'response.sse')),
        splits: existsSync(splits) ? (JSON.parse(readFileSync(splits, 'utf8')) as number[]) : null,
      },
    ]
  })
}

type Read = { events: ModelEvent[]; error: ProviderError | null }

async function read(wire: WireKind, chunks: Uint8Array[]): Promise<Read> {
  const body = new ReadableStream({
    start(out) {
      for (const chunk of chunks) out.enqueue(chunk)
      out.close()
    },
  })
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const provider = createProvider({ wire, baseUrl: 'http://model.test/v1', apiKey: 'k' }, { fetch: answer })
  const events: ModelEvent[] = []
  try {
    const request = { body: Buffer.from('{}'), model: 'm' }
    for await (const event of provider.stream(request, new AbortController().signal)) events.push(event)
  } catch (thrown) {
    if (!isProviderFailure(thrown)) throw thrown
    return { events, error: thrown.error }
  }
  return { events, error: null }
}

/** Text of the completed items, and for those that never completed what was shown of them. */
function told(events: ModelEvent[], sameText: boolean) {
  const texts = new Map<number, { kind: string; text: string }>()
  const blocks: OutputBlock[] = []
  let usage: Usage | null = null
  let stop: string | null = null
  let responseId: string | null = null
  for (const event of events) {
    if (event.type === 'response.started') responseId = event.responseId
    if (event.type === 'item.started') texts.set(event.item, { kind: event.kind, text: '' })
    if (event.type === 'text.delta' || event.type === 'reasoning.delta') {
      const open = texts.get(event.item)
      if (open !== undefined) open.text += event.text
    }
    if (event.type === 'item.completed') {
      blocks.push(event.block)
      if (sameText && (event.block.kind === 'assistant' || event.block.kind === 'reasoning')) {
        expect(texts.get(event.item)?.text, 'deltas equal the completed item').toBe(event.block.text)
      }
    }
    if (event.type === 'usage') usage = event.usage
    if (event.type === 'completed') {
      stop = event.rawStopReason
      responseId = event.responseId
    }
  }
  const join = (kind: string) =>
    [...texts.values()].flatMap((each) => (each.kind === kind ? [each.text] : [])).join('')
  return { text: join('assistant'), reasoning: join('reasoning'), blocks, usage, stop, responseId }
}

/** The vendor's usage fields as the neutral figures. */
function usageOf(wire: WireKind, given: Record<string, unknown>): Usage {
  const n = (value: unknown) => Number(value ?? 0)
  const of = (key: string) => record(given[key]) ?? {}
  if (wire === 'anthropic-messages') {
    const cached = n(given.cache_read_input_tokens)
    const written = n(given.cache_creation_input_tokens)
    return {
      inputTokens: n(given.input_tokens) + cached + written,
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      outputTokens: n(given.output_tokens),
      reasoningTokens: n(of('output_tokens_details').thinking_tokens),
    }
  }
  if (wire === 'google-genai')
    return {
      inputTokens: n(given.promptTokenCount) + n(given.toolUsePromptTokenCount),
      cachedInputTokens: n(given.cachedContentTokenCount),
      cacheWriteTokens: 0,
      outputTokens: n(given.candidatesTokenCount) + n(given.thoughtsTokenCount),
      reasoningTokens: n(given.thoughtsTokenCount),
    }
  if (wire === 'openai-responses')
    return {
      inputTokens: n(given.input_tokens),
      cachedInputTokens: n(of('input_tokens_details').cached_tokens),
      cacheWriteTokens: n(of('input_tokens_details').cache_write_tokens),
      outputTokens: n(given.output_tokens),
      reasoningTokens: n(of('output_tokens_details').reasoning_tokens),
    }
  return {
    inputTokens: n(given.prompt_tokens),
    cachedInputTokens: n(of('prompt_tokens_details').cached_tokens ?? given.cached_tokens),
    cacheWriteTokens: n(of('prompt_tokens_details').cache_write_tokens),
    // Completion tokens, with reasoning wherever the vendor counts it: the total minus the prompt.
    outputTokens: n(given.total_tokens) - n(given.prompt_tokens),
    reasoningTokens: n(of('completion_tokens_details').reasoning_tokens),
  }
}

/** Arguments in pieces are checked piece by piece: every string must have found its place. */
function argumentsOf(call: Expected['tool_calls'][number]): unknown {
  if (call.partial_args !== undefined)
    return expect.stringContaining(String(call.partial_args[0]?.stringValue))
  const written = call.arguments_text ?? call.input
  return written === undefined ? JSON.stringify(call.arguments ?? {}) : written || '{}'
}

function check({ wire, expected }: Case, { events, error }: Read, damaged: boolean): void {
  const got = told(events, expected.final_text === undefined)
  expect(got.text).toBe(expected.text)
  expect(got.reasoning.replace(/\s+/g, '')).toBe(expected.reasoning.replace(/\s+/g, ''))
  if (error === null) expect(got.responseId).toBe(expected.response_id || null)
  const ours = got.blocks.flatMap((block) => (block.kind === 'tool_call' ? [block] : []))
  const theirs = expected.tool_calls.filter((call) => call.kind === undefined || call.kind === 'custom')
  if (error === null) {
    expect(ours.map((call) => [call.callId, call.name, call.argumentsText])).toEqual(
      theirs.map((call) => [call.id ?? '', call.name, argumentsOf(call)]),
    )
    expect(got.stop).toBe(expected.finish_reason)
    expect(expected.errors).toEqual([])
  } else {
    // Nothing may run that the stream did not finish.
    for (const call of ours) expect(theirs.map((each) => each.id ?? '')).toContain(call.callId)
    if (expected.errors.length > 0) expect(error.code).not.toBe('stream_cut')
    else expect([error.code, expected.terminal_seen]).toEqual(['stream_cut', false])
    expect(damaged || expected.errors.length > 0).toBe(true)
  }
  if (expected.usage !== null) expect(got.usage).toEqual(usageOf(wire, expected.usage))
}

const recorded = casesOf('recorded')
const derived = casesOf('derived')

it.skipIf(recorded.length === 0)('finds the recorded streams (needs CASES_DIR)', () => {
  expect(recorded.length).toBeGreaterThan(100)
  expect(derived.length).toBeGreaterThan(10)
})

for (const each of recorded)
  it(`recorded: ${each.name}`, async () => check(each, await read(each.wire, [each.body]), false))

for (const each of derived)
  it(`damaged: ${each.name}`, async () => {
    const { body, splits } = each
    if (splits === null) return check(each, await read(each.wire, [body]), true)
    const cuts = [0, ...splits, body.length]
    const chunks = cuts.slice(1).map((end, at) => body.subarray(cuts[at], end))
    check(each, await read(each.wire, chunks), false)
    // One byte a chunk is the worst case.
    check(
      each,
      await read(
        each.wire,
        Array.from(body, (byte) => Uint8Array.of(byte)),
      ),
      false,
    )
  })
