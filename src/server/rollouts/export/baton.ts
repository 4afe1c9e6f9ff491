/**
 * Our own file: every record of the rollout, a line each, in an order that does not depend on when or how often it is
 * written. Streams; holds a page at a time. Knows no door.
 */
import { createHash, type Hash } from 'node:crypto'
import type { z } from 'zod'
import {
  blobPieceBytes,
  blockLineWireBytes,
  maskIds,
  type RolloutFileBlock,
  type RolloutFileHeader,
  type RolloutFileStep,
  rolloutFileFormat,
  rolloutFileVersion,
} from '../../../protocol/rollout-file.ts'
import type { Cut } from './cut.ts'
import type { BlockRead, RolloutSource, StepRead, WindowHead } from './source.ts'

type Line = Record<string, unknown> & { type: string }

/** UTF-8 without loss, or null. */
const asText = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const windowLine = (window: WindowHead, cut: Cut): Line => ({
  type: 'window',
  windowId: window.windowId,
  index: window.index,
  frozen: cut.json(window.frozen),
})

const blockLine = (block: BlockRead): z.infer<typeof RolloutFileBlock> => {
  const { idx, hash, kind, itemId, callId, tokens, reason, wireHash } = block
  const line = { type: 'block' as const, idx, hash, kind, itemId, callId, tokens, reason, wireHash }
  if (block.wire === null || block.wire.byteLength > blockLineWireBytes) return { ...line, wire: null }
  const wire = asText(block.wire)
  return wire === null
    ? { ...line, wire: Buffer.from(block.wire).toString('base64'), base64: true }
    : { ...line, wire }
}

const stepLine = ({ windowId: _, end, ...step }: StepRead): z.infer<typeof RolloutFileStep> => ({
  type: 'step',
  stepId: step.stepId,
  turnId: step.turnId,
  index: step.index,
  blockCount: step.blockCount,
  envelopeHash: step.envelopeHash,
  cacheMarks: step.cacheMarks,
  bodySha256: step.bodySha256,
  model: step.model,
  startedAt: step.startedAt,
  end:
    end === null
      ? null
      : {
          status: end.status,
          usage: end.usage,
          costMicros: end.costMicros,
          firstTokenMs: end.firstTokenMs,
          totalMs: end.totalMs,
          retries: end.retries,
          providerRequestId: end.providerRequestId,
          stopReason: end.stopReason,
          rawResponseHash: end.rawResponseHash,
        },
})

async function* blobLines(source: RolloutSource, cut: Cut): AsyncGenerator<Line[]> {
  const out = source.manifest.blobs.flatMap(({ hash, bytes }) => {
    const as = cut.blob(hash, bytes)
    return as === null ? [] : [{ from: hash, fromBytes: bytes, ...as }]
  })
  out.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
  let before = ''
  for (const { from, fromBytes, hash, bytes } of out) {
    // Two blobs that say the same once they are cut are one.
    if (hash === before) continue
    before = hash
    const parts = Math.max(1, Math.ceil(bytes / blobPieceBytes))
    let part = 0
    const line = (data: Uint8Array): Line => ({
      type: 'blob',
      hash,
      bytes,
      part: part++,
      parts,
      data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
    })
    let held = Buffer.alloc(0)
    for await (const chunk of cut.read(from, fromBytes)) {
      held = held.byteLength === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
      while (held.byteLength > blobPieceBytes) {
        yield [line(held.subarray(0, blobPieceBytes))]
        held = held.subarray(blobPieceBytes)
      }
    }
    yield [line(held)]
  }
}

/** Pages of lines in the order of the file, without its last one. */
async function* pages(source: RolloutSource, cut: Cut): AsyncGenerator<Line[]> {
  const { manifest } = source
  const blobs = new Map(
    manifest.blobs.flatMap(({ hash, bytes }) => {
      const as = cut.blob(hash, bytes)
      return as === null ? [] : [[as.hash, as.bytes] as const]
    }),
  )
  const header: z.infer<typeof RolloutFileHeader> = {
    type: 'header',
    format: rolloutFileFormat,
    version: rolloutFileVersion,
    lossless: cut.lossless,
    redacted: cut.redacted,
    thread: {
      id: manifest.threadId,
      title: cut.text(manifest.title),
      createdAt: manifest.createdAt,
    },
    counts: {
      events: manifest.head,
      windows: manifest.windows.length,
      blocks: manifest.windows.reduce((sum, { blocks }) => sum + blocks, 0),
      steps: manifest.windows.reduce((sum, { steps }) => sum + steps, 0),
      notes: manifest.notes.length,
      blobs: blobs.size,
      blobBytes: [...blobs.values()].reduce((sum, bytes) => sum + bytes, 0),
    },
  }
  yield [header]
  for await (const page of source.events())
    yield page.map((event) => {
      const { threadId: _, ...rest } = cut.event(event)
      return { type: 'event', event: rest }
    })
  for (const window of manifest.windows) {
    yield [windowLine(window, cut)]
    for await (const page of source.blocks(window)) yield page.map((block) => blockLine(cut.block(block)))
    for await (const page of source.steps(window)) yield page.map((step) => stepLine(cut.step(step)))
  }
  if (manifest.notes.length > 0)
    yield manifest.notes.map((note) => {
      const blob = cut.blob(note.hash, note.bytes)
      return {
        type: 'note',
        agentPath: note.agentPath,
        path: cut.text(note.path),
        version: note.version,
        hash: blob?.hash ?? note.hash,
        bytes: blob?.bytes ?? note.bytes,
        actorId: note.actorId,
        writer: note.writer,
        createdAt: note.createdAt,
        at: note.at,
      }
    })
  yield* blobLines(source, cut)
}

/** The file in pieces of text. The ids are those that the rollout was made with, wherever it lies now. */
export async function* writeBaton(source: RolloutSource, cut: Cut): AsyncGenerator<string> {
  const digest: Hash = createHash('sha256')
  let lines = 0
  for await (const page of pages(source, cut)) {
    const text = page.map((line) => `${JSON.stringify(maskIds(line, source.manifest.idMask))}\n`).join('')
    digest.update(text)
    lines += page.length
    yield text
  }
  yield `${JSON.stringify({ type: 'end', lines, sha256: digest.digest('hex') })}\n`
}
