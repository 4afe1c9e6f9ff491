// A thread with a long history, written past the runtime: turns of commands with their output, as agents leave them.
import type { NewEvent, ThreadEvent } from '../../../src/protocol/event.ts'
import { noUsage } from '../../../src/protocol/event.ts'
import { newId } from '../../../src/protocol/ids.ts'
import { defaultThreadSettings } from '../../../src/protocol/settings.ts'
import type { Store, ThreadState } from '../../../src/server/store/types.ts'
import { freshState } from '../../setup/store.ts'

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
export const writeLongThread = async (
  store: Store,
  projectId: string,
  ownerId: string,
  events: number,
): Promise<string> => {
  const writer = newId('own')
  await store.leases.register({ ownerId: writer, installId: 'bench', worker: writer })
  const threadId = newId('thr')
  const windowId = newId('win')
  const settings = defaultThreadSettings
  const title = `${events} events`
  const created = { threadId, windowId, at: Date.now(), actorId: ownerId } as const
  await store.threads.create({
    threadId,
    projectId,
    ownerId,
    title,
    fromThreadId: null,
    seed: null,
    lease: { ownerId: writer },
    first: {
      ...created,
      actorId: ownerId,
      seq: 1,
      type: 'thread.created',
      body: { projectId, title, settings },
    } as ThreadEvent,
    state: freshState(windowId),
  })
  let seq = 1
  let waiting: ThreadEvent[] = []
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    await store.leases.renew(writer)
    const state: ThreadState = { ...freshState(windowId), head: seq, turns: 1, lastLine: 'The end' }
    const { lost } = await store.log.append(writer, [{ threadId, fence: 1, events: waiting, state }])
    if (lost.length > 0) throw new Error('the lease was lost while the thread was written')
    waiting = []
  }
  for (let turn = 1; seq < events; turn += 1) {
    // The last turn is whole, so a few events more than asked for.
    for (const event of turnOf(turn, windowId, ownerId)) {
      seq += 1
      waiting.push({ ...event, threadId, seq, at: created.at + seq } as ThreadEvent)
    }
    if (waiting.length >= batch) await flush()
  }
  await flush()
  await store.leases.release(writer)
  return threadId
}
