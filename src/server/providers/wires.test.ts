// What is sent: every wire's body from stored bytes, its prefix rule, and OpenAI's published schema as the judge.
import { existsSync, readFileSync } from 'node:fs'
import Ajv from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../test/setup/cases.ts'
import { record } from './fields.ts'
import type { Envelope, OutputBlock, PromptBlock, WindowTraits, Wire, WireBlock, WireKind } from './types.ts'
import { wireFor } from './wire.ts'
import { decodeWireBlock } from './wire-block.ts'

const KINDS: WireKind[] = ['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai']

const TRAITS: WindowTraits = {
  reasoning: 'payload',
  reasoningOnEveryMessage: false,
  developerRole: 'developer',
  maxTokensField: 'max_completion_tokens',
  thinking: 'adaptive',
  cacheKey: true,
  images: true,
}

const ENVELOPE: Envelope = {
  model: 'gpt-5',
  effort: 'medium',
  thinking: true,
  maxOutputTokens: 4096,
  promptCacheKey: 'win_1',
  parallelToolCalls: true,
}

function traitsOf(kind: WireKind): WindowTraits {
  return kind === 'openai-chat' ? { ...TRAITS, reasoning: 'reasoning_content' } : TRAITS
}

function reasoningOf(kind: WireKind, text: string): OutputBlock {
  const item = {
    'openai-responses': { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'opaque' },
    'openai-chat': { reasoning_content: text },
    'anthropic-messages': { type: 'thinking', thinking: text, signature: 'signed' },
    'google-genai': { parts: [{ text, thought: true, thoughtSignature: 'signed' }] },
  }[kind]
  return { kind: 'reasoning', text, payload: { wire: kind, item } }
}

