/**
 * A rollout as a file: JSON Lines, one record a line, in a fixed order, so that what is read in and written out again is
 * the same bytes. Also how the ids of a rollout change when it is read in beside the one it came from. Knows no table.
 */
import { z } from 'zod'
import { Usage } from './event.ts'
import { BlobHash, StepId, ThreadId, TurnId, WindowId } from './ids.ts'

export const rolloutFileFormat = 'baton-rollout'
export const rolloutFileVersion = 1

/** Bytes of a blob in one line; in base64 with its line they are less than 1,000,000. */
export const blobPieceBytes = 720_000

/** Wire bytes up to this size stand in their block's line; of larger ones only the hash, which names a blob. */
export const blockLineWireBytes = 8_192

/** A hash that a redacted file does not tell, since it is that of what was cut. */
export const withheldHash = '0'.repeat(64)

/** What was cut from a redacted file: matches by kind, and blobs that could not be looked into and were left out. */
export const RedactionFacts = z.object({
  level: z.enum(['secrets', 'personal']),
  kinds: z.record(z.string(), z.int()),
  blobsLeftOut: z.int(),
})
export type RedactionFacts = z.infer<typeof RedactionFacts>

/** The first line. */
export const RolloutFileHeader = z.object({
  type: z.literal('header'),
  format: z.literal(rolloutFileFormat),
  version: z.literal(rolloutFileVersion),
  /** False for a redacted file: it reads in, but not as the same rollout. */
  lossless: z.boolean(),
  redacted: RedactionFacts.nullable(),
  thread: z.object({ id: ThreadId, title: z.string(), createdAt: z.int() }),
  counts: z.object({
    events: z.int(),
    windows: z.int(),
    blocks: z.int(),
    steps: z.int(),
    notes: z.int(),
    blobs: z.int(),
    blobBytes: z.int(),
  }),
})
export type RolloutFileHeader = z.infer<typeof RolloutFileHeader>

/** A ThreadEvent without its thread; `parseEvent` reads it once the thread's id is added. In order of seq. */
export const RolloutFileEvent = z.object({
  type: z.literal('event'),
  event: z.looseObject({ seq: z.int().min(1), type: z.string() }),
})

/** In order of index; each is followed by its blocks and then its steps. */
export const RolloutFileWindow = z.object({
  type: z.literal('window'),
  windowId: WindowId,
  index: z.int().min(0),
  frozen: z.record(z.string(), z.unknown()),
})

/** A block of the window above, in order of idx. `wire` is its storage form as text, or null when it is a blob. */
export const RolloutFileBlock = z.object({
  type: z.literal('block'),
  idx: z.int().min(0),
  hash: z.string(),
  kind: z.string(),
  itemId: z.string().nullable(),
  callId: z.string().nullable(),
  tokens: z.int(),
  reason: z.string(),
  wireHash: BlobHash,
  wire: z.string().nullable(),
  /** True when `wire` is base64, because the bytes are no UTF-8. */
  base64: z.boolean().optional(),
})

/** A step of the window above, in order of its start. `end` null = it has none in the log. */
export const RolloutFileStep = z.object({
  type: z.literal('step'),
  stepId: StepId,
  turnId: TurnId,
  index: z.int(),
  blockCount: z.int(),
  envelopeHash: z.string(),
  cacheMarks: z.array(z.int()),
  bodySha256: z.string(),
  model: z.string(),
  startedAt: z.int(),
  end: z
    .object({
      status: z.enum(['completed', 'cut', 'failed']),
      usage: Usage,
      costMicros: z.int().nullable(),
      firstTokenMs: z.int().nullable(),
      totalMs: z.int(),
      retries: z.int(),
      providerRequestId: z.string().nullable(),
      stopReason: z.string(),
      rawResponseHash: z.string().nullable(),
    })
    .nullable(),
})

/** A version of a note; its text is the blob. In order of agent, path and version. */
export const RolloutFileNote = z.object({
  type: z.literal('note'),
  agentPath: z.string(),
  path: z.string(),
  version: z.int().min(1),
  hash: BlobHash,
  bytes: z.int(),
  actorId: z.string(),
  writer: z.string(),
  /** Of the file's first version, and of this one. */
  createdAt: z.int(),
  at: z.int(),
})

/** A piece of a blob; pieces of one follow each other, blobs in order of their hash. An empty blob has one piece. */
export const RolloutFileBlob = z.object({
  type: z.literal('blob'),
  hash: BlobHash,
  bytes: z.int(),
  part: z.int().min(0),
  parts: z.int().min(1),
  data: z.base64(),
})

/** The last line; a file without it was cut. `sha256` is that of every byte before this line. */
export const RolloutFileEnd = z.object({ type: z.literal('end'), lines: z.int(), sha256: BlobHash })

/** Order of the lines: header, events, windows with their blocks and steps, notes, blobs, end. */
export const RolloutFileLine = z.discriminatedUnion('type', [
  RolloutFileHeader,
  RolloutFileEvent,
  RolloutFileWindow,
  RolloutFileBlock,
  RolloutFileStep,
  RolloutFileNote,
  RolloutFileBlob,
  RolloutFileEnd,
])
export type RolloutFileLine = z.infer<typeof RolloutFileLine>

/**
 * Ids that belong to one rollout, and those of people: a file must not speak in the name of somebody here. Projects and
 * providers are not among them.
 */
const ownId =
  /^(?:usr|thr|win|trn|stp|itm|op|cmd|sbx|chk|apr|grt)_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const tailDigits = 12

const halves = (hex: string): [number, number] => [
  Number.parseInt(hex.slice(0, 6), 16),
  Number.parseInt(hex.slice(6), 16),
]

/**
 * An id under a mask (12 hex digits): its random end is combined with the mask by exclusive or, so that doing it twice
 * gives the id back, ids of one rollout still name each other, and none is taken by another rollout. Other strings
 * come back as they are.
 */
export const maskId = (id: string, mask: string): string => {
  if (!ownId.test(id)) return id
  const [a, b] = halves(id.slice(-tailDigits))
  const [c, d] = halves(mask)
  const hex = (n: number): string => n.toString(16).padStart(6, '0')
  return `${id.slice(0, -tailDigits)}${hex(a ^ c)}${hex(b ^ d)}`
}

/**
 * A JSON value in which every string that is wholly an id of the rollout is masked. Texts that speak of ids, wire bytes
 * and blobs stay as they are: what the model saw does not change. `mask` null = nothing is done.
 */
export const maskIds = <T>(value: T, mask: string | null): T => {
  if (mask === null) return value
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return maskId(part, mask)
    if (Array.isArray(part)) return part.map(walk)
    if (part === null || typeof part !== 'object') return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]))
  }
  return walk(value) as T
}

/** A mask for a rollout that is read in; kept with its thread, so that writing it out gives back the ids it came with. */
export const newIdMask = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(tailDigits / 2))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return /^0+$/.test(hex) ? newIdMask() : hex
}
