// Every real rollout of the corpus is read; counts are held against those that somebody else made.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  agentText,
  blobsOf,
  checkEvents,
  completed,
  filesOf,
  folder,
  isHere,
  keptLines,
  linesOf,
  partsOf,
  read,
  userTexts,
  wholeText,
} from '../../../../test/setup/read-rollout.ts'
import type { Item } from '../../../protocol/item.ts'
import { decodeWireBlock, jsonOf } from '../../providers/wire-block.ts'

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

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

const expected: Record<string, Expected> = isHere
  ? JSON.parse(readFileSync(join(folder, 'expected-summary.json'), 'utf8'))
  : {}
const of = (prefix: string): [string, Expected][] =>
  Object.entries(expected).filter(([name]) => name.startsWith(prefix) && existsSync(join(folder, name)))

type Sent = Record<string, unknown>

describe.skipIf(!isHere)('real rollouts (needs CASES_DIR)', () => {
  it('are there, of both programs', () => {
    expect(of('codex-rollouts').length).toBeGreaterThan(0)
    expect(of('claude-code').length).toBeGreaterThan(0)
  })

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

  // What Codex sent while it wrote some of these files, request by request.
  const recorded = Object.keys(expected).flatMap((name): [string, string[]][] => {
    const run = /^codex-rollouts-scripted-model\/([a-z-]+?)--/.exec(name)?.[1]
    const requests = run === undefined ? [] : filesOf(`codex-requests/${run}`, /json$/).sort()
    return requests.length === 0 ? [] : [[name, requests]]
  })

  it.each(recorded)('%s: each request is put together as it was sent', async (name, requests) => {
    const { outputs } = await read(join(folder, name))
    const blocks = outputs.flatMap(({ piece }) => (piece.type === 'block' ? [piece.block] : []))
    const steps = outputs.flatMap(({ piece }) => (piece.type === 'step' ? [piece.step] : []))
    expect(steps.length).toBe(requests.length)
    for (const [at, request] of requests.entries()) {
      const { body } = JSON.parse(readFileSync(join(folder, request), 'utf8')) as { body: { input: Sent[] } }
      const [told, ...rest] = blocks
        .slice(0, steps[at]?.blockCount)
        .map(({ wire }) => JSON.parse(Buffer.from(jsonOf(decodeWireBlock(wire))).toString('utf8')) as unknown)
      // The program's own instructions went as a message here, with one line less; the file has them apart.
      const [first, ...sent] = body.input.map(
        ({ internal_chat_message_metadata_passthrough: _own, ...item }) => item,
      )
      expect(JSON.stringify(first)).toContain(JSON.stringify(String(told).slice(0, 20_000)).slice(1, -1))
      expect(rest).toEqual(sent)
    }
  })

  it.each(filesOf('codex-rollouts/single-records', /jsonl$/))('%s', async (name) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
    type Totals = Record<'input_tokens' | 'output_tokens', number>
    type Payload = {
      type?: string
      usage?: Totals
      info?: null | { total_token_usage?: Totals; prompt?: number }
    }
    const payloads = lines.map((line) => JSON.parse(line).payload as Payload)
    expect(report).toMatchObject({ format: 'codex', rollouts: 1, lines: lines.length })
    const types = payloads.map(({ type }) => type ?? '')
    const calls = types.filter((type) => /_call$/.test(type)).length
    expect(Object.values(report.toolCalls).reduce((sum, each) => sum + each, 0)).toBe(calls)
    expect(report.messages.tool).toBe(types.filter((type) => /_output$/.test(type)).length)
    // One line of its kind says it all: an event where there is no item.
    const said = types.filter((type) => /^(message|user_message|agent_message)$/.test(type)).length
    expect(report.messages.user + report.messages.agent).toBe(said)
    const used = payloads.map(
      ({ usage, info }) => usage?.input_tokens ?? info?.total_token_usage?.input_tokens ?? info?.prompt ?? 0,
    )
    expect(report.usage.input).toBe(used.reduce((sum, each) => sum + each, 0))
    // What is unknown is counted, and kept.
    const unknown = Object.values(report.unknown).reduce((sum, each) => sum + each, 0)
    expect(keptLines(outputs).size).toBeGreaterThanOrEqual(unknown)
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
    const lines = linesOf(name)
    const said = lines.flatMap((line) => {
      const words = partsOf(line).filter(({ type }) => type !== 'tool_result')
      const text = words.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n')
      return line.type === 'user' && words.length > 0 ? [text] : []
    })
    expect(userTexts(outputs)).toEqual(said)
    expect(report.messages.user).toBe(said.length)
    expect(count('tool_call')).toBe(calls)
    const thoughts = lines.flatMap((line) => (line.type === 'assistant' ? partsOf(line) : []))
    expect(count('reasoning')).toBe(thoughts.filter(({ type }) => /thinking/.test(type ?? '')).length)
    // Each answer's tokens once, as its last line says; what was cached is input as well.
    const usages = new Map(
      lines.flatMap(({ message: { id, usage } = {} }) => (id && usage ? [[id, usage]] : [])),
    )
    const sum = (...keys: string[]): number =>
      [...usages.values()].reduce(
        (all, usage) => keys.reduce((part, key) => part + (usage[key] ?? 0), all),
        0,
      )
    expect(report.usage).toMatchObject({
      input: sum('input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
      cachedInput: sum('cache_read_input_tokens'),
      cacheWrite: sum('cache_creation_input_tokens'),
    })
    // Results are there with all that they say, and what is no message stands beside, line by line.
    const blobs = blobsOf(outputs)
    const results = new Map(
      items.flatMap((item) =>
        item.type === 'tool_call' && 'output' in item.state
          ? [[item.callId, wholeText(blobs, item.state.output)] as const]
          : [],
      ),
    )
    for (const part of lines.flatMap(partsOf))
      if (part.type === 'tool_result' && typeof part.content === 'string')
        expect(results.get(part.tool_use_id ?? '')).toBe(part.content)
    const kept = keptLines(outputs)
    const notices = items.filter(({ type }) => type === 'notice').length
    const others = lines.filter(
      ({ type }, at) => type !== 'user' && type !== 'assistant' && !kept.has(at + 1),
    )
    expect(others.length).toBe(notices)
    expect(report.unknown).toEqual({})
    const steps = outputs.flatMap(({ piece }) => (piece.type === 'stepEnd' ? [piece.end.usage.output] : []))
    expect(steps.reduce((sum, output) => sum + output, 0)).toBe(report.usage.output)
  })
})