const HEAD: PromptBlock[] = [
  {
    kind: 'tool',
    name: 'exec_command',
    description: 'Runs a command.',
    parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
  },
  { kind: 'instructions', text: 'You are an agent.' },
  { kind: 'developer', parts: [{ type: 'text', text: 'cwd: /workspace' }] },
  {
    kind: 'user',
    parts: [
      { type: 'text', text: 'Fix "it" \u{1F600}' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ],
  },
]

function turn(kind: WireKind, step: string, calls: number, says: string): PromptBlock[] {
  const output: OutputBlock[] = [
    reasoningOf(kind, `thinking ${step}`),
    ...(says === '' ? [] : [{ kind: 'assistant', text: says } as const]),
    ...Array.from({ length: calls }, (_, n) => ({
      kind: 'tool_call' as const,
      callId: `call_${step}_${n}`,
      name: 'exec_command',
      argumentsText: `{"cmd":"echo ${n}"}`,
    })),
  ]
  const sendable = wireFor(kind).sendable(output, traitsOf(kind))
  return [
    ...sendable.map((block) => ({ ...block, group: step })),
    ...Array.from({ length: calls }, (_, n) => ({
      kind: 'tool_result' as const,
      callId: `call_${step}_${n}`,
      name: 'exec_command',
      parts: [{ type: 'text' as const, text: `out ${n}` }],
      isError: false,
      group: step,
    })),
  ]
}

function encode(kind: WireKind, blocks: PromptBlock[]): WireBlock[] {
  return blocks.flatMap((block) => wireFor(kind).encodeBlock(block, traitsOf(kind)) ?? [])
}

function bodyOf(wire: Wire, blocks: WireBlock[], marks: number[] = []): Record<string, unknown> {
  const envelope = wire.encodeEnvelope(ENVELOPE, traitsOf(wire.kind))
  const body = JSON.parse(Buffer.from(wire.assembleBody(envelope, blocks, marks)).toString())
  return body as Record<string, unknown>
}

/** Prompt items in reading order, as sent but for cache marks. */
function itemsOf(body: Record<string, unknown>): string[] {
  const { tools, instructions, system, systemInstruction, input, messages, contents } = body
  const items = [tools, instructions ?? system ?? systemInstruction, input ?? messages ?? contents].flatMap(
    (part) => part ?? [],
  )
  return items.map((item) => JSON.stringify(item).replaceAll(',"cache_control":{"type":"ephemeral"}', ''))
}

describe.each(KINDS)('%s', (kind) => {
  const wire = wireFor(kind)

  it('keeps every request a prefix of the next, and at most four cache marks', () => {
    const step = fc.record({
      calls: fc.integer({ min: 0, max: 3 }),
      says: fc.constantFrom('', 'Looking.', 'Ünïcode'),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const blocks = [...HEAD]
        let before: string[] = []
        let count = 0
        steps.forEach(({ calls, says }, at) => {
          const encoded = encode(kind, blocks)
          const marks = wire.planCacheMarks(encoded, count)
          expect(marks.length).toBeLessThanOrEqual(4)
          const items = itemsOf(bodyOf(wire, encoded, marks))
          expect(items.slice(0, before.length)).toEqual(before)
          before = items
          count = encoded.length
          blocks.push(...turn(kind, `s${at}`, calls, says))
          if (calls === 0) blocks.push({ kind: 'user', parts: [{ type: 'text', text: 'go on' }] })
        })
      }),
      { numRuns: 40 },
    )
  })

  it('rebuilds the same body from stored bytes alone', () => {
    const blocks = encode(kind, [...HEAD, ...turn(kind, 's1', 2, 'Looking.')])
    const envelope = wire.encodeEnvelope(ENVELOPE, traitsOf(kind))
    const marks = wire.planCacheMarks(blocks, 0)
    const stored = blocks.map((block) => decodeWireBlock(Uint8Array.from(block.bytes)))
    const rebuilt = wire.assembleBody(envelope, stored, marks)
    expect(Buffer.compare(rebuilt, wire.assembleBody(envelope, blocks, marks))).toBe(0)
  })

  it('sends no broken Unicode', () => {
    const blocks = encode(kind, [{ kind: 'user', parts: [{ type: 'text', text: 'a\ud800b\u0000c\\ud800' }] }])
    expect(JSON.stringify(bodyOf(wire, blocks))).toContain('a\ufffdb\ufffdc\\\\ud800')
  })

  it('never throws on what a server may send', () => {
    const words = [
      'type',
      'delta',
      'item',
      'response',
      'choices',
      'index',
      'content_block',
      'usage',
      'tool_calls',
    ]
    const types = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'response.output_item.added',
    ]
    const value = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(
          null,
          0,
          -1,
          '',
          'message',
          'function_call',
          'tool_use',
          'text_delta',
          true,
          ...types,
        ),
        fc.array(tie('tree'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom(...words), tie('tree'), { maxKeys: 4 }),
      ),
    })).tree
    const event = fc.record({ event: fc.constantFrom(null, 'error', ...types), data: value })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        let state = wire.start()
        for (const each of events) [state] = wire.step(state, each)
        for (const last of wire.finish(state)) expect(last.type).toBeTruthy()
      }),
      { numRuns: 100 },
    )
  })

  it('drops reasoning that nothing follows and calls without a name', () => {
    const alone = [reasoningOf(kind, 'hm')]
    expect(wire.sendable(alone, traitsOf(kind))).toEqual([])
    const nameless: OutputBlock = { kind: 'tool_call', callId: 'c', name: '', argumentsText: '{}' }
    expect(wire.sendable([...alone, nameless], traitsOf(kind))).toEqual([])
  })

  it('hands no reasoning back on a window without', () => {
    const none = { ...traitsOf(kind), reasoning: 'none' as const }
    const output = [reasoningOf(kind, 'hm'), { kind: 'assistant', text: 'Hi' } as const]
    expect(wire.sendable(output, none).map((block) => block.kind)).toEqual(['assistant'])
    expect(wire.encodeBlock({ ...reasoningOf(kind, 'hm'), group: 's' }, none)).toBeNull()
  })

  it('never sends reasoning of another wire', () => {
    const other = KINDS.find((each) => each !== kind) ?? kind
    expect(wire.encodeBlock({ ...reasoningOf(other, 'hm'), group: 's' }, traitsOf(kind))).toBeNull()
  })
})

