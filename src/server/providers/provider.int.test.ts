// The SDK clients against a real HTTP server that speaks their wires: what goes out, what comes back, how it fails.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256 } from '../../lib/sha256.ts'
import type { Reply } from './demo/scenario.ts'
import { type ScriptedModel, startScriptedModel } from './demo/server.ts'
import { isProviderFailure } from './errors.ts'
import { createProvider, type ProviderDeps } from './provider.ts'
import type { Envelope, ModelEvent, PromptBlock, ProviderError, WindowTraits, WireKind } from './types.ts'

const KINDS: WireKind[] = ['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai']
const TRAITS: WindowTraits = {
  reasoning: 'payload',
  reasoningOnEveryMessage: false,
  developerRole: 'user',
  maxTokensField: 'max_tokens',
  thinking: 'adaptive',
  cacheKey: true,
  images: true,
}

let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel({ scenarios: [] })
})
afterAll(() => model.close())

let names = 0
/** A scenario of its own for one test. */
function serve(...replies: Reply[]): string {
  const name = `test-${names++}`
  model.add({
    name,
    rules: replies.map((reply, at) => ({ reply, ...(at < replies.length - 1 ? { times: 1 } : {}) })),
  })
  return name
}

function provider(wire: WireKind, deps: ProviderDeps = {}) {
  const baseUrl = wire === 'anthropic-messages' ? model.url : `${model.url}/v1`
  return createProvider({ wire, baseUrl, apiKey: 'test-key' }, deps)
}

function requestFor(wire: WireKind, name: string, said = 'Hi'): { body: Uint8Array; model: string } {
  const { encodeBlock, encodeEnvelope, assembleBody } = provider(wire).wire
  const envelope: Envelope = {
    model: name,
    effort: null,
    thinking: true,
    maxOutputTokens: 1000,
    promptCacheKey: 'win_1',
    parallelToolCalls: true,
  }
  const blocks: PromptBlock[] = [
    {
      kind: 'tool',
      name: 'exec_command',
      description: 'Runs.',
      parameters: { type: 'object', properties: {} },
    },
    { kind: 'instructions', text: 'Be brief.' },
    { kind: 'user', parts: [{ type: 'text', text: said }] },
  ]
  const encoded = blocks.flatMap((block) => encodeBlock(block, TRAITS) ?? [])
  return { body: assembleBody(encodeEnvelope(envelope, TRAITS), encoded, []), model: name }
}

type Run = { events: ModelEvent[]; error: ProviderError | null; sha: string; raw: number; status: number[] }

async function run(wire: WireKind, name: string, deps: ProviderDeps = {}): Promise<Run> {
  const got: Run = { events: [], error: null, sha: '', raw: 0, status: [] }
  const hooks = {
    onSent: (sent: { bodySha256: string }) => void (got.sha = sent.bodySha256),
    onHead: (head: { status: number }) => void got.status.push(head.status),
    onRaw: (chunk: Uint8Array) => void (got.raw += chunk.length),
  }
  try {
    const stream = provider(wire, deps).stream(requestFor(wire, name), new AbortController().signal, hooks)
    for await (const event of stream) got.events.push(event)
  } catch (thrown) {
    if (!isProviderFailure(thrown)) throw thrown
    got.error = thrown.error
  }
  return got
}

function requestsOf(name: string) {
  return model.requests.filter((request) => request.view.model === name)
}

const FULL: Reply = {
  reasoning: 'Let me see.',
  text: 'I look. 你好 🙂',
  calls: [
    { name: 'exec_command', arguments: { cmd: 'ls' }, callId: 'call_a' },
    { name: 'exec_command', arguments: { cmd: 'pwd' }, callId: 'call_b' },
  ],
  usage: { input: 100, cached: 40, output: 30, reasoning: 10 },
}

