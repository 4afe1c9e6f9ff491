/**
 * A rollout in memory, made up or read from a file of our own: what an export is written from, without a database.
 */
import { sha256 } from '../../src/lib/sha256.ts'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import type { Item } from '../../src/protocol/item.ts'
import { maskIds, newIdMask, RolloutFileLine } from '../../src/protocol/rollout-file.ts'
import { defaultThreadSettings } from '../../src/protocol/settings.ts'
import { makeWireBlock } from '../../src/server/providers/wire-block.ts'
import type { ExportStore } from '../../src/server/rollouts/export/source.ts'
import type { RolloutManifest } from '../../src/server/store/whole-types.ts'

type Block = Awaited<ReturnType<ExportStore['whole']['blocks']>>[number]
type Step = Awaited<ReturnType<ExportStore['whole']['steps']>>[number]

export type MemoryRollout = {
  threadId: string
  title: string
  createdAt: number
  idMask: string | null
  events: ThreadEvent[]
  windows: { windowId: string; index: number; frozen: object; blocks: Block[]; steps: Step[] }[]
  notes: RolloutManifest['notes']
  blobs: Map<string, Uint8Array>
}

export const memoryStore = (rollout: MemoryRollout): ExportStore => {
  const windowOf = (windowId: string) => rollout.windows.find((window) => window.windowId === windowId)
  const bytesOf = (hash: string): Uint8Array => {
    const bytes = rollout.blobs.get(hash)
    if (!bytes) throw new Error(`no blob ${hash}`)
    return bytes
  }
  return {
    whole: {
      manifest: async (threadId) => ({
        threadId,
        title: rollout.title,
        createdAt: rollout.createdAt,
        idMask: rollout.idMask,
        head: rollout.events.length,
        windows: rollout.windows.map(({ windowId, index, frozen, blocks, steps }) => ({
          windowId,
          index,
          blocks: blocks.length,
          steps: steps.length,
          frozen: frozen as RolloutManifest['windows'][number]['frozen'],
        })),
        notes: rollout.notes,
        blobs: [...rollout.blobs]
          .map(([hash, bytes]) => ({ hash, bytes: bytes.byteLength }))
          .sort((a, b) => (a.hash < b.hash ? -1 : 1)),
      }),
      blocks: async (windowId, from, limit) => (windowOf(windowId)?.blocks ?? []).slice(from, from + limit),
      steps: async (windowId, from, limit) => (windowOf(windowId)?.steps ?? []).slice(from, from + limit),
    },
    log: {
      after: async (_threadId: string, after: number, limit: number) =>
        rollout.events.slice(after, after + limit),
      lastOfItems: async (_threadId: string, itemIds: string[]) =>
        itemIds.flatMap((itemId) => {
          const event = rollout.events.findLast((each) => each.itemId === itemId)
          return event ? [event] : []
        }),
    } as unknown as ExportStore['log'],
    blobs: {
      of: () => ({
        get: async (hash: string) => bytesOf(hash),
        read: async function* (hash: string, range?: { from: number; limit: number }) {
          const all = bytesOf(hash)
          const bytes = range ? all.subarray(range.from, range.from + range.limit) : all
          for (let at = 0; at < bytes.byteLength; at += 1_048_576) yield bytes.subarray(at, at + 1_048_576)
        },
      }),
    } as unknown as ExportStore['blobs'],
  }
}

/** A file of our own as a rollout with other ids, the way it lies in a database that read it. */
export const readMemory = (file: string): MemoryRollout => {
  const mask = newIdMask()
  const pieces = new Map<string, Buffer[]>()
  const rollout: MemoryRollout = {
    threadId: '',
    title: '',
    createdAt: 0,
    idMask: mask,
    events: [],
    windows: [],
    notes: [],
    blobs: new Map(),
  }
  for (const text of file.split('\n')) {
    if (text === '') continue
    const line = maskIds(RolloutFileLine.parse(JSON.parse(text)), mask)
    const window = rollout.windows.at(-1)
    if (line.type === 'header') {
      rollout.threadId = line.thread.id
      rollout.title = line.thread.title
      rollout.createdAt = line.thread.createdAt
    } else if (line.type === 'event')
      rollout.events.push({ threadId: rollout.threadId, ...line.event } as unknown as ThreadEvent)
    else if (line.type === 'window') {
      const { type: _, ...rest } = line
      rollout.windows.push({ ...rest, blocks: [], steps: [] })
    } else if (line.type === 'block') {
      const { type: _, base64, wire, ...rest } = line
      const bytes = wire === null ? null : Buffer.from(wire, base64 ? 'base64' : 'utf8')
      window?.blocks.push({ ...rest, wire: bytes })
    } else if (line.type === 'step') {
      const { type: _, ...rest } = line
      window?.steps.push({ ...rest, windowId: window.windowId })
    } else if (line.type === 'note') {
      const { type: _, ...rest } = line
      rollout.notes.push(rest)
    } else if (line.type === 'blob')
      pieces.set(line.hash, [...(pieces.get(line.hash) ?? []), Buffer.from(line.data, 'base64')])
  }
  for (const [hash, parts] of pieces) rollout.blobs.set(hash, Buffer.concat(parts))
  return rollout
}

/** What a made-up rollout says; each text may be anything. */
export type RolloutWords = {
  title: string
  requests: string[]
  answers: string[]
  outputs: string[]
  note: string
  /** Stored beside: the raw answer of the first step, whatever it is. */
  raw: Uint8Array
}

const model = { providerId: newId('prv'), model: 'gpt-5.5' }

