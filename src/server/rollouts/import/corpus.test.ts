// Every real rollout of the corpus is read; counts are held against those that somebody else made.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../../test/setup/cases.ts'
import { parseEvent } from '../../../protocol/event.ts'
import type { ImportReport } from '../../../protocol/import.ts'
import type { Item } from '../../../protocol/item.ts'
import { readRollouts } from './reading.ts'
import type { Output } from './types.ts'

const folder = casesIn('rollouts').path
const isHere = existsSync(folder)

type Expected = {
  lines: number
  user_messages?: number
  assistant_messages?: number
  assistant_text_sha1: string
  reasoning_items?: number
  tool_calls?: Record<string, number>
  calls_without_output?: string[]
  outputs_without_call?: string[]
  turn_aborted?: number
  last_total_usage?: Record<string, number> | null
  models?: string[]
  types?: Record<string, number>
  assistant_api_messages?: number
  tool_uses?: Record<string, number>
  tool_uses_without_result?: string[]
  output_tokens_once_per_message?: number
}

type Read = { report: ImportReport; outputs: Output[] }

const read = async (path: string): Promise<Read> => {
  const outputs: Output[] = []
  const report = await readRollouts(createReadStream(path), path.split('/').at(-1) ?? '', {
    importedAt: 1_800_000_000_000,
    actorId: 'system',
    write: async (made) => {
      outputs.push(...made)
    },
    storeLarge: async () => {
      throw new Error('no line of the corpus is that large')
    },
  })
  return { report, outputs }
}

const completed = (outputs: Output[]): Item[] =>
  outputs.flatMap(({ piece }) =>
    piece.type === 'event' && piece.event.type === 'item.completed' ? [piece.event.body.item] : [],
  )

