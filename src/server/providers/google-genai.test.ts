// What is Google's own: signatures on the part they came on, calls without ids, arguments in pieces, addresses.
import { expect, it } from 'vitest'
import type { Effort } from '../../protocol/settings.ts'
import { knownModels, modelInfo } from './catalogue.ts'
import { googleGenai as wire } from './google-genai.ts'
import { createProvider } from './provider.ts'
import { windowTraits } from './traits.ts'
import type { ModelEvent, OutputBlock, PromptBlock } from './types.ts'

const address = { wire: 'google-genai', baseUrl: null } as const
const model = modelInfo(address, 'gemini-3-pro-preview')
const traits = windowTraits(address, model, true)

function read(...chunks: unknown[]): ModelEvent[] {
  let state = wire.start()
  const events: ModelEvent[] = []
  for (const data of chunks) {
    const [next, meant] = wire.step(state, { event: null, data })
    state = next
    events.push(...meant)
  }
  return [...events, ...wire.finish(state)]
}

const chunk = (parts: unknown[], more: Record<string, unknown> = {}): unknown => ({
  candidates: [{ content: { parts, role: 'model' }, ...more }],
})

const blocksOf = (events: ModelEvent[]): OutputBlock[] =>
  events.flatMap((event) => (event.type === 'item.completed' ? [event.block] : []))

/** The parts that a step sends back. */
function sentBack(output: OutputBlock[], given = traits): unknown[] {
  const blocks = wire
    .sendable(output, given)
    .flatMap((block) => wire.encodeBlock({ ...block, group: 's' }, given) ?? [])
  const body = JSON.parse(Buffer.from(wire.assembleBody(Buffer.from('{"a":1}'), blocks, [])).toString())
  return body.contents[0]?.parts ?? []
}

it('gives every signature back on the part it came on, once text is joined', () => {
  const call = { functionCall: { name: 'ls', args: { path: '.' }, id: 'c1' }, thoughtSignature: 'S2' }
  const events = read(
    chunk([{ text: 'Thinking.', thought: true }]),
    chunk([{ text: 'I ' }]),
    chunk([{ text: 'look.' }]),
    chunk([{ text: '', thoughtSignature: 'S1' }]),
    chunk([call, { functionCall: { name: 'pwd', args: {}, id: 'c2' } }], { finishReason: 'STOP' }),
  )
  expect(events.at(-1)).toMatchObject({ type: 'completed', stopReason: 'tool_calls' })
  const output = blocksOf(events)
  expect(output.map(({ kind }) => kind)).toEqual(['reasoning', 'assistant', 'tool_call', 'tool_call'])
  const second = { functionCall: { id: 'c2', name: 'pwd', args: {} } }
  expect(sentBack(output)).toEqual([{ text: 'I look.' }, { text: '', thoughtSignature: 'S1' }, call, second])
  const unsigned = { functionCall: { id: 'c1', name: 'ls', args: { path: '.' } } }
  expect(sentBack(output, { ...traits, reasoning: 'none' })).toEqual([{ text: 'I look.' }, unsigned, second])
})

it('keeps a signature that stands alone, but never as the whole of an answer', () => {
  const alone = blocksOf(read(chunk([{ text: '', thoughtSignature: 'S' }], { finishReason: 'STOP' })))
  expect(alone).toHaveLength(1)
  expect(wire.sendable(alone, traits)).toEqual([])
  const after = blocksOf(
    read(
      chunk([{ functionCall: { name: 'ls', args: {}, id: 'c' } }, { text: '', thoughtSignature: 'S' }], {
        finishReason: 'STOP',
      }),
    ),
  )
  expect(sentBack(after)).toHaveLength(2)
})

