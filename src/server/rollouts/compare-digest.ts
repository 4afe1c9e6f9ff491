/**
 * A rollout made small for comparing: of every message and call a few numbers (hashes of what was said, asked, given),
 * in the order of the log. 100,000 entries are some megabytes; texts stay in the log and are read for what is shown.
 */
import { hash } from 'node:crypto'
import type { ThreadEvent } from '../../protocol/event.ts'
import type { ContentPart, LongText, ToolCall } from '../../protocol/item.ts'

/** Types of events that a digest is made of. */
export const digestTypes = [
  'turn.started',
  'turn.completed',
  'turn.interrupted',
  'turn.failed',
  'turn.limited',
  'step.started',
  'item.completed',
  'checkpoint.created',
] as const satisfies ThreadEvent['type'][]

/** Kinds of entries; `head` is the message that a turn began with, `words` what a person said in the middle of one. */
export const entryKinds = ['head', 'words', 'text', 'tool'] as const
export type EntryKind = (typeof entryKinds)[number]

export type DigestEntry = {
  seq: number
  kind: EntryKind
  /** Hash of the tool's name; 0 of messages. */
  name: number
  /** Hash of the words, or of the arguments in their normal form. */
  said: number
  /** Hash of how a call ended and of what it gave; 0 of messages. */
  gave: number
  /** Place in `steps` of the step that it belongs to, -1 = none. */
  step: number
}

export type DigestTurn = {
  /** Its entries are [from, to). */
  from: number
  to: number
  /** Hashes of the words of the message that began it. */
  words: number[]
  /** Place in `steps` of its first step, -1 = none. */
  firstStep: number
}

export type DigestFiles = { files: Map<string, { additions: number; deletions: number }>; total: number }

export type Digest = {
  entries: DigestEntry[]
  turns: DigestTurn[]
  steps: string[]
  model: string | null
  result: 'completed' | 'interrupted' | 'failed' | 'limited' | 'running' | 'none'
  lastWordsSeq: number | null
  files: DigestFiles
  firstAt: number
  lastAt: number
}

/** 48 bits: of 100,000 pairs one in 10^9 rollouts is taken for the same and is not. */
export const hashOf = (text: string): number => hash('sha1', text, 'buffer').readUIntBE(0, 6)

/** Words of a message that its likeness to others is judged by. */
const maxWords = 200

/** JSON with the keys of every object in order, so that the same arguments are the same text. */
const sorted = (value: unknown, depth = 0): unknown => {
  if (depth > 100 || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((each) => sorted(each, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each, depth + 1)]),
  )
}

/** What a call was given, the same whatever the order of its fields and the white space between them. */
export const normalArguments = (given: LongText): string => {
  if (given.blob !== undefined) return `blob ${given.blob}`
  try {
    return JSON.stringify(sorted(JSON.parse(given.text)))
  } catch {
    return given.text.trim()
  }
}

/** Lines that tell of the run and not of the work: how long it took, under which number it ran. */
export const volatile =
  /^(?:Wall time|Chunk ID|Duration|Elapsed|Took|Process running with session ID)\b.*$|"duration_seconds":\s*[\d.]+/gim

const outcome = ({ state }: ToolCall): string => {
  if (!('output' in state)) return state.status
  const detail = 'detail' in state ? state.detail : undefined
  // What a command printed is known by its bytes; the text around it tells of the run.
  if (detail?.type === 'command' && detail.outputBlob !== undefined)
    return `${state.status} ${detail.exitCode ?? ''} ${detail.signal ?? ''} ${detail.outputBlob}`
  const { output } = state
  return `${state.status} ${output.blob ?? output.text.replace(volatile, '').trim()}`
}

const words = (content: ContentPart[]): string =>
  content
    .map((part) => (part.type === 'text' ? (part.blob ?? part.text.trim()) : `[${part.type} ${part.blob}]`))
    .join('\n')

const wordsOf = (content: ContentPart[]): number[] => {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
  const found = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_./-]+/gu)) {
    found.add(word)
    if (found.size >= maxWords) break
  }
  return [...found].map(hashOf)
}

export type DigestBuilder = { add(event: ThreadEvent): void; build(): Digest }