it('chat: one message per step, with its reasoning and calls', () => {
  const wire = wireFor('openai-chat')
  const body = bodyOf(
    wire,
    encode('openai-chat', [...HEAD.slice(1), ...turn('openai-chat', 's1', 2, 'Looking.')]),
  )
  expect((body.messages as unknown[]).slice(3)).toEqual([
    {
      role: 'assistant',
      content: 'Looking.',
      reasoning_content: 'thinking s1',
      tool_calls: [
        {
          id: 'call_s1_0',
          type: 'function',
          function: { name: 'exec_command', arguments: '{"cmd":"echo 0"}' },
        },
        {
          id: 'call_s1_1',
          type: 'function',
          function: { name: 'exec_command', arguments: '{"cmd":"echo 1"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_s1_0', content: 'out 0' },
    { role: 'tool', tool_call_id: 'call_s1_1', content: 'out 1' },
  ])
})

it('chat: every message carries reasoning where the server insists', () => {
  const wire = wireFor('openai-chat')
  const traits = { ...traitsOf('openai-chat'), reasoningOnEveryMessage: true }
  const output = wire.sendable([{ kind: 'assistant', text: 'Hi' }], traits)
  const blocks = output.flatMap((block) => wire.encodeBlock({ ...block, group: 's' }, traits) ?? [])
  expect(bodyOf(wire, blocks).messages).toEqual([{ role: 'assistant', content: 'Hi', reasoning_content: '' }])
})

it('anthropic: results of a step share the message after their calls, and unsigned thinking is never sent', () => {
  const wire = wireFor('anthropic-messages')
  const unsigned: OutputBlock = { kind: 'reasoning', text: 'hm', payload: null }
  expect(wire.sendable([unsigned, { kind: 'assistant', text: 'Hi' }], TRAITS)).toHaveLength(1)
  const blocks = encode('anthropic-messages', [...HEAD, ...turn('anthropic-messages', 's1', 2, '')])
  const body = bodyOf(wire, blocks, wire.planCacheMarks(blocks, 4))
  const messages = body.messages as { role: string; content: { type: string }[] }[]
  expect(messages.map((each) => [each.role, ...each.content.map((part) => part.type)])).toEqual([
    ['user', 'text'],
    ['user', 'text', 'image'],
    ['assistant', 'thinking', 'tool_use', 'tool_use'],
    ['user', 'tool_result', 'tool_result'],
  ])
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3)
  expect(JSON.stringify(body.system)).toContain('cache_control')
})

const SCHEMA = casesIn('protocols', 'openai-openapi', 'openapi.json').path

it.skipIf(!existsSync(SCHEMA))('requests obey OpenAI’s published schema (needs CASES_DIR)', () => {
  // The published schema lists message shapes that overlap, so that `oneOf` refuses its own examples.
  const published = readFileSync(SCHEMA, 'utf8').replaceAll('"oneOf":', '"anyOf":')
  const api = JSON.parse(published, (key, value) => (key === 'nullable' ? undefined : value)) as Record<
    string,
    unknown
  >
  const ajv = new Ajv({ strict: false, validateFormats: false, discriminator: false, logger: false })
  ajv.addSchema({ $id: 'api', components: record(api.components) })
  for (const [kind, name] of [
    ['openai-responses', 'CreateResponse'],
    ['openai-chat', 'CreateChatCompletionRequest'],
  ] as const) {
    const validate = ajv.compile({ $ref: `api#/components/schemas/${name}` })
    const body = bodyOf(wireFor(kind), encode(kind, [...HEAD, ...turn(kind, 's1', 2, 'Looking.')]))
    validate(body)
    expect(validate.errors ?? []).toEqual([])
    expect(validate({ ...body, model: 3, input: 7, messages: 7 })).toBe(false)
  }
})
