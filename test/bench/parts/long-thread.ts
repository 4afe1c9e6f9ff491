// A thread with a long history, written past the runtime: turns of commands with their output, as agents leave them.
import type { NewEvent } from '../../../src/protocol/event.ts'
import { noUsage } from '../../../src/protocol/event.ts'
import { newId } from '../../../src/protocol/ids.ts'
import type { Store } from '../../../src/server/store/types.ts'
import { WrittenThread, withLease } from '../../setup/written-thread.ts'

const callsInTurn = 24
const batch = 2_000
const output = Array.from({ length: 12 }, (_, at) => `line ${at}: the quick brown fox jumps over it`).join(
  '\n',
)

/** One turn: a message, commands, an answer in markdown. About six events a call. */
const turnOf = (index: number, windowId: string, actorId: string): NewEvent[] => {
  const turnId = newId('trn')
  const events: NewEvent[] = []
  const add = (event: object): void => {
    events.push({ windowId, turnId, actorId: 'system', ...event } as NewEvent)
  }
  const user = newId('itm')
  const content = [{ type: 'text', text: `Question ${index}: what does part ${index} do?` }]
  add({
    type: 'turn.started',
    body: { model: { providerId: 'prv_bench', model: 'bench' }, modelLabel: 'Bench' },
  })
  add({
    type: 'item.completed',
    itemId: user,
    actorId,
    body: { item: { id: user, type: 'user_message', content, actorId, via: 'start' } },
  })
  for (let call = 0; call < callsInTurn; call += 1) {
    const stepId = newId('stp')
    const id = newId('itm')
    const commandId = id.replace(/^itm_/, 'cmd_')
    const command = `echo step ${index}.${call}`
    const base = {
      id,
      type: 'tool_call',
      callId: `call_${index}_${call}`,
      tool: 'exec_command',
      arguments: { text: JSON.stringify({ cmd: command }) },
    }
    const about = { stepId, itemId: id }
    const startedAt = Date.now()
    add({
      type: 'step.started',
      stepId,
      body: {
        index: call,
        blockCount: call * 2,
        newBlocks: 2,
        bodySha256: '0'.repeat(64),
        estimatedTokens: 900,
      },
    })
    add({
      type: 'item.started',
      ...about,
      body: { item: { ...base, state: { status: 'running', startedAt } } },
    })
    add({
      type: 'command.started',
      ...about,
      body: { commandId, itemId: id, command, mode: 'workspace-write', tty: false },
    })
    add({
      type: 'command.exited',
      ...about,
      body: { commandId, itemId: id, status: 'exited', exitCode: 0, signal: null, bytes: output.length },
    })
    const detail = {
      type: 'command',
      commandId,
      command,
      exitCode: 0,
      signal: null,
      timedOut: false,
      running: false,
      bytes: output.length,
    }
    const state = { status: 'succeeded', startedAt, endedAt: startedAt + 5, output: { text: output }, detail }
    add({ type: 'item.completed', ...about, body: { item: { ...base, state } } })
    add({
      type: 'step.completed',
      stepId,
      body: {
        usage: noUsage,
        costMicros: null,
        firstTokenMs: 5,
        totalMs: 9,
        retries: 0,
        stopReason: 'tool_calls',
        toolCalls: 1,
        contextTokens: 900,
        contextLimit: 200_000,
      },
    })
  }
  const answer = newId('itm')
  const text = `The newest answer. Part ${index} **does** its work:\n\n- it reads\n- it writes\n\n\`\`\`js\nconst part = ${index}\n\`\`\`\n`
  add({
    type: 'item.completed',
    itemId: answer,
    body: { item: { id: answer, type: 'agent_message', phase: 'final', text: { text } } },
  })
  const end = { usage: noUsage, costMicros: null, durationMs: 900, steps: callsInTurn }
  add({ type: 'turn.completed', body: end })
  return events
}

/** Makes the thread; resolves with its id when all of its events are stored. */
export const writeLongThread = (
  store: Store,
  projectId: string,
  ownerId: string,
  events: number,
): Promise<string> =>
  withLease(store, async (leaseOwner) => {
    const thread = new WrittenThread({ store, leaseOwner, ownerId, model: 'bench', maxOutputTokens: 32_000 })
    await thread.open(projectId, `${events} events`)
    // The last turn is whole, so a few events more than asked for.
    for (let turn = 1; thread.seq < events; turn += 1) {
      for (const event of turnOf(turn, thread.windowId, ownerId)) {
        thread.at += 1
        thread.add(event)
      }
      thread.counts.turns = turn
      if (thread.held.events.length >= batch) await thread.flush('The end')
    }
    await thread.flush('The end')
    return thread.threadId
  })
