// Real sessions of Codex, read in, written out for Codex and read again: what was said and done, and what its model would
// be given next, are the same.

import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../../test/setup/cases.ts'
import { type MemoryRollout, memoryStore, wholeText } from '../../../../test/setup/memory-rollout.ts'
import { sha256 } from '../../../lib/sha256.ts'
import type { ThreadEvent } from '../../../protocol/event.ts'
import type { Item } from '../../../protocol/item.ts'
import { readRollouts } from '../import/reading.ts'
import type { Output } from '../import/types.ts'
import { createExporter } from './export.ts'

const folder = casesIn('rollouts').path
const files = ['codex-rollouts-scripted-model', 'codex-rollouts']
  .filter((name) => existsSync(join(folder, name)))
  .flatMap((name) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`))
  .filter((name) => name.endsWith('.jsonl'))

/** As a database would keep it. */
const kept = (outputs: Output[]): MemoryRollout => {
  const head = outputs[0]?.head
  const threadId = head?.threadId ?? ''
  const rollout: MemoryRollout = {
    threadId,
    title: head?.title ?? '',
    createdAt: head?.firstAt ?? 0,
    idMask: null,
    events: [],
    windows: [],
    notes: [],
    blobs: new Map(),
  }
  for (const { piece } of outputs) {
    if (piece.type === 'blob') rollout.blobs.set(piece.hash, piece.bytes)
    else if (piece.type === 'event') {
      const seq = rollout.events.length + 1
      rollout.events.push({ ...piece.event, threadId, seq, at: piece.at } as ThreadEvent)
    } else if (piece.type === 'window') rollout.windows.push({ ...piece.window, blocks: [], steps: [] })
    else if (piece.type === 'step')
      rollout.windows
        .find((window) => window.windowId === piece.step.windowId)
        ?.steps.push({ ...piece.step, end: null })
    else if (piece.type === 'block') {
      const { windowId, wire, ...row } = piece.block
      const wireHash = sha256(wire)
      const isInline = wire.byteLength <= 8_192
      if (!isInline) rollout.blobs.set(wireHash, wire)
      rollout.windows
        .find((window) => window.windowId === windowId)
        ?.blocks.push({ ...row, wireHash, wire: isInline ? wire : null })
    }
  }
  return rollout
}

const read = async (source: AsyncIterable<Uint8Array>, name: string): Promise<MemoryRollout> => {
  const outputs: Output[] = []
  await readRollouts(source, name, {
    importedAt: 1_800_000_000_000,
    actorId: 'system',
    write: async (made) => void outputs.push(...made),
    storeLarge: async () => {
      throw new Error('no line of these is that large')
    },
  })
  // A file of several gives its first.
  return kept(outputs.filter(({ head }) => head === outputs[0]?.head))
}

const textOf = (rollout: MemoryRollout, long: { text: string; blob?: string | undefined }): string =>
  long.blob === undefined ? long.text : Buffer.from(rollout.blobs.get(long.blob) ?? '').toString('utf8')

/** What was said and called, in order. */
const told = (rollout: MemoryRollout): string[] =>
  rollout.events.flatMap((event) => {
    if (event.type !== 'item.completed') return []
    const item: Item = event.body.item
    if (item.type === 'user_message')
      return [
        `user ${item.content.map((part) => (part.type === 'text' ? textOf(rollout, part) : part.type)).join()}`,
      ]
    if (item.type === 'agent_message') return [`agent ${textOf(rollout, item.text)}`]
    if (item.type !== 'tool_call') return []
    const output = 'output' in item.state ? textOf(rollout, item.state.output) : ''
    return [`call ${item.tool} ${textOf(rollout, item.arguments)} -> ${output}`]
  })

const lastInput = (rollout: MemoryRollout): unknown[] =>
  (rollout.windows.at(-1)?.blocks ?? []).map(({ kind, wire, wireHash }) => {
    const bytes = Buffer.from(wire ?? rollout.blobs.get(wireHash) ?? '')
    return [kind, JSON.parse(bytes.toString('utf8', bytes.indexOf(10) + 1))]
  })

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

describe.skipIf(files.length === 0)('real sessions of Codex (needs CASES_DIR)', () => {
  it('are found', () => {
    expect(files).not.toEqual([])
  })

  it.each(files)('%s', { timeout: 120_000 }, async (name) => {
    const first = await read(createReadStream(join(folder, name)), name)
    const exporter = createExporter(memoryStore(first))
    const { digest } = await exporter.preview(first.threadId, 'none')
    const request = { threadId: first.threadId, format: 'codex', redaction: 'none', confirm: digest } as const
    const text = await wholeText((await exporter.open(request)).chunks)
    const second = await read(once(text), name)
    expect(told(second)).toEqual(told(first))
    expect(lastInput(second)).toEqual(lastInput(first))
  })
})

const others = ['claude-code', 'pi', 'swe-agent', 'openhands', 'inspect'].flatMap((name) =>
  existsSync(join(folder, name)) ? readdirSync(join(folder, name)).map((file) => `${name}/${file}`) : [],
)
type Given = { type: string; call_id?: string; content?: { text?: string }[] }

describe.skipIf(others.length === 0)('real sessions of others, for Codex (needs CASES_DIR)', () => {
  it.each(others)('%s', { timeout: 120_000 }, async (name) => {
    const rollout = await read(createReadStream(join(folder, name)), name)
    const exporter = createExporter(memoryStore(rollout))
    const { digest } = await exporter.preview(rollout.threadId, 'none')
    const request = {
      threadId: rollout.threadId,
      format: 'codex',
      redaction: 'none',
      confirm: digest,
    } as const
    const lines = (await wholeText((await exporter.open(request)).chunks)).trimEnd().split('\n')
    const given = lines.flatMap((line): Given[] => {
      const { type, payload } = JSON.parse(line)
      return type === 'response_item' ? [payload] : type === 'compacted' ? payload.replacement_history : []
    })
    const words = given.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('\n')
    const calls = new Set(given.filter(({ type }) => /_call$/.test(type)).map(({ call_id }) => call_id))
    for (const event of rollout.events) {
      if (event.type !== 'item.completed') continue
      const { item } = event.body
      if (item.type === 'agent_message') expect(words).toContain(textOf(rollout, item.text).trim())
      if (item.type === 'tool_call') expect(calls).toContain(item.callId)
    }
    // A result without its call is one that Codex would drop.
    for (const { type, call_id } of given) if (/_output$/.test(type)) expect(calls).toContain(call_id)
  })
})