/** Turn by turn: a request, a call of a command with its output, an answer; each turn is a window of its own. */
export const madeRollout = (words: RolloutWords): MemoryRollout => {
  const threadId = newId('thr')
  const actorId = newId('usr')
  const blobs = new Map<string, Uint8Array>()
  const events: ThreadEvent[] = []
  const windows: MemoryRollout['windows'] = []
  const keep = (bytes: string | Uint8Array): string => {
    const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    blobs.set(sha256(data), data)
    return sha256(data)
  }
  const long = (text: string) =>
    text.length <= 2_000
      ? { text }
      : { text: text.slice(0, 2_000).toWellFormed(), blob: keep(text.toWellFormed()), chars: text.length }
  let at = 1_790_000_000_000
  let windowId = newId('win')
  const add = (type: ThreadEvent['type'], body: unknown, more: Record<string, string> = {}): void => {
    at += 137
    const seq = events.length + 1
    events.push({ threadId, seq, type, windowId, ...more, actorId, at, body } as unknown as ThreadEvent)
  }
  const done = (item: Item, more: Record<string, string>): void =>
    add('item.completed', { item }, { ...more, itemId: item.id })
  add('thread.created', { projectId: newId('prj'), title: words.title, settings: defaultThreadSettings })
  words.requests.forEach((request, turn) => {
    windowId = newId('win')
    const turnId = newId('trn')
    const stepId = newId('stp')
    const output = words.outputs[turn % words.outputs.length] ?? ''
    const answer = words.answers[turn % words.answers.length] ?? ''
    const blocks: Block[] = []
    const block = (slot: 'instructions' | 'item' | 'call' | 'result', kind: string, value: unknown) => {
      const wire = makeWireBlock(
        slot,
        slot === 'call' || slot === 'result' ? stepId : '',
        JSON.stringify(value),
      )
      const wireHash = sha256(wire.bytes)
      const isInline = wire.bytes.byteLength <= 8_192
      if (!isInline) keep(wire.bytes)
      blocks.push({
        idx: blocks.length,
        hash: sha256(JSON.stringify(value)),
        kind,
        itemId: null,
        callId: null,
        tokens: 7,
        reason: 'message',
        wireHash,
        wire: isInline ? wire.bytes : null,
      })
    }
    add('window.opened', { index: turn, reason: turn === 0 ? 'first_turn' : 'person', blocks: 2, tokens: 9 })
    add('turn.started', { model, modelLabel: 'GPT-5.5' }, { turnId })
    const mine = { turnId, stepId }
    done(
      {
        id: newId('itm'),
        type: 'user_message',
        actorId,
        via: 'start',
        content: [{ type: 'text', text: request }],
      } as Item,
      { turnId },
    )
    block('instructions', 'instructions', 'You are a careful engineer.')
    block('item', 'user', { role: 'user', content: [{ type: 'input_text', text: request }] })
    add(
      'step.started',
      { index: 0, blockCount: 2, newBlocks: 2, bodySha256: sha256(request), estimatedTokens: 9 },
      mine,
    )
    const args = JSON.stringify({ cmd: `echo ${request.slice(0, 40)}` })
    const callId = `call_${turn}`
    done(
      {
        id: newId('itm'),
        type: 'tool_call',
        callId,
        tool: 'exec_command',
        arguments: long(args),
        state: {
          status: 'succeeded',
          startedAt: at,
          endedAt: at + 40,
          output: long(output),
          detail: {
            type: 'command',
            commandId: newId('cmd'),
            command: `echo ${request.slice(0, 40)}`,
            exitCode: 0,
            running: false,
            bytes: output.length,
            outputBlob: keep(output.toWellFormed()),
          },
        },
      } as Item,
      mine,
    )
    const usage = { input: 100 + turn, cachedInput: 50, cacheWrite: 0, output: 12, reasoning: 3 }
    const end = { usage, costMicros: 1_200, firstTokenMs: 90, totalMs: 400, retries: 0, stopReason: 'stop' }
    add('step.completed', { ...end, toolCalls: 1, contextTokens: 112, contextLimit: 200_000 }, mine)
    block('call', 'tool_call', {
      type: 'function_call',
      call_id: callId,
      name: 'exec_command',
      arguments: args,
    })
    block('result', 'tool_result', { type: 'function_call_output', call_id: callId, output })
    done({ id: newId('itm'), type: 'agent_message', phase: 'final', text: long(answer) } as Item, mine)
    add('turn.completed', { usage, costMicros: 1_200, durationMs: 900, steps: 1 }, { turnId })
    windows.push({
      windowId,
      index: turn,
      frozen: { wire: 'openai-responses', model: 'gpt-5.5' },
      blocks,
      steps: [
        {
          stepId,
          windowId,
          turnId,
          index: 0,
          blockCount: 2,
          envelopeHash: keep('{"model":"gpt-5.5"}'),
          cacheMarks: [],
          bodySha256: sha256(request),
          model: 'gpt-5.5',
          startedAt: at,
          end: {
            status: 'completed',
            ...end,
            providerRequestId: null,
            rawResponseHash: keep(turn === 0 ? words.raw : `data: {"delta":${JSON.stringify(answer)}}\n\n`),
          },
        },
      ],
    })
  })
  const notes = [1, 2].map((version) => ({
    agentPath: '/root',
    path: 'plan.md',
    version,
    hash: keep(`${words.note} ${version}`),
    bytes: Buffer.byteLength(`${words.note} ${version}`),
    actorId: 'agent',
    writer: '/root',
    createdAt: at,
    at: at + version,
  }))
  return { threadId, title: words.title, createdAt: at, idMask: null, events, windows, notes, blobs }
}

/** All of a stream as text; pieces of bytes are UTF-8. */
export const wholeText = async (chunks: AsyncIterable<string | Uint8Array>): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const chunk of chunks) pieces.push(Buffer.from(chunk as string))
  return Buffer.concat(pieces).toString('utf8')
}
