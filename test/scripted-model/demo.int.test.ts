// The offline demo as a person sees it: on every wire the script finds the sample project's fault in real files, with
// the real test runner, patches it and proves it. The loop here is a plain one; whole turns are tested elsewhere.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEMO_MODEL_ID, modelInfo } from '../../src/server/providers/catalogue.ts'
import { createProvider } from '../../src/server/providers/provider.ts'
import { windowTraits } from '../../src/server/providers/traits.ts'
import type { OutputBlock, PromptBlock, WireKind } from '../../src/server/providers/types.ts'
import { loadScenarios } from './load.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'

const KINDS: WireKind[] = ['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai']
const schema = (field: string) => ({ type: 'object', properties: { [field]: { type: 'string' } } })
const TOOLS: PromptBlock[] = [
  { kind: 'tool', name: 'exec_command', description: 'Runs.', parameters: schema('cmd') },
  { kind: 'tool', name: 'apply_patch', description: 'Patches.', parameters: schema('patch') },
  { kind: 'tool', name: 'update_plan', description: 'Plans.', parameters: schema('plan') },
]

let model: ScriptedModel
let folder: string
beforeAll(async () => {
  model = await startScriptedModel({ scenarios: await loadScenarios(), hurry: true })
})
afterAll(() => model.close())

const SAMPLE = join(import.meta.dirname, '../../src/server/providers/demo/sample')
const SAMPLE_REQUEST = 'The tests fail. Please find out why and fix it.'

function begin(): void {
  folder = mkdtempSync(join(tmpdir(), 'demo-'))
}

function execute(name: string, argumentsText: string): string {
  const given = JSON.parse(argumentsText) as Record<string, string>
  if (name === 'update_plan') return 'Plan updated'
  if (name === 'apply_patch') {
    const lines = (given.patch ?? '').split('\n')
    const taken = lines.find((line) => line.startsWith('-'))?.slice(1) ?? 'no line'
    const put = lines.find((line) => line.startsWith('+'))?.slice(1) ?? ''
    const path = join(folder, /Update File: (.*)/.exec(given.patch ?? '')?.[1] ?? '')
    const before = readFileSync(path, 'utf8')
    expect(before).toContain(taken)
    writeFileSync(path, before.replace(taken, put))
    return 'Success. Updated the following files:\nM src/cart.js'
  }
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  }
  try {
    const output = execFileSync('bash', ['-c', given.cmd ?? ''], { cwd: folder, env, stdio: 'pipe' })
    return `Process exited with code 0\nOutput:\n${output}`
  } catch (thrown) {
    const { status, stdout, stderr } = thrown as { status: number; stdout: Buffer; stderr: Buffer }
    return `Process exited with code ${status}\nOutput:\n${stdout}${stderr}`
  }
}

type Ran = { answer: string; calls: { name: string; argumentsText: string }[]; steps: number }

async function talk(wire: WireKind, said: string, tools = TOOLS): Promise<Ran> {
  const baseUrl = wire === 'anthropic-messages' ? model.url : `${model.url}/v1`
  const connection = { wire, baseUrl, apiKey: 'none', demo: true }
  const info = modelInfo(connection, DEMO_MODEL_ID)
  const traits = windowTraits(connection, info, true)
  const provider = createProvider(connection)
  const window: PromptBlock[] = [
    ...tools,
    { kind: 'instructions', text: 'You are an agent.' },
    {
      kind: 'developer',
      parts: [{ type: 'text', text: '<environment>cwd: /workspace, tests fail</environment>' }],
    },
    { kind: 'user', parts: [{ type: 'text', text: said }] },
  ]
  const calls: Ran['calls'] = []
  for (let step = 0; step < 20; step += 1) {
    const blocks = window.flatMap((block) => provider.wire.encodeBlock(block, traits) ?? [])
    const envelope = provider.wire.encodeEnvelope(
      {
        model: info.id,
        effort: null,
        thinking: true,
        maxOutputTokens: info.maxOutputTokens,
        promptCacheKey: 'win_1',
        parallelToolCalls: true,
      },
      traits,
    )
    const body = provider.wire.assembleBody(envelope, blocks, [])
    const output: OutputBlock[] = []
    for await (const event of provider.stream({ body, model: info.id }, new AbortController().signal))
      if (event.type === 'item.completed') output.push(event.block)
    const group = `s${step}`
    window.push(...provider.wire.sendable(output, traits).map((block) => ({ ...block, group })))
    const asked = output.flatMap((block) => (block.kind === 'tool_call' ? [block] : []))
    if (asked.length === 0) {
      const last = output.findLast((block) => block.kind === 'assistant')
      return { answer: last?.kind === 'assistant' ? last.text : '', calls, steps: step + 1 }
    }
    for (const call of asked) {
      calls.push({ name: call.name, argumentsText: call.argumentsText })
      const text = execute(call.name, call.argumentsText)
      window.push({
        kind: 'tool_result',
        callId: call.callId,
        name: call.name,
        parts: [{ type: 'text', text }],
        isError: false,
        group,
      })
    }
  }
  throw new Error('the demo did not come to an end')
}

describe.each(KINDS)('demo model on %s', (wire) => {
  it('looks, tests, reads, patches, tests again and answers', async () => {
    begin()
    cpSync(SAMPLE, folder, { recursive: true })
    try {
      const { answer, calls } = await talk(wire, SAMPLE_REQUEST)
      const names = calls.filter((call) => call.name !== 'update_plan').map((call) => call.name)
      expect(names).toEqual(['exec_command', 'exec_command', 'exec_command', 'apply_patch', 'exec_command'])
      expect(answer).toMatch(/3 passed, 0 failed/)
      expect(answer).toMatch(/Demo model \(offline, scripted\)/)
      expect(calls.filter((call) => call.name === 'update_plan').at(-1)?.argumentsText).not.toMatch(
        /pending|in_progress/,
      )
      expect(readFileSync(join(folder, 'src/cart.js'), 'utf8')).toContain('item.price * item.quantity')
      const again = await talk(wire, SAMPLE_REQUEST)
      expect(again.answer).toMatch(/Nothing fails/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('says what it is when there is nothing for it to do', async () => {
    expect((await talk(wire, 'Hello there')).answer).toMatch(/^Demo model \(offline, scripted\)/)
    expect((await talk(wire, SAMPLE_REQUEST, [])).answer).toMatch(/no tool/)
    begin()
    writeFileSync(join(folder, 'notes.txt'), 'x')
    try {
      expect((await talk(wire, SAMPLE_REQUEST)).answer).toMatch(/no `package.json`/)
      expect((await talk(wire, 'run: echo it works')).answer).toMatch(/it works/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
