// Odd but real shapes of the chat wire, in small.
import { describe, expect, it, vi } from 'vitest'
import { openaiChat } from './openai-chat.ts'
import type { ModelEvent, OutputBlock, WindowTraits } from './types.ts'

type Delta = Record<string, unknown>

function run(chunks: unknown[]): ModelEvent[] {
  let state = openaiChat.start()
  const events: ModelEvent[] = []
  for (const data of chunks) {
    const [next, more] = openaiChat.step(state, { event: null, data })
    state = next
    events.push(...more)
  }
  return [...events, ...openaiChat.finish(state)]
}

function chunk(delta: Delta, stop: string | null = null): unknown {
  return { id: 'r1', model: 'm', choices: [{ index: 0, delta, finish_reason: stop }] }
}

function call(
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args: unknown,
): unknown {
  return chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
}

function blocks(events: ModelEvent[]): OutputBlock[] {
  return events.flatMap((event) => (event.type === 'item.completed' ? [event.block] : []))
}

function calls(chunks: unknown[]): string[] {
  return blocks(run(chunks)).flatMap((block) =>
    block.kind === 'tool_call' ? [`${block.callId} ${block.name} ${block.argumentsText}`] : [],
  )
}

const END = chunk({}, 'tool_calls')

describe('tool calls', () => {
  it('are told apart under one index by their ids', () => {
    const given = [call(0, 'a', 'read', '{"path":"a"}'), call(0, 'b', 'read', '{"path":"b"}'), END]
    expect(calls(given)).toEqual(['a read {"path":"a"}', 'b read {"path":"b"}'])
  })

  it('are told apart by a new name after whole arguments when there are no ids', () => {
    const given = [call(0, undefined, 'read', '{"path":"a"}'), call(0, undefined, 'list', '{}'), END]
    expect(calls(given)).toEqual(['call_r1_0 read {"path":"a"}', 'call_r1_1 list {}'])
  })

  it('stay one call when the name or the id comes with every piece', () => {
    const given = [
      call(0, 'a', 'read', '{"pa'),
      call(0, 'a', 'read', 'th":'),
      call(0, 'a', 'read', '"a"}'),
      END,
    ]
    expect(calls(given)).toEqual(['a read {"path":"a"}'])
  })

  it('may come without an index, with arguments as an object, or with none', () => {
    expect(
      calls([call(undefined, 'a', 'read', { path: 'a' }), call(undefined, 'b', 'list', ''), END]),
    ).toEqual(['a read {"path":"a"}', 'b list {}'])
  })

  it('get ids of their own when a server repeats one', () => {
    const given = [call(0, 'a', 'read', '{}'), call(1, 'a', 'list', '{}'), END]
    expect(calls(given)).toEqual(['a read {}', 'a_2 list {}'])
  })

  it('are not read anew for each of their pieces, however long they are', () => {
    const parse = vi.spyOn(JSON, 'parse')
    const pieces = Array.from({ length: 200 }, () => call(0, undefined, undefined, '[[['))
    expect(calls([call(0, 'a', 'read', '{"path":'), ...pieces, END])).toHaveLength(1)
    expect(parse.mock.calls.length).toBeLessThan(5)
    parse.mockRestore()
  })

  it('are over once the next one begins', () => {
    const events = run([call(0, 'a', 'read', '{}'), call(1, 'b', 'list', '')])
    expect(blocks(events)).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'stream_cut' } })
  })

  it('make the reason to stop, whatever the server calls it', () => {
    const last = run([call(0, 'a', 'read', '{}'), chunk({}, 'stop'), '[DONE]']).at(-1)
    expect(last).toMatchObject({ type: 'completed', stopReason: 'tool_calls', rawStopReason: 'stop' })
  })
})

describe('usage', () => {
  it('counts only what can be a count', () => {
    const usage = { prompt_tokens: -5, completion_tokens: 1e308, total_tokens: 'x' }
    const told = run([chunk({ content: 'hi' }), { ...(chunk({}, 'stop') as object), usage }])
    expect(told.find((event) => event.type === 'usage')).toMatchObject({
      usage: { inputTokens: 0, outputTokens: 0 },
    })
  })
})

describe('the end', () => {
  it('counts with a finish reason or with the sentinel, and usage may come after it', () => {
    expect(run([chunk({ content: 'Hi' }, 'stop')]).at(-1)).toMatchObject({
      type: 'completed',
      stopReason: 'end',
    })
    expect(run([chunk({ content: 'Hi' }), '[DONE]']).at(-1)).toMatchObject({ type: 'completed' })
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
    const events = run([chunk({ content: 'Hi' }, 'stop'), { id: 'r1', choices: [], usage }, '[DONE]'])
    expect(events.map((event) => event.type).slice(-2)).toEqual(['usage', 'completed'])
  })

  it('is missing when there is neither', () => {
    const last = run([chunk({ content: 'Hi' })]).at(-1)
    expect(last).toMatchObject({ type: 'failed', error: { code: 'stream_cut', retryable: true } })
  })
})

it('counts reasoning once, where the vendor counts it beside the completion', () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 45,
    completion_tokens_details: { reasoning_tokens: 30 },
  }
  const found = run([{ id: 'r', choices: [], usage }]).find((event) => event.type === 'usage')
  expect(found).toMatchObject({ usage: { outputTokens: 35, reasoningTokens: 30 } })
})

describe('reasoning', () => {
  const traits: WindowTraits = {
    reasoning: 'reasoning_content',
    reasoningOnEveryMessage: true,
    developerRole: 'user',
    maxTokensField: 'max_tokens',
    thinking: 'none',
    cacheKey: false,
    images: false,
  }

  it('goes back verbatim on the message it came with', () => {
    const output = blocks(
      run([
        chunk({ reasoning_content: 'I ' }),
        chunk({ reasoning_content: 'see.' }),
        call(0, 'a', 'read', '{}'),
        END,
      ]),
    )
    const sent = openaiChat
      .sendable(output, traits)
      .flatMap((block) => openaiChat.encodeBlock({ ...block, group: 's1' }, traits) ?? [])
    const body = JSON.parse(
      Buffer.from(openaiChat.assembleBody(Buffer.from('{"model":"m"}'), sent, [])).toString(),
    )
    expect(body.messages).toEqual([
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I see.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
    ])
  })

  it('keeps signed details whole, also when they have no words', () => {
    const detail = (more: Delta) =>
      chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] })
    const output = blocks(
      run([
        detail({ text: 'I ' }),
        detail({ text: 'see.', signature: 'sig' }),
        chunk({ content: 'Hi' }, 'stop'),
      ]),
    )
    expect(output[0]).toMatchObject({
      kind: 'reasoning',
      payload: {
        item: { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I see.', signature: 'sig' }] },
      },
    })
  })
})
