// What the model is shown over a turn with two rounds, on every wire: the whole layout, as it went over HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { WireKind } from '../../src/server/providers/types.ts'
import { type ScriptedModel, startScriptedModel } from '../scripted-model/scripted-model.ts'
import { wholeTurn, wires } from './whole-turn.ts'

const patch = '*** Begin Patch\n*** Update File: sum.js\n@@\n-return a - b\n+return a + b\n*** End Patch'

let server: ScriptedModel
beforeAll(async () => {
  const rules = [
    {
      when: { step: 0 },
      reply: {
        text: 'I look first.',
        calls: [{ name: 'read_file', arguments: { path: 'sum.js' }, callId: 'call_1' }],
      },
    },
    {
      when: { step: 1 },
      reply: {
        reasoning: 'A minus.',
        calls: [{ name: 'apply_patch', arguments: { input: patch }, callId: 'call_2' }],
      },
    },
    { reply: { text: 'It adds now.' } },
  ]
  server = await startScriptedModel({ scenarios: [{ name: 'fix', rules }], hurry: true })
})
afterAll(() => server.close())

/** What tools say is theirs to test. */
const hideResults = (key: string, value: unknown): unknown => {
  const item = value as { type?: string; role?: string } | null
  if (item?.type === 'function_call_output') return { ...item, output: '(result)' }
  if (item?.type === 'tool_result' || item?.role === 'tool') return { ...item, content: '(result)' }
  if (key === 'functionResponse') return { ...item, response: '(result)' }
  return value
}

/** Tools and instructions have tests of their own; ids and the server's own words differ from run to run. */
const layout = (body: string): string => {
  const request = JSON.parse(body) as Record<string, unknown>
  type Tool = { name?: string; function?: { name: string }; functionDeclarations?: { name: string }[] }
  const names = ((request.tools ?? []) as Tool[]).flatMap(
    (tool) => tool.functionDeclarations?.map(({ name }) => name) ?? tool.name ?? tool.function?.name,
  )
  const text = JSON.stringify({ ...request, tools: names }, hideResults, 1)
  return text
    .replace(/"You are Baton(?:[^"\\]|\\.)*"/g, '"(base instructions)"')
    .replace(/win_[0-9a-f-]{36}/g, '(window)')
    .replace(
      /"(?:encrypted_content|signature|thoughtSignature|id)": "[^"]*"/g,
      (found) => `${found.split(':')[0]}: "(id)"`,
    )
}

it.each<WireKind>(wires)('%s', async (kind) => {
  const turn = wholeTurn(server, kind, 'fix', {
    'AGENTS.md': 'Use semicolons nowhere.',
    'sum.js': 'return a - b\n',
  })
  const outcome = await turn.run({
    projectInstructions: 'Answer in one sentence.',
    content: [{ type: 'text', text: 'sum.js is wrong. Fix it.' }],
  })
  expect(outcome).toEqual({ status: 'completed' })
  expect(turn.defects).toEqual([])
  expect(turn.sandbox.read('sum.js')).toBe('return a + b\n')
  expect(turn.bodies()).toHaveLength(3)
  expect(layout(turn.bodies()[2] ?? '')).toMatchSnapshot()
  // A checkpoint comes when it is done, beside the next request.
  const types = turn.log.events.map(({ type }) => type).filter((type) => type !== 'checkpoint.created')
  expect(types).toMatchSnapshot()
})