export const createDigest = (): DigestBuilder => {
  const digest: Digest = {
    entries: [],
    turns: [],
    steps: [],
    model: null,
    result: 'none',
    lastWordsSeq: null,
    files: { files: new Map(), total: 0 },
    firstAt: 0,
    lastAt: 0,
  }
  const stepPlaces = new Map<string, number>()
  let turnId: string | undefined
  let hasCheckpoint = false

  const endTurn = (): void => {
    const turn = digest.turns.at(-1)
    if (turn) turn.to = digest.entries.length
  }
  const beginTurn = (id: string | undefined, seq: number): void => {
    endTurn()
    turnId = id
    const from = digest.entries.length
    digest.turns.push({ from, to: from + 1, words: [], firstStep: -1 })
    digest.entries.push({ seq, kind: 'head', name: 0, said: 0, gave: 0, step: -1 })
  }
  /** The turn that is open; entries before the first one begin one of their own. */
  const turnOf = (event: ThreadEvent): DigestTurn => {
    if (digest.turns.length === 0 || (event.turnId !== undefined && event.turnId !== turnId))
      beginTurn(event.turnId, event.seq)
    return digest.turns.at(-1) as DigestTurn
  }
  const stepOf = (event: ThreadEvent): number =>
    event.stepId === undefined ? -1 : (stepPlaces.get(event.stepId) ?? -1)

  const countPatch = (call: ToolCall): void => {
    const detail = 'detail' in call.state ? call.state.detail : undefined
    if (hasCheckpoint || detail?.type !== 'patch' || call.state.status !== 'succeeded') return
    const { files } = digest.files
    for (const { path, additions, deletions } of detail.files) {
      const known = files.get(path) ?? { additions: 0, deletions: 0 }
      files.set(path, { additions: known.additions + additions, deletions: known.deletions + deletions })
    }
    digest.files.total = files.size
  }

  const addItem = (event: Extract<ThreadEvent, { type: 'item.completed' }>): void => {
    const { item } = event.body
    const { seq } = event
    if (item.type === 'user_message') {
      const said = hashOf(words(item.content))
      const turn = turnOf(event)
      const head = digest.entries[turn.from]
      const isHead = head !== undefined && turn.words.length === 0 && head.said === 0 && item.via !== 'steer'
      if (isHead) {
        turn.words = wordsOf(item.content)
        Object.assign(head, { seq, said })
      } else digest.entries.push({ seq, kind: 'words', name: 0, said, gave: 0, step: stepOf(event) })
    } else if (item.type === 'agent_message') {
      turnOf(event)
      const said = hashOf(item.text.blob ?? item.text.text.trim())
      digest.entries.push({ seq, kind: 'text', name: 0, said, gave: 0, step: stepOf(event) })
      digest.lastWordsSeq = seq
    } else if (item.type === 'tool_call') {
      turnOf(event)
      digest.entries.push({
        seq,
        kind: 'tool',
        name: hashOf(item.tool),
        step: stepOf(event),
        said: hashOf(normalArguments(item.arguments)),
        gave: hashOf(outcome(item)),
      })
      countPatch(item)
    }
  }

  return {
    add: (event) => {
      if (digest.firstAt === 0) digest.firstAt = event.at
      digest.lastAt = Math.max(digest.lastAt, event.at)
      switch (event.type) {
        case 'turn.started':
          if (event.turnId !== turnId || digest.turns.length === 0) beginTurn(event.turnId, event.seq)
          digest.model = event.body.modelLabel || event.body.model.model
          digest.result = 'running'
          break
        case 'turn.completed':
        case 'turn.interrupted':
        case 'turn.failed':
        case 'turn.limited':
          digest.result = event.type.slice('turn.'.length) as Digest['result']
          break
        case 'step.started': {
          if (event.stepId === undefined) break
          const turn = turnOf(event)
          stepPlaces.set(event.stepId, digest.steps.length)
          if (turn.firstStep < 0) turn.firstStep = digest.steps.length
          digest.steps.push(event.stepId)
          break
        }
        case 'item.completed':
          addItem(event)
          break
        case 'checkpoint.created':
          // Each tells of all that changed since the beginning.
          hasCheckpoint = true
          digest.files = {
            files: new Map(event.body.files.map(({ path, ...counts }) => [path, counts])),
            total: event.body.fileCount,
          }
          break
        default:
      }
    },
    build: () => {
      endTurn()
      return digest
    },
  }
}
