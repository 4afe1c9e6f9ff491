// Shapes of files that the corpus does not have, and what a request's parts must come to on every format.

import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../../test/setup/cases.ts'
import { sha256 } from '../../../lib/sha256.ts'
import type { ImportReport } from '../../../protocol/import.ts'
import type { Item } from '../../../protocol/item.ts'
import { wireFor } from '../../providers/wire.ts'
import { decodeWireBlock } from '../../providers/wire-block.ts'
import type { BlockRow, NewWindow, StepRow } from '../../store/types.ts'
import { readRollouts } from './reading.ts'
import type { Output } from './types.ts'

type Read = { report: ImportReport; outputs: Output[] }

const read = async (source: AsyncIterable<Uint8Array> | string): Promise<Read> => {
  const outputs: Output[] = []
  const given =
    typeof source === 'string'
      ? (async function* () {
          yield Buffer.from(source)
        })()
      : source
  const report = await readRollouts(given, 'a', {
    importedAt: 1_800_000_000_000,
    actorId: 'system',
    write: async (made) => {
      outputs.push(...made)
    },
    storeLarge: () => Promise.reject(new Error('not here')),
  })
  return { report, outputs }
}

const items = ({ outputs }: Read): Item[] =>
  outputs.flatMap(({ piece }) =>
    piece.type === 'event' && piece.event.type === 'item.completed' ? [piece.event.body.item] : [],
  )

/** Windows with what they were given, in order. */
const windowsOf = ({ outputs }: Read) => {
  const windows = new Map<string, { window: NewWindow; blocks: BlockRow[]; steps: StepRow[] }>()
  const blobs = new Map<string, Uint8Array>()
  for (const { piece } of outputs) {
    if (piece.type === 'window')
      windows.set(piece.window.windowId, { window: piece.window, blocks: [], steps: [] })
    else if (piece.type === 'block') windows.get(piece.block.windowId)?.blocks.push(piece.block)
    else if (piece.type === 'step') windows.get(piece.step.windowId)?.steps.push(piece.step)
    else if (piece.type === 'blob') blobs.set(piece.hash, piece.bytes)
  }
  return { windows: [...windows.values()], blobs }
}

const inputOf = (blocks: readonly BlockRow[]): unknown[] =>
  blocks.flatMap(({ wire }) => {
    const block = decodeWireBlock(wire)
    return block.slot === 'item'
      ? [JSON.parse(Buffer.from(wire.subarray(block.jsonStart)).toString('utf8'))]
      : []
  })

const folder = casesIn('rollouts').path
const files = ['codex-rollouts', 'codex-rollouts-scripted-model', 'inspect'].flatMap((name) =>
  existsSync(join(folder, name))
    ? readdirSync(join(folder, name), { withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [`${name}/${entry.name}`] : [],
      )
    : [],
)

describe.skipIf(files.length === 0)('requests of real rollouts (needs CASES_DIR)', () => {
  it('are found', () => {
    expect(files).not.toEqual([])
  })

  it.each(files)('%s: the stored parts come to what each step says was sent', async (name) => {
    const { windows, blobs } = windowsOf(await read(createReadStream(join(folder, name))))
    let checked = 0
    for (const { window, blocks, steps } of windows) {
      expect(blocks.map(({ idx }) => idx)).toEqual(blocks.map((_, n) => n))
      for (const step of steps.slice(0, 40)) {
        if (step.blockCount === 0) continue
        const parts = blocks.slice(0, step.blockCount).map(({ wire }) => decodeWireBlock(wire))
        const envelope = blobs.get(step.envelopeHash) ?? new Uint8Array()
        const body = wireFor(window.frozen.wire).assembleBody(envelope, parts, [])
        expect(sha256(body)).toBe(step.bodySha256)
        expect(() => JSON.parse(Buffer.from(body).toString('utf8'))).not.toThrow()
        checked += 1
      }
    }
    if (items(await read(createReadStream(join(folder, name)))).some(({ type }) => type === 'agent_message'))
      expect(checked).toBeGreaterThan(0)
  })
})

const line = (type: string, payload: unknown): string => `${JSON.stringify({ type, payload })}\n`
const message = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
})
const item = (value: unknown): string => line('response_item', value)
const begin = line('session_meta', { id: 'a', base_instructions: { text: 'Be Codex.' } })

