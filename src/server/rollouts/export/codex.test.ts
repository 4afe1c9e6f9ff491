import { describe, expect, it } from 'vitest'
import { madeRollout, memoryStore, wholeText } from '../../../../test/setup/memory-rollout.ts'
import type { ExportRedaction } from '../../../protocol/export.ts'
import type { PromptBlock, WindowTraits, WireKind } from '../../providers/types.ts'
import { wireFor } from '../../providers/wire.ts'
import { canaries } from '../redact/canaries.ts'
import { createExporter } from './export.ts'
import { instructionsText, responseItems } from './response-items.ts'

type Line = { timestamp: string; type: string; payload: Record<string, unknown> }

const write = async (words: Parameters<typeof madeRollout>[0], redaction: ExportRedaction = 'none') => {
  const rollout = madeRollout(words)
  const exporter = createExporter(memoryStore(rollout))
  const { digest } = await exporter.preview(rollout.threadId, redaction)
  const request = { threadId: rollout.threadId, format: 'codex', redaction, confirm: digest } as const
  const text = await wholeText((await exporter.open(request)).chunks)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  return { rollout, text, lines }
}

/** As Codex puts its history together again: what the newest compaction left, then what came after it. */
const resumed = (lines: Line[]): Record<string, unknown>[] => {
  const last = lines.findLastIndex(({ type }) => type === 'compacted')
  const kept = (lines[last]?.payload.replacement_history ?? []) as Record<string, unknown>[]
  const after = lines.slice(last + 1).filter(({ type }) => type === 'response_item')
  return [...kept, ...after.map(({ payload }) => payload)]
}

const words = {
  title: 'A',
  requests: ['first', 'second', 'third'],
  answers: ['yes'],
  outputs: ['x'.repeat(9_000), 'short'],
  note: '',
  raw: new Uint8Array(),
}

describe('a file for Codex', () => {
  it('gives back the last input of the model, whatever windows came before', async () => {
    const { rollout, lines } = await write(words)
    const window = rollout.windows.at(-1)
    const given = (window?.blocks ?? []).flatMap((block) => {
      const wire = block.wire ?? rollout.blobs.get(block.wireHash) ?? new Uint8Array()
      return responseItems('openai-responses', block.kind, wire)
    })
    expect(given.length).toBe(3)
    expect(resumed(lines)).toEqual(given)
    expect(lines.filter(({ type }) => type === 'compacted')).toHaveLength(2)
  })

  it('has the lines that Codex reads first, and those of its screen', async () => {
    const { rollout, lines } = await write(words)
    const [meta] = lines
    expect(meta?.type).toBe('session_meta')
    expect(meta?.payload).toMatchObject({
      id: rollout.threadId.slice(4),
      originator: 'baton',
      base_instructions: { text: 'You are a careful engineer.' },
      exported: { redacted: null },
    })
    // With the name of one, Codex resumes it under no other.
    expect(meta?.payload).not.toHaveProperty('model_provider')
    const kinds = lines.map(({ type, payload }) => (type === 'event_msg' ? payload.type : type))
    expect(kinds.slice(0, 9)).toEqual([
      ...['session_meta', 'task_started', 'turn_context', 'user_message', 'response_item'],
      ...['response_item', 'token_count', 'agent_message', 'task_complete'],
    ])
    const usage = lines.findLast(({ payload }) => payload.type === 'token_count')?.payload.info
    expect(usage).toMatchObject({ total_token_usage: { input_tokens: 303, output_tokens: 36 } })
    expect(lines.every(({ timestamp }) => !Number.isNaN(Date.parse(timestamp)))).toBe(true)
  })

  it('holds no secret once they are cut, and says so', async () => {
    const all = canaries()
    const text = all.map((canary) => canary.text).join('\n')
    const told = await write({ ...words, requests: [text], outputs: [text] }, 'secrets')
    for (const { secret, name } of all)
      expect(told.text.includes(JSON.stringify(secret).slice(1, -1)), name).toBe(false)
    expect(told.lines[0]?.payload).toMatchObject({ exported: { redacted: { level: 'secrets' } } })
  })

  const traits: WindowTraits = {
    reasoning: 'none',
    reasoningOnEveryMessage: false,
    developerRole: 'developer',
    maxTokensField: 'max_tokens',
    thinking: 'none',
    cacheKey: false,
    images: true,
  }
  const blocks: PromptBlock[] = [
    { kind: 'tool', name: 't', description: 'd', parameters: {} },
    { kind: 'instructions', text: 'Be careful.' },
    { kind: 'developer', parts: [{ type: 'text', text: 'rules' }] },
    {
      kind: 'user',
      parts: [
        { type: 'text', text: 'look' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ],
    },
    { kind: 'assistant', text: 'I look.', group: 'stp_1' },
    { kind: 'tool_call', callId: 'c1', name: 'run', argumentsText: '{"cmd":"ls"}', group: 'stp_1' },
    {
      kind: 'tool_result',
      callId: 'c1',
      name: 'run',
      isError: false,
      group: 'stp_1',
      parts: [{ type: 'text', text: 'a.txt' }],
    },
  ]

  it.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai'])(
    'carries over what the wire %s was given',
    (kind) => {
      const wire = wireFor(kind)
      const stored = blocks.map((block) => ({
        kind: block.kind,
        bytes: wire.encodeBlock(block, traits)?.bytes,
      }))
      const items = stored.flatMap((block) =>
        block.bytes ? responseItems(kind, block.kind, block.bytes) : [],
      )
      expect(items).toMatchObject([
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'c1', name: 'run', arguments: '{"cmd":"ls"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'a.txt' },
      ])
      expect(instructionsText(stored[1]?.bytes ?? new Uint8Array())).toBe('Be careful.')
    },
  )
})