const agentText = (outputs: Output[]): string => {
  const blobs = new Map(
    outputs.flatMap(({ piece }) => (piece.type === 'blob' ? [[piece.hash, piece.bytes] as const] : [])),
  )
  return completed(outputs)
    .flatMap((item) => (item.type === 'agent_message' ? [item.text] : []))
    .map(({ text, blob }) =>
      blob === undefined ? text : Buffer.from(blobs.get(blob) ?? '').toString('utf8'),
    )
    .join('')
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

const expected: Record<string, Expected> = isHere
  ? JSON.parse(readFileSync(join(folder, 'expected-summary.json'), 'utf8'))
  : {}
const of = (prefix: string): [string, Expected][] =>
  Object.entries(expected).filter(([name]) => name.startsWith(prefix) && existsSync(join(folder, name)))

/** Every event can be stored and read again, in the size that events have. */
const checkEvents = (outputs: Output[]): void => {
  let seq = 0
  for (const { head, piece } of outputs) {
    if (piece.type !== 'event') continue
    seq += 1
    const event = { ...piece.event, threadId: head.threadId, seq, at: piece.at }
    expect(() => parseEvent(event), JSON.stringify(event).slice(0, 600)).not.toThrow()
    expect(Buffer.byteLength(JSON.stringify(piece.event.body))).toBeLessThanOrEqual(8_192)
  }
}

describe.skipIf(!isHere)('real rollouts (needs CASES_DIR)', () => {
  it.each(of('codex-rollouts'))('%s', { timeout: 120_000 }, async (name, wanted) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    expect(report).toMatchObject({
      format: 'codex',
      rollouts: 1,
      lines: wanted.lines,
      callsWithoutOutput: wanted.calls_without_output?.length,
      outputsWithoutCall: wanted.outputs_without_call?.length,
      models: wanted.models,
      messages: {
        user: wanted.user_messages,
        agent: wanted.assistant_messages,
        reasoning: wanted.reasoning_items,
        tool: Object.values(wanted.tool_calls ?? {}).reduce((sum, count) => sum + count, 0),
      },
    })
    expect({ ...report.toolCalls }).toEqual(wanted.tool_calls)
    expect(report.records['event_msg/turn_aborted'] ?? 0).toBe(wanted.turn_aborted)
    expect(sha1(agentText(outputs))).toBe(wanted.assistant_text_sha1)
    const items = completed(outputs)
    const count = (type: Item['type']): number => items.filter((item) => item.type === type).length
    expect(count('user_message')).toBe(wanted.user_messages)
    expect(count('agent_message')).toBe(wanted.assistant_messages)
    expect(count('reasoning')).toBe(wanted.reasoning_items)
    expect(count('tool_call')).toBe(report.messages.tool)
    const stated = wanted.last_total_usage
    if (stated) {
      expect(report.statedUsage).toMatchObject({
        input: stated.input_tokens,
        cachedInput: stated.cached_input_tokens,
        output: stated.output_tokens,
        reasoning: stated.reasoning_output_tokens,
      })
      // Where the total began anew in mid-file, all of it counts.
      const isOne = !report.problems.some(({ what }) => what.includes('begins anew'))
      if (isOne) expect(report.usage).toEqual(report.statedUsage)
      else expect(report.usage.input).toBeGreaterThan(stated.input_tokens ?? 0)
    }
    const steps = outputs.flatMap(({ piece }) => (piece.type === 'stepEnd' ? [piece.end.usage.input] : []))
    expect(steps.reduce((sum, input) => sum + input, 0)).toBe(report.usage.input)
  })

  it.each(of('claude-code'))('%s', { timeout: 120_000 }, async (name, wanted) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    const calls = Object.values(wanted.tool_uses ?? {}).reduce((sum, count) => sum + count, 0)
    const open = wanted.tool_uses_without_result?.length ?? 0
    expect(report).toMatchObject({
      format: 'claude-code',
      rollouts: 1,
      lines: wanted.lines,
      callsWithoutOutput: open,
      outputsWithoutCall: 0,
      messages: { agent: wanted.assistant_api_messages, tool: calls - open },
    })
    expect({ ...report.records }).toEqual(wanted.types)
    expect({ ...report.toolCalls }).toEqual(wanted.tool_uses)
    expect(report.usage.output).toBe(wanted.output_tokens_once_per_message)
    expect(sha1(agentText(outputs))).toBe(wanted.assistant_text_sha1)
    const items = completed(outputs)
    const count = (type: Item['type']): number => items.filter((item) => item.type === type).length
    expect(count('user_message')).toBe(report.messages.user)
    expect(count('tool_call')).toBe(calls)
    expect(report.unknown).toEqual({})
    const steps = outputs.flatMap(({ piece }) => (piece.type === 'stepEnd' ? [piece.end.usage.output] : []))
    expect(steps.reduce((sum, output) => sum + output, 0)).toBe(report.usage.output)
  })

  const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const files = (name: string, end: RegExp): string[] =>
    readdirSync(join(folder, name))
      .filter((file) => end.test(file))
      .map((file) => `${name}/${file}`)

  it.each(files('pi', /jsonl$/))('%s', async (name) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
    const messages = lines.map((line) => JSON.parse(line).message).filter((message) => message !== undefined)
    const count = (role: string): number => messages.filter((message) => message.role === role).length
    const cost = messages.reduce(
      (sum, { usage }) => sum + Math.round((usage?.cost?.total ?? 0) * 1_000_000),
      0,
    )
    expect(report).toMatchObject({
      format: 'pi',
      lines: lines.length,
      messages: { user: count('user'), agent: count('assistant'), tool: count('toolResult') },
      unknown: {},
    })
    expect(report.usage.output).toBe(messages.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0))
    const spent = outputs.flatMap(({ piece }) =>
      piece.type === 'stepEnd' ? [piece.end.costMicros ?? 0] : [],
    )
    expect(spent.reduce((sum, each) => sum + each, 0)).toBe(cost)
  })

  it.each(files('swe-agent', /traj(\.json)?$/))('%s', async (name) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    const content = json(name) as { role: string }[] | { history: { role: string }[] }
    const messages = Array.isArray(content) ? content : content.history
    const count = (role: string): number => messages.filter((message) => message.role === role).length
    expect(report).toMatchObject({
      format: 'swe-agent',
      messages: { agent: count('assistant'), system: count('system') },
      unknown: {},
      outputsWithoutCall: 0,
    })
    // Observations of older files are a person's words.
    const told = report.messages.user + report.messages.tool - count('user') - count('tool')
    // The trajectory has one more than the history: that of the last action.
    expect(told === 0 || told === 1).toBe(true)
    expect(report.messages.tool).toBeGreaterThan(0)
    expect(report.callsWithoutOutput).toBe(0)
  })

  it.each(files('openhands', /jsonl?$/))('%s', async (name) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    const text = readFileSync(join(folder, name), 'utf8')
    const runs: Record<string, unknown>[][] = name.endsWith('l')
      ? text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).history)
      : [JSON.parse(text)]
    const events = runs.flat()
    const quiet = ['null', 'recall', 'agent_state_changed']
    const observations = events.filter(
      ({ observation, cause }) => observation && !quiet.includes(String(observation)) && cause !== undefined,
    )
    expect(report).toMatchObject({
      format: 'openhands',
      rollouts: runs.length,
      messages: {
        user: events.filter(({ source, action }) => source === 'user' && action === 'message').length,
      },
      outputsWithoutCall: 0,
      unknown: {},
    })
    const finished = report.toolCalls.finish ?? 0
    expect(report.messages.tool).toBe(observations.length + finished)
    const calls = Object.values(report.toolCalls).reduce((sum, each) => sum + each, 0)
    expect(calls).toBe(report.messages.tool + report.callsWithoutOutput)
  })

  it.each(files('inspect', /(json|eval)$/))('%s', async (name) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    expect(report).toMatchObject({ format: 'inspect', unknown: {} })
    if (!name.endsWith('.json')) {
      expect(report.rollouts).toBe(report.records.sample)
      expect(report.messages.agent).toBeGreaterThan(0)
      return
    }
    type Message = { role: string; tool_call_id?: string }
    type Sample = { messages: Message[]; model_usage?: Record<string, { output_tokens: number }> }
    const { samples } = json(name) as { samples: Sample[] }
    const messages = samples.flatMap((sample) => sample.messages)
    const count = (role: string): number => messages.filter((message) => message.role === role).length
    expect(report.rollouts).toBe(samples.length)
    expect(report.messages).toMatchObject({ system: count('system'), tool: count('tool') })
    // Requests of a scorer are none of the sample's messages; they are told as well.
    const scored = outputs.filter(({ piece }) => piece.type === 'step').length - count('assistant')
    expect(report.messages.agent).toBe(count('assistant') + Math.max(0, scored))
    expect(report.messages.user).toBeGreaterThanOrEqual(count('user'))
    const stated = samples.flatMap(({ model_usage: usage }) => Object.values(usage ?? {}))
    expect(report.usage.output).toBe(stated.reduce((sum, { output_tokens: tokens }) => sum + tokens, 0))
  })
})
