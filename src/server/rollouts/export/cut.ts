/**
 * What of a rollout goes into a file: all of it, or what a look through it left. Texts are cut, blobs get new names,
 * and hashes of what was cut are withheld, since a hash would tell whether a guess is right.
 */

import { createHash } from 'node:crypto'
import { sha256 } from '../../../lib/sha256.ts'
import type { ThreadEvent } from '../../../protocol/event.ts'
import { type RedactionFacts, withheldHash } from '../../../protocol/rollout-file.ts'
import { cutBytes, cutWhole } from '../redact/bytes.ts'
import { createRedactor } from '../redact/redactor.ts'
import type { Look } from './look.ts'
import type { BlockRead, RolloutSource, StepRead } from './source.ts'

/** A blob as it goes out; `chars` is known of texts that were read as a whole. */
export type CutBlob = { hash: string; bytes: number }

export type Cut = {
  /** Null = nothing is looked for; the file is lossless. */
  redacted: RedactionFacts | null
  lossless: boolean
  text(text: string): string
  event(event: ThreadEvent): ThreadEvent
  block(block: BlockRead): BlockRead
  step(step: StepRead): StepRead
  json<T>(value: T): T
  /** Null = it is left out. */
  blob(hash: string, bytes: number): CutBlob | null
  /** The bytes as they go out, by the name that the rollout has for them. */
  read(hash: string, bytes: number): AsyncIterable<Uint8Array>
  /** The same by the name under which they go out; null = they are left out, or none of this rollout. */
  open(hash: string): { bytes: number; read(): AsyncIterable<Uint8Array> } | null
}

export const noCut = (source: RolloutSource): Cut => {
  const sizes = sizesOf(source)
  return {
    redacted: null,
    lossless: true,
    text: (text) => text,
    event: (event) => event,
    block: (block) => block,
    step: (step) => step,
    json: (value) => value,
    blob: (hash, bytes) => ({ hash, bytes }),
    read: (hash) => source.blob(hash),
    open: (hash) => {
      const bytes = sizes.get(hash)
      return bytes === undefined ? null : { bytes, read: () => source.blob(hash) }
    },
  }
}

const sizesOf = (source: RolloutSource): Map<string, number> =>
  new Map(source.manifest.blobs.map(({ hash, bytes }) => [hash, bytes]))

const hashText = /^[0-9a-f]{64}$/
const anyHash = /[0-9a-f]{64}/g

/** Reads the blobs that change once more, to know their new names before anything that names them is written. */
export const prepareCut = async (source: RolloutSource, look: Look): Promise<Cut> => {
  const full = createRedactor(look.level, look.known)
  const light = createRedactor(look.level, look.known, { knownOnly: true })
  const anything = look.known.size() > 0 || look.preview.places > 0
  const renamed = new Map<string, CutBlob>()

  const hashOut = (hash: string): string =>
    renamed.get(hash)?.hash ?? (look.opaque.has(hash) || look.blocks.has(hash) ? withheldHash : hash)

  /** Hashes in a JSON value under their new names. */
  const mapHashes = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') {
      if (!hashText.test(value)) return value
      return anything && field === 'bodySha256' ? withheldHash : hashOut(value)
    }
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) {
      const mapped = value.map((part) => mapHashes(part, field))
      return mapped.some((part, at) => part !== value[at]) ? mapped : value
    }
    // Of several blocks, and of rules files, the hash is not one of a block.
    const apart = anything && (field === 'rules' || (field === 'given' && 'count' in value))
    const entries = Object.entries(value)
    const mapped = entries.map(([name, inner]) =>
      apart && name === 'hash' ? withheldHash : mapHashes(inner, name),
    )
    if (mapped.every((inner, at) => inner === entries[at]?.[1])) return value
    return Object.fromEntries(entries.map(([name], at) => [name, mapped[at]]))
  }
  const mapped = <T>(value: T, field = ''): T =>
    anything || look.opaque.size > 0 ? (mapHashes(value, field) as T) : value

  const mapText = (text: string): string => text.replace(anyHash, (hash) => hashOut(hash))
  async function* cutBlob(hash: string, bytes: number, redactor = full): AsyncGenerator<Uint8Array> {
    for await (const piece of cutBytes(source.blob(hash), bytes, redactor)) {
      const text = look.blocks.size > 0 ? Buffer.from(piece).toString('latin1') : ''
      const named = mapText(text)
      yield named === text ? piece : Buffer.from(named, 'latin1')
    }
  }

  if (anything)
    for (const { hash, bytes } of source.manifest.blobs) {
      if (look.opaque.has(hash)) continue
      const digest = createHash('sha256')
      let size = 0
      for await (const piece of cutBlob(hash, bytes, look.blobs.has(hash) ? full : light)) {
        digest.update(piece)
        size += piece.byteLength
      }
      const name = digest.digest('hex')
      if (name !== hash) renamed.set(hash, { hash: name, bytes: size })
    }

  const sizes = sizesOf(source)
  const original = new Map([...renamed].map(([hash, blob]) => [blob.hash, hash]))
  const read = (hash: string, bytes: number): AsyncIterable<Uint8Array> =>
    renamed.has(hash) ? cutBlob(hash, bytes, look.blobs.has(hash) ? full : light) : source.blob(hash)

  const kinds = Object.fromEntries(look.preview.kinds.map(({ kind, places }) => [kind, places]))
  return {
    redacted: { level: look.level, kinds, blobsLeftOut: look.opaque.size },
    lossless: !anything && look.opaque.size === 0,
    text: (text) => (anything ? full.text(text) : text),
    json: (value) => (anything ? mapped(full.json(value)) : mapped(value)),
    event: (event) => {
      if (!anything && look.opaque.size === 0) return event
      const redactor = look.events.has(event.seq) ? full : light
      const body = mapped(anything ? redactor.json(event.body) : event.body, event.type)
      return body === event.body ? event : ({ ...event, body } as ThreadEvent)
    },
    block: (block) => {
      if (!anything) return block
      if (block.wire === null) {
        const blob = renamed.get(block.wireHash)
        return blob ? { ...block, hash: withheldHash, wireHash: blob.hash } : block
      }
      const text = Buffer.from(block.wire).toString('utf8')
      const cut = cutWhole(text, look.wires.has(block.wireHash) ? full : light)
      if (cut === text) return block
      const wire = Buffer.from(cut)
      return { ...block, hash: withheldHash, wire, wireHash: sha256(wire) }
    },
    step: (step) => mapped(step),
    blob: (hash, bytes) => (look.opaque.has(hash) ? null : (renamed.get(hash) ?? { hash, bytes })),
    read,
    open: (hash) => {
      const from = original.get(hash) ?? hash
      const bytes = look.opaque.has(from) ? undefined : sizes.get(from)
      if (bytes === undefined) return null
      return { bytes: renamed.get(from)?.bytes ?? bytes, read: () => read(from, bytes) }
    },
  }
}
