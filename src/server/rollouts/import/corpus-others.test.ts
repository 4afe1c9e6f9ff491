// Real sessions of pi, SWE-agent, OpenHands and Inspect are read; counts are held against an own reading of each file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkEvents, filesOf, folder, isHere, read, userTexts } from '../../../../test/setup/read-rollout.ts'
import { openZip, readEntry } from './zip.ts'

const json = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))

describe.skipIf(!isHere)('real rollouts of other agents (needs CASES_DIR)', () => {
  it('are there, of each', () => {
    for (const name of ['pi', 'swe-agent', 'openhands', 'inspect'])
      expect(filesOf(name, /./).length, name).toBeGreaterThan(0)
  })

  it.each(filesOf('pi', /jsonl$/))('%s', async (name) => {
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

  it.each(filesOf('swe-agent', /traj(\.json)?$/))('%s', async (name) => {
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

  it.each(filesOf('openhands', /jsonl?$/))('%s', async (name) => {
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

  type Message = { role: string; content: unknown }
  type Sample = {
    messages: Message[]
    attachments?: Record<string, string>
    model_usage?: Record<string, { output_tokens: number }>
  }
  const archived = async (path: string): Promise<Sample[]> => {
    const zip = await openZip(path)
    try {
      const samples: Sample[] = []
      for (const entry of zip.entries.filter(({ name }) => name.startsWith('samples/'))) {
        const parts: Uint8Array[] = []
        for await (const part of readEntry(zip, entry, 2 ** 26)) parts.push(part)
        samples.push(JSON.parse(Buffer.concat(parts).toString('utf8')))
      }
      return samples
    } finally {
      await zip.close()
    }
  }

  it.each(filesOf('inspect', /(json|eval)$/))('%s', async (name) => {
    const { report, outputs } = await read(join(folder, name))
    checkEvents(outputs)
    expect(report).toMatchObject({ format: 'inspect', unknown: {} })
    const samples = name.endsWith('.json')
      ? (json(name) as { samples: Sample[] }).samples
      : await archived(join(folder, name))
    const messages = samples.flatMap((sample) => sample.messages)
    const count = (role: string): number => messages.filter((message) => message.role === role).length
    expect(report.rollouts).toBe(samples.length)
    expect(report.messages).toMatchObject({ system: count('system'), tool: count('tool') })
    // Requests of a scorer are none of the sample's messages; they are told as well.
    const scored = outputs.filter(({ piece }) => piece.type === 'step').length - count('assistant')
    expect(report.messages.agent).toBe(count('assistant') + Math.max(0, scored))
    expect(report.messages.user).toBe(count('user') + Math.max(0, scored))
    // Every word of a message is there, whether it stands in the list or was moved aside.
    const told = userTexts(outputs)
    for (const { messages: own, attachments = {} } of samples)
      for (const { role, content } of own)
        if (typeof content === 'string' && (role === 'user' || role === 'system'))
          expect(told).toContain(attachments[content.replace(/^(attachment|tc):\/\//, '')] ?? content)
    expect(told.filter((text) => /^(attachment|tc):\/\//.test(text))).toEqual([])
    const stated = samples.flatMap(({ model_usage: usage }) => Object.values(usage ?? {}))
    if (stated.length > 0)
      expect(report.usage.output).toBe(stated.reduce((sum, { output_tokens: tokens }) => sum + tokens, 0))
  })
})
