// Many rounds on every wire over real HTTP: each request begins with all of the one before, and is stored as it went out.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/sha256.ts'
import { loadScenarios } from '../scripted-model/load.ts'
import { type ScriptedModel, startScriptedModel } from '../scripted-model/scripted-model.ts'
import { promptItems } from './prompt-items.ts'
import { wholeTurn, wires } from './whole-turn.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await startScriptedModel({ scenarios: await loadScenarios(), hurry: true })
})
afterAll(() => server.close())

it.each(wires)('three hundred rounds keep every item in its place (%s)', async (kind) => {
  const turn = wholeTurn(server, kind, 'rounds:300', { 'AGENTS.md': 'Be kind.' })
  expect(await turn.run()).toEqual({ status: 'completed' })
  expect(turn.defects).toEqual([])
  const bodies = turn.bodies()
  expect(bodies).toHaveLength(301)
  const items = bodies.map(promptItems)
  for (let n = 1; n < items.length; n += 1) {
    const before = items[n - 1] ?? []
    expect(items[n]?.slice(0, before.length)).toEqual(before)
    expect(items[n]?.length).toBeGreaterThan(before.length)
  }
  expect(bodies.at(-1)).toContain('r299')
  expect(turn.log.steps.map(({ bodySha256 }) => bodySha256)).toEqual(bodies.map((body) => sha256(body)))
})

it.each(wires)(
  'bugs 8 and 9: what commands print reaches the model as a terminal would show it (%s)',
  async (kind) => {
    const turn = wholeTurn(server, kind, 'command')
    turn.sandbox.play(({ print }) => {
      print('first\rsecond\nthird\r\n')
      print(Buffer.from([0x61, 0xf0, 0x00, 0x62, 0x0a]))
    })
    expect(await turn.run({ content: [{ type: 'text', text: 'run: build' }] })).toEqual({
      status: 'completed',
    })
    const body = promptItems(turn.bodies()[1] ?? '').at(-1) ?? ''
    expect(body).toContain('second\\nthird')
    expect(body).not.toContain('first')
    expect(body).not.toContain('\\u0000')
    expect(JSON.stringify(JSON.parse(body)).isWellFormed()).toBe(true)
    // The raw bytes stay, and the sandbox need not keep them.
    const exited = turn.log.ofType('command.exited')[0]
    expect(turn.done).toEqual([exited?.body.commandId])
    const raw = turn.log.blobs.get(exited?.body.outputBlob ?? '')
    expect(Buffer.from(raw ?? []).toString('latin1')).toContain('first\rsecond')
  },
)