describe('codex', () => {
  const talk = [
    item(message('user', 'one')),
    item(message('assistant', 'first')),
    item(message('user', 'two')),
    item(message('assistant', 'second')),
  ].join('')

  it('goes on after a compaction with the list that it left, or with people’s words and the summary', async () => {
    const listed = windowsOf(
      await read(
        `${begin}${talk}${line('compacted', { message: 'S', replacement_history: [message('user', 'kept')] })}${item(message('assistant', 'after'))}`,
      ),
    )
    expect(listed.windows.map(({ blocks }) => inputOf(blocks).length)).toEqual([4, 2])
    expect(inputOf(listed.windows[1]?.blocks ?? [])).toEqual([
      message('user', 'kept'),
      message('assistant', 'after'),
    ])
    expect(listed.windows[1]?.blocks[0]?.kind).toBe('instructions')
    const plain = windowsOf(await read(`${begin}${talk}${line('compacted', { message: 'S' })}`))
    expect(inputOf(plain.windows[1]?.blocks ?? [])).toEqual([
      message('user', 'one'),
      message('user', 'two'),
      message('user', 'S'),
    ])
  })

  it('leaves out what was rolled back', async () => {
    const made = await read(
      `${begin}${talk}${line('event_msg', { type: 'thread_rolled_back', num_turns: 1 })}${item(message('user', 'three'))}`,
    )
    expect(inputOf(windowsOf(made).windows.at(-1)?.blocks ?? [])).toEqual([
      message('user', 'one'),
      message('assistant', 'first'),
      message('user', 'three'),
    ])
  })

  it('tells a call without a result as aborted right after it, and leaves a result without a call out', async () => {
    const call = { type: 'function_call', name: 'x', arguments: '{}', call_id: 'c' }
    const lost = { type: 'function_call_output', call_id: 'lost', output: 'y' }
    const made = await read(
      `${begin}${item(message('user', 'one'))}${item(call)}${item(lost)}${item(message('user', 'two'))}`,
    )
    expect(inputOf(windowsOf(made).windows.at(-1)?.blocks ?? [])).toEqual([
      message('user', 'one'),
      call,
      { type: 'function_call_output', call_id: 'c', output: 'aborted' },
      message('user', 'two'),
    ])
  })

  it('of the oldest kind: items without a payload around them', async () => {
    const bare = [
      { id: 'a', timestamp: '2025-05-01T10:00:00Z', instructions: 'Be old.', git: null },
      { record_type: 'state' },
      message('user', 'one'),
      {
        type: 'local_shell_call',
        call_id: 'c',
        status: 'completed',
        action: { type: 'exec', command: ['ls'] },
      },
      { type: 'local_shell_call_output', call_id: 'c', output: 'a.txt' },
      message('assistant', 'done'),
    ]
    const made = await read(bare.map((each) => JSON.stringify(each)).join('\n'))
    expect(made.report).toMatchObject({
      format: 'codex',
      problemsTotal: 0,
      messages: { user: 1, agent: 1, tool: 1 },
      unknown: {},
    })
    expect(windowsOf(made).windows[0]?.blocks[0]?.kind).toBe('instructions')
  })

  it('whose turns end with their tokens counts each once, as one whose counts have other names', async () => {
    const used = { input_tokens: 100, cached_input_tokens: 40, output_tokens: 7 }
    const ended = line('event_msg', { type: 'turn.completed', usage: used })
    const made = await read(
      [
        begin,
        item(message('user', 'one')),
        item(message('assistant', 'first')),
        ended,
        line('event_msg', { type: 'turn.completed', usage: { ...used, input_tokens: 60 } }),
        line('event_msg', { type: 'token_count', info: { prompt: 5, completion: 2 } }),
        line('event_msg', { type: 'error', error: { kind: 'rate_limit', message: 'Slow down' } }),
      ].join(''),
    )
    expect(made.report).toMatchObject({ usage: { input: 165, cachedInput: 80, output: 16 }, unknown: {} })
    expect(items(made)).toContainEqual(expect.objectContaining({ type: 'notice', text: 'Slow down' }))
    const ends = made.outputs.filter(
      ({ piece }) => piece.type === 'event' && piece.event.type === 'turn.completed',
    )
    expect(ends.length).toBe(3)
  })

  it('of events alone has their words', async () => {
    const made = await read(
      ['user_message', 'agent_message']
        .map((type, n) => line('event_msg', { type, message: `words ${n}` }))
        .join(''),
    )
    expect(made.report.messages).toMatchObject({ user: 1, agent: 1 })
  })
})

describe('swe-agent', () => {
  it('with queries: each request has exactly what was asked', async () => {
    const system = { role: 'system', content: 'S' }
    const ask = { role: 'user', content: 'ISSUE:\nBroken' }
    const answer = { role: 'assistant', content: 'look', action: 'ls' }
    const seen = { role: 'user', content: 'a.txt' }
    const made = await read(
      JSON.stringify({
        trajectory: [
          { action: 'ls', observation: 'a.txt', response: 'look', execution_time: 0.5, query: [system, ask] },
          {
            action: 'submit',
            observation: 'ok',
            response: 'end',
            execution_time: 0.1,
            query: [system, ask, answer, seen],
          },
          { action: 'x', observation: '', response: 'more', query: [system, seen] },
        ],
        history: [
          system,
          ask,
          answer,
          seen,
          { role: 'assistant', content: 'end', action: 'submit' },
          { role: 'user', content: 'ok' },
          { role: 'assistant', content: 'more', action: 'x' },
        ],
        info: { model_stats: { tokens_sent: 100, tokens_received: 10, instance_cost: 0.01 } },
      }),
    )
    const { windows } = windowsOf(made)
    expect(windows.map(({ blocks }) => inputOf(blocks))).toEqual([
      [system, ask, answer, seen, { role: 'assistant', content: 'end' }, { role: 'user', content: 'ok' }],
      [system, seen, { role: 'assistant', content: 'more' }],
    ])
    expect(windows.flatMap(({ steps }) => steps.map(({ blockCount }) => blockCount))).toEqual([2, 4, 2])
    expect(made.report).toMatchObject({ usage: { input: 100, output: 10 }, callsWithoutOutput: 0 })
    expect(made.outputs[0]?.head.title).toBe('Broken')
  })
})

