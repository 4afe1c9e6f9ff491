/** A file of the corpus, read by the importer's reader; and what is in it by an own, plain reading of its lines. */
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseEvent } from '../../src/protocol/event.ts'
import type { ImportReport } from '../../src/protocol/import.ts'
import type { Item } from '../../src/protocol/item.ts'
import { readRollouts } from '../../src/server/rollouts/import/reading.ts'
import type { Output } from '../../src/server/rollouts/import/types.ts'
import { casesIn } from './cases.ts'

export const folder = casesIn('rollouts').path
export const isHere = existsSync(folder)

/** Files of one of its folders; none without it. */
export const filesOf = (name: string, end: RegExp): string[] =>
  existsSync(join(folder, name))
    ? readdirSync(join(folder, name))
        .filter((file) => end.test(file))
        .map((file) => `${name}/${file}`)
    : []

type Read = { report: ImportReport; outputs: Output[] }

export const read = async (path: string): Promise<Read> => {
  const outputs: Output[] = []
  const report = await readRollouts(createReadStream(path), path.split('/').at(-1) ?? '', {
    importedAt: 1_800_000_000_000,
    actorId: 'system',
    write: async (made) => {
      outputs.push(...made)
    },
    storeLarge: async () => {
      throw new Error('no line of the corpus is that large')
    },
  })
  return { report, outputs }
}

export const completed = (outputs: Output[]): Item[] =>
  outputs.flatMap(({ piece }) =>
    piece.type === 'event' && piece.event.type === 'item.completed' ? [piece.event.body.item] : [],
  )

export const agentText = (outputs: Output[]): string => {
  const blobs = blobsOf(outputs)
  return completed(outputs)
    .flatMap((item) => (item.type === 'agent_message' ? [wholeText(blobs, item.text)] : []))
    .join('')
}

/** Words of every message of a person (or what stands in a person's place), in order. */
export const userTexts = (outputs: Output[]): string[] => {
  const blobs = blobsOf(outputs)
  return completed(outputs).flatMap((item) =>
    item.type === 'user_message'
      ? [item.content.flatMap((part) => (part.type === 'text' ? [wholeText(blobs, part)] : [])).join('\n')]
      : [],
  )
}

type Blobs = ReadonlyMap<string, Uint8Array>
export const blobsOf = (outputs: Output[]): Blobs =>
  new Map(outputs.flatMap(({ piece }) => (piece.type === 'blob' ? [[piece.hash, piece.bytes] as const] : [])))
export const wholeText = (
  blobs: Blobs,
  { text, blob }: { text: string; blob?: string | undefined },
): string => (blob === undefined ? text : Buffer.from(blobs.get(blob) ?? '').toString('utf8'))

/** Lines of the file that are kept as they are. */
export const keptLines = (outputs: Output[]): Set<number> =>
  new Set(
    outputs.flatMap(({ piece }) =>
      piece.type === 'event' && piece.event.type === 'record.kept' ? [piece.event.body.line] : [],
    ),
  )

type Part = { type?: string; text?: string; thinking?: string; tool_use_id?: string; content?: unknown }
type Line = {
  type: string
  uuid?: string
  message?: { id?: string; role?: string; content?: string | Part[]; usage?: Record<string, number> }
}
export const linesOf = (name: string): Line[] =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
export const partsOf = (line: Line): Part[] => {
  const content = line.message?.content ?? []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** Every event can be stored and read again, in the size that events have. */
export const checkEvents = (outputs: Output[]): void => {
  let seq = 0
  for (const { head, piece } of outputs) {
    if (piece.type !== 'event') continue
    seq += 1
    const event = { ...piece.event, threadId: head.threadId, seq, at: piece.at }
    expect(() => parseEvent(event), JSON.stringify(event).slice(0, 600)).not.toThrow()
    expect(Buffer.byteLength(JSON.stringify(piece.event.body))).toBeLessThanOrEqual(8_192)
  }
}