describe.each(KINDS)('%s', (wire) => {
  it('sends the joined bytes as they are and reads everything that comes back', async () => {
    const name = serve(FULL)
    const { events, error, sha, raw } = await run(wire, name)
    expect(error).toBeNull()
    const [sent] = requestsOf(name)
    expect(sent?.bytes.equals(requestFor(wire, name).body)).toBe(true)
    expect(sha).toBe(sha256(requestFor(wire, name).body))
    expect(raw).toBeGreaterThan(500)
    const keyHeader = { 'anthropic-messages': 'x-api-key', 'google-genai': 'x-goog-api-key' }[wire as string]
    const key = sent?.headers[keyHeader ?? 'authorization']
    expect(key).toContain('test-key')
    const blocks = events.flatMap((event) => (event.type === 'item.completed' ? [event.block] : []))
    expect(blocks).toMatchObject([
      { kind: 'reasoning', text: 'Let me see.' },
      { kind: 'assistant', text: 'I look. 你好 🙂' },
      { kind: 'tool_call', callId: 'call_a', name: 'exec_command', argumentsText: '{"cmd":"ls"}' },
      { kind: 'tool_call', callId: 'call_b', name: 'exec_command', argumentsText: '{"cmd":"pwd"}' },
    ])
    expect(events.findLast((event) => event.type === 'usage')).toEqual({
      type: 'usage',
      usage: {
        inputTokens: 100,
        cachedInputTokens: 40,
        cacheWriteTokens: 0,
        outputTokens: 30,
        reasoningTokens: 10,
      },
    })
    expect(events.at(-1)).toMatchObject({ type: 'completed', stopReason: 'tool_calls' })
  })

  it('gives a call away before the stream is over', async () => {
    const name = serve({ ...FULL, hang: true })
    const stop = new AbortController()
    const seen: string[] = []
    const reading = (async () => {
      for await (const event of provider(wire).stream(requestFor(wire, name), stop.signal)) {
        if (event.type === 'item.completed') seen.push(event.block.kind)
        // The chat wire shows that a call is whole only by what follows it.
        if (seen.filter((kind) => kind === 'tool_call').length === (wire === 'openai-chat' ? 1 : 2))
          stop.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(seen.slice(0, 2)).toEqual(['reasoning', 'assistant'])
  })

  it('keeps characters whole when every byte comes alone', async () => {
    const { events } = await run(wire, serve({ ...FULL, writeBytes: 1 }))
    const text = events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('')
    expect(text).toBe('I look. 你好 🙂')
  })

  it.each([
    [
      { status: 401, body: { error: { type: 'authentication_error', message: 'invalid x-api-key' } } },
      'provider_auth',
      false,
    ],
    [
      { status: 429, headers: { 'retry-after': '3' }, body: { error: { message: 'slow down' } } },
      'provider_rate_limited',
      true,
    ],
    [{ status: 500 }, 'provider_overloaded', true],
    [
      { status: 529, body: { error: { type: 'overloaded_error', message: 'Overloaded' } } },
      'provider_overloaded',
      true,
    ],
    [{ status: 502, body: '<html><title>Bad Gateway</title></html>' }, 'provider_overloaded', true],
    [
      { status: 400, body: { error: { message: 'prompt is too long: 9 tokens > 8 maximum' } } },
      'context_overflow',
      false,
    ],
  ] as const)('answers %j with its code, without a second try', async (fault, code, retryable) => {
    const name = serve({ error: fault })
    const { events, error, status } = await run(wire, name)
    expect(error).toMatchObject({ code, retryable, status: fault.status })
    expect(error?.retryAfterMs).toBe('headers' in fault ? 3000 : null)
    expect(events).toEqual([])
    expect(status).toEqual([fault.status])
    expect(requestsOf(name)).toHaveLength(1)
  })

  it('tells a cut stream from a whole one, and keeps what was complete', async () => {
    const { events, error } = await run(wire, serve({ ...FULL, cut: 'end' }))
    expect(error).toMatchObject({ code: 'stream_cut', retryable: true })
    expect(events.filter((event) => event.type === 'item.completed').length).toBeGreaterThanOrEqual(3)
    expect((await run(wire, serve({ cut: 'head' }))).error?.code).toBe('provider_unreachable')
  })

  it('reports an error inside the stream', async () => {
    const streamError = { type: 'overloaded_error', message: 'Overloaded' }
    const { events, error } = await run(wire, serve({ text: 'I begin', streamError }))
    expect(error).toMatchObject({ code: 'provider_overloaded', retryable: true })
    expect(events.some((event) => event.type === 'text.delta')).toBe(true)
  })

  it('gives up on silence, before and after the head', async () => {
    const begun = await run(wire, serve({ text: 'I begin', hang: true }), { idleTimeoutMs: 3_000 })
    expect(begun.error).toMatchObject({ code: 'stream_cut', retryable: true })
    const late = await run(wire, serve({ text: 'late', delayMs: 600_000 }), { idleTimeoutMs: 200 })
    expect(late.error).toMatchObject({ code: 'provider_unreachable', retryable: true })
  })

  it('says so when a web page or nonsense comes instead of a stream', async () => {
    const { error } = await run(wire, serve({ raw: 'data: {"half\n\ndata: {}\n\n' }))
    expect(error).toMatchObject({ code: 'provider_protocol', retryable: false })
    const page = await run(wire, 'absent')
    expect(page.error).toMatchObject({ code: 'model_not_found', status: 404 })
  })

  it('maps the reasons to stop', async () => {
    const stop = async (reply: Reply) => {
      const last = (await run(wire, serve(reply))).events.at(-1)
      return last?.type === 'completed' ? last.stopReason : null
    }
    expect(await stop({ text: 'Hi' })).toBe('end')
    expect(await stop({ text: 'Hi', stop: 'max_output' })).toBe('max_output')
    expect(await stop({ text: 'Hi', stop: 'refused' })).toBe('refused')
  })

  it('lists models', async () => {
    const name = serve({ text: 'x' })
    expect(await provider(wire).listModels(new AbortController().signal)).toContain(name)
  })

  it('uses a connection again', async () => {
    const own = await startScriptedModel({ scenarios: [{ name: 'x', rules: [{ reply: { text: 'Hi' } }] }] })
    try {
      const baseUrl = wire === 'anthropic-messages' ? own.url : `${own.url}/v1`
      const again = createProvider({ wire, baseUrl, apiKey: 'k' })
      const signal = new AbortController().signal
      for (let at = 0; at < 12; at += 1)
        for await (const event of again.stream(requestFor(wire, 'x'), signal)) expect(event).toBeTruthy()
      expect(new Set(own.requests.map((request) => request.port)).size).toBeLessThan(12)
    } finally {
      await own.close()
    }
  })
})

it('an address where nobody listens is unreachable', async () => {
  const dead = createProvider({ wire: 'openai-chat', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' })
  const stream = dead.stream(requestFor('openai-chat', 'x'), new AbortController().signal)
  const failure = await stream[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error)
  expect(isProviderFailure(failure) && failure.error).toMatchObject({
    code: 'provider_unreachable',
    retryable: true,
  })
})
