// The server process is killed again and again while a turn runs commands in a real container: the turn ends all the
// same, no command runs twice, no event is lost or doubled, and no accepted message is forgotten.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import { type ScriptedModel, startScriptedModel } from '../scripted-model/scripted-model.ts'
import { testUser } from '../setup/runtime.ts'
import { type RealSandboxes, realSandboxes } from '../setup/sandboxes.ts'
import { openTestStore, type TestStore } from '../setup/store.ts'
import type { WorkerSetup } from './worker/main.ts'
import { startWorker, type Worker } from './worker.ts'

const rounds = 6
const patienceMs = 180_000

let base: TestStore
let real: RealSandboxes
let model: ScriptedModel
let worker: Worker
let setup: WorkerSetup

beforeEach(async () => {
  base = await openTestStore()
  real = await realSandboxes()
  model = await startScriptedModel({
    scenarios: [
      {
        name: 'ledger',
        rules: [
          {
            reply: ({ calls, lastUser }) =>
              calls.length < rounds && !lastUser.includes('short')
                ? {
                    text: `Writing line ${calls.length}.`,
                    pauseMs: 10,
                    calls: [
                      {
                        name: 'exec_command',
                        arguments: { cmd: `echo line-${calls.length} >> ledger; sleep 0.3; echo done` },
                      },
                    ],
                  }
                : { text: `Said: ${lastUser}` },
          },
        ],
      },
    ],
  })
  setup = {
    databaseUrl: base.url,
    secretKey: randomBytes(32).toString('hex'),
    modelUrl: model.url,
    sandbox: real.config,
  }
  worker = await startWorker(setup)
})
afterEach(async () => {
  await worker?.kill()
  await model?.close()
  await real?.clean()
  await base?.close()
})

const until = async (
  threadId: string,
  wanted: (events: ThreadEvent[]) => boolean,
): Promise<ThreadEvent[]> => {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const events = await base.store.log.after(threadId, 0, 100_000)
    if (wanted(events)) return events
    if (Date.now() > deadline)
      throw new Error(`the log never got there: ${events.map((event) => event.type).join(' ')}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const count = (events: ThreadEvent[], type: ThreadEvent['type']): number =>
  events.filter((event) => event.type === type).length

describe('a server that dies', () => {
  it('again and again, ends its turn all the same and runs nothing twice', async () => {
    const project = await base.store.projects.create({ name: 'Sample' }, testUser)
    const settings = { model: { providerId: newId('prv'), model: 'ledger' } }
    const threadId = String(
      await worker.ask({ do: 'create', input: { projectId: project.id, actorId: testUser, settings } }),
    )
    const submit = async (text: string): Promise<void> => {
      const request = {
        threadId,
        clientId: newId('op'),
        op: { type: 'turn.start' as const, content: [{ type: 'text' as const, text }] },
      }
      await worker.ask({ do: 'submit', request, actorId: testUser })
    }
    await submit('keep the ledger')
    await submit('short one')
    // Each death comes a few events further: in requests, answers, commands and between them.
    for (const further of [3, 7, 4, 9, 5]) {
      const { length } = await until(threadId, () => true)
      const events = await until(
        threadId,
        (all) => all.length >= length + further || count(all, 'turn.completed') === 2,
      )
      if (count(events, 'turn.completed') === 2) break
      await worker.kill()
      worker = await startWorker(setup)
    }
    const events = await until(threadId, (all) => count(all, 'turn.completed') === 2)
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
    expect(count(events, 'turn.started')).toBe(2)
    expect(count(events, 'server.restarted')).toBeGreaterThan(0)
    expect(JSON.stringify(events)).toContain('Said: short one')
    await until(threadId, (all) => count(all, 'command.started') === count(all, 'command.exited'))

    const last = events.findLast((event) => event.type === 'checkpoint.created')
    const tree = last?.type === 'checkpoint.created' ? last.body.tree : ''
    const ledger = String(await worker.ask({ do: 'file', threadId, tree, path: 'ledger' }))
    const lines = ledger.trim().split('\n')
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines.length).toBeLessThanOrEqual(rounds)
    // A line that is missing belongs to a call that the model was told about.
    const interrupted = events.filter(
      (event) =>
        event.type === 'item.completed' &&
        event.body.item.type === 'tool_call' &&
        event.body.item.state.status === 'interrupted',
    )
    expect(lines.length + interrupted.length).toBeGreaterThanOrEqual(rounds)
  })
})