it('names the tool of every result, as many results in one message as there were calls', () => {
  const call = (callId: string): PromptBlock => ({
    kind: 'tool_call',
    callId,
    name: 'ls',
    argumentsText: 'no json',
    group: 's',
  })
  const result = (callId: string, isError: boolean): PromptBlock => ({
    kind: 'tool_result',
    callId,
    name: 'ls',
    parts: [
      { type: 'text', text: 'out' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ],
    isError,
    group: 's',
  })
  const window = [call('a'), call('b'), result('a', false), result('b', true)]
  const blocks = window.flatMap((block) => wire.encodeBlock(block, traits) ?? [])
  const body = JSON.parse(Buffer.from(wire.assembleBody(Buffer.from('{"a":1}'), blocks, [])).toString())
  expect(body.contents).toHaveLength(2)
  expect(body.contents[0].parts[0].functionCall.args).toEqual({ unparsed_arguments: 'no json' })
  const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
  expect(body.contents[1]).toEqual({
    role: 'user',
    parts: [
      { functionResponse: { id: 'a', name: 'ls', response: { output: 'out' } } },
      picture,
      { functionResponse: { id: 'b', name: 'ls', response: { error: 'out' } } },
      picture,
    ],
  })
})

it('puts arguments together that come in pieces', () => {
  const piece = (jsonPath: string, value: Record<string, unknown>) =>
    chunk([{ functionCall: { partialArgs: [{ jsonPath, ...value }], willContinue: true } }])
  const events = read(
    chunk([{ functionCall: { name: 'cook', willContinue: true }, thoughtSignature: 'S' }]),
    piece('$.steps[0].text', { stringValue: 'Boil ', willContinue: true }),
    piece('$.steps[0].text', { stringValue: 'water' }),
    piece('$.steps[1]["text"]', { stringValue: 'Wait' }),
    piece('$.minutes', { numberValue: 5 }),
    piece('$.hot', { boolValue: true }),
    piece('$.lid', { nullValue: 'NULL_VALUE' }),
    piece('$.__proto__.x', { stringValue: 'no' }),
    chunk([{ functionCall: {} }], { finishReason: 'STOP' }),
  )
  const [call] = blocksOf(events)
  expect(call?.kind === 'tool_call' && JSON.parse(call.argumentsText)).toEqual({
    steps: [{ text: 'Boil water' }, { text: 'Wait' }],
    minutes: 5,
    hot: true,
    lid: null,
  })
  expect(sentBack(blocksOf(events).map((block) => ({ ...block, callId: 'c' })))).toMatchObject([
    { functionCall: { id: 'c', name: 'cook', args: { minutes: 5 } }, thoughtSignature: 'S' },
  ])
})

it('takes a call that never ended and a missing reason to stop for a cut', () => {
  const begun = chunk([{ functionCall: { name: 'cook', willContinue: true } }], { finishReason: 'STOP' })
  expect(read(begun).at(-1)).toMatchObject({ type: 'failed', error: { code: 'stream_cut' } })
  expect(read(chunk([{ text: 'a' }])).at(-1)).toMatchObject({ type: 'failed' })
  expect(read({ promptFeedback: { blockReason: 'SAFETY' } }).at(-1)).toMatchObject({
    type: 'completed',
    stopReason: 'refused',
  })
})

it('asks for thoughts by level or by number, as the model wants it', () => {
  const asked = (id: string, effort: Effort | null) => {
    const info = modelInfo(address, id)
    const envelope = {
      model: id,
      effort,
      thinking: info.supports.reasoning,
      maxOutputTokens: 100,
      promptCacheKey: 'w',
      parallelToolCalls: true,
    }
    const bytes = wire.encodeEnvelope(envelope, windowTraits(address, info, info.supports.reasoning))
    return JSON.parse(Buffer.from(bytes).toString()).generationConfig.thinkingConfig
  }
  expect(asked('gemini-3-pro-preview', 'high')).toEqual({ includeThoughts: true, thinkingLevel: 'HIGH' })
  expect(asked('gemini-2.5-flash', 'low')).toEqual({ includeThoughts: true, thinkingBudget: 2_048 })
  expect(asked('gemini-2.5-flash', null)).toEqual({ includeThoughts: true, thinkingBudget: -1 })
  expect(asked('gemini-2.5-flash', 'none')).toEqual({ includeThoughts: true, thinkingBudget: 0 })
  expect(asked('gemini-3.5-flash', 'minimal')).toMatchObject({ thinkingLevel: 'MINIMAL' })
  expect(asked('gemini-3.5-flash', 'max')).toMatchObject({ thinkingLevel: 'XHIGH' })
  expect(asked('gemini-2.0-flash', null)).toBeUndefined()
})

it('names the copy of its head in the place of tools and instructions', () => {
  const envelope = {
    model: 'gemini-3-pro-preview',
    effort: null,
    thinking: false,
    maxOutputTokens: 100,
    promptCacheKey: 'w',
    parallelToolCalls: true,
  }
  const blocks = [
    { kind: 'tool' as const, name: 'ls', description: 'Lists.', parameters: { type: 'object' } },
    { kind: 'instructions' as const, text: 'Be kind.' },
    { kind: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] },
  ].flatMap((block) => wire.encodeBlock(block, traits) ?? [])
  const bodyOf = (headCopy?: string) => {
    const bytes = wire.encodeEnvelope(
      { ...envelope, ...(headCopy === undefined ? {} : { headCopy }) },
      traits,
    )
    return JSON.parse(Buffer.from(wire.assembleBody(bytes, blocks, [])).toString())
  }
  const { tools, systemInstruction, ...rest } = bodyOf()
  expect([tools[0].functionDeclarations[0].name, systemInstruction.parts[0].text]).toEqual(['ls', 'Be kind.'])
  expect(bodyOf('cachedContents/7')).toEqual({ ...rest, cachedContent: 'cachedContents/7' })
})

it('knows prices and windows of the vendor’s models', () => {
  expect(model).toMatchObject({ source: 'catalogue', contextTokens: 1_048_576, defaultEffort: null })
  expect(model.prices?.tiers?.[0]?.aboveInputTokens).toBe(200_000)
  expect(knownModels(address)).toContain('gemini-2.5-flash')
  expect(knownModels(address).every((id) => id.startsWith('gemini-'))).toBe(true)
})

it.each([
  [null, 'https://generativelanguage.googleapis.com/v1beta'],
  ['http://proxy.test/google/', 'http://proxy.test/google/v1beta'],
  ['http://proxy.test/v1', 'http://proxy.test/v1'],
])('speaks to %s', async (baseUrl, prefix) => {
  const sent: string[] = []
  const answer = async (url: string | URL | Request) => {
    sent.push(String(url))
    return new Response('data: {"candidates":[{"finishReason":"STOP"}]}\n\n')
  }
  const provider = createProvider({ ...address, baseUrl, apiKey: 'k' }, { fetch: answer })
  const request = { body: Buffer.from('{}'), model: 'gemini-3-pro-preview' }
  for await (const _ of provider.stream(request, new AbortController().signal));
  expect(sent).toEqual([`${prefix}/models/gemini-3-pro-preview:streamGenerateContent?alt=sse`])
})