describe('inspect', () => {
  const model = (input: unknown[], said: unknown) => ({
    event: 'model',
    model: 'a',
    input,
    output: {
      choices: [{ message: said, stop_reason: 'stop' }],
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  })
  const log = (sample: object, more: object = {}) =>
    JSON.stringify({ version: 2, eval: { task: 't' }, plan: { name: 'p' }, samples: [sample], ...more })

  it('tells words that are said twice twice, and texts that were moved aside once', async () => {
    const go = { role: 'user', content: 'go on' }
    const yes = { role: 'assistant', content: 'yes' }
    const aside = { role: 'user', content: 'tc://abc' }
    const made = await read(
      log({
        id: 1,
        epoch: 1,
        attachments: { abc: 'the long text' },
        events: [model([aside], yes), model([aside, yes, go], yes), model([aside, yes, go, yes, go], yes)],
        messages: [{ role: 'user', content: 'the long text' }, yes, go, yes, go, yes],
      }),
    )
    const said = items(made).flatMap((each) =>
      each.type === 'user_message'
        ? each.content.map((part) => (part.type === 'text' ? part.text : ''))
        : each.type === 'agent_message'
          ? [each.text.text]
          : [],
    )
    expect(said).toEqual(['the long text', 'yes', 'go on', 'yes', 'go on', 'yes'])
    expect(made.report.messages).toMatchObject({ user: 3, agent: 3 })
  })

  it('keeps what is no sample as it is, before the samples and after them', async () => {
    const made = await read(
      log({ id: 1, epoch: 1, messages: [{ role: 'user', content: 'a' }] }, { results: { scores: [7] } }),
    )
    const kept = made.outputs.flatMap(({ piece }) =>
      piece.type === 'event' && piece.event.type === 'record.kept'
        ? [[piece.event.body.kind, piece.event.body.raw.text]]
        : [],
    )
    const whole = kept.map(([, text]) => text).join(' ')
    for (const part of ['"task":"t"', '"name":"p"', '"scores":[7]']) expect(whole).toContain(part)
    expect(made.report.rollouts).toBe(1)
  })
})

describe('claude code', () => {
  it('keeps a message without content as it is', async () => {
    const made = await read(
      [null, []]
        .map((content, n) =>
          JSON.stringify({ type: 'user', uuid: `u${n}`, sessionId: 's', message: { role: 'user', content } }),
        )
        .join('\n'),
    )
    const kept = made.outputs.flatMap(({ piece }) =>
      piece.type === 'event' && piece.event.type === 'record.kept' ? [piece.event.body.line] : [],
    )
    expect(kept).toEqual([1, 2])
  })
})

describe('openhands', () => {
  it('events of the newer kind', async () => {
    const text = (words: string) => [{ type: 'text', text: words }]
    const made = await read(
      [
        { id: '0', kind: 'SystemPromptEvent', source: 'agent', system_prompt: { text: 'S' } },
        {
          id: '1',
          kind: 'MessageEvent',
          source: 'user',
          llm_message: { role: 'user', content: text('Mend it') },
        },
        {
          id: '2',
          kind: 'ActionEvent',
          source: 'agent',
          thought: text('I look.'),
          action: { kind: 'ExecuteBashAction', command: 'ls' },
          tool_name: 'execute_bash',
          tool_call_id: 'c',
          llm_response_id: 'r',
        },
        {
          id: '3',
          kind: 'ObservationEvent',
          source: 'environment',
          tool_name: 'execute_bash',
          tool_call_id: 'c',
          observation: { content: text('a.txt') },
        },
        {
          id: '4',
          kind: 'MessageEvent',
          source: 'agent',
          llm_message: { role: 'assistant', content: text('Done') },
        },
        { id: '5', kind: 'PauseEvent', source: 'user' },
      ]
        .map((each) => JSON.stringify(each))
        .join('\n'),
    )
    expect(made.report).toMatchObject({
      format: 'openhands',
      messages: { user: 1, agent: 2, tool: 1, system: 1 },
      callsWithoutOutput: 0,
      unknown: {},
    })
    expect({ ...made.report.toolCalls }).toEqual({ execute_bash: 1 })
  })
})
