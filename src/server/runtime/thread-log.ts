/**
 * One thread's log as its runner writes it: numbers events, derives the state, keeps small blobs for the same append,
 * and tells the bus after the commit. The loop sees it as its `Recorder`. Knows no container and no model.
 */
import { sha256 } from '../../lib/sha256.ts'
import { Fault } from '../../protocol/error.ts'
import { maxEventBodyBytes, type NewEvent, type ThreadEvent } from '../../protocol/event.ts'
import { type DeltaPart, type LongText, previewChars } from '../../protocol/item.ts'
import type { Emitted, Recorder } from '../agent/types.ts'
import type { NewBlock } from '../context/types.ts'
import type { Log } from '../log.ts'
import type { OpChange, Store, ThreadAppend, ThreadState } from '../store/types.ts'
import type { AppendQueue } from './append-queue.ts'
import type { Bus } from './bus.ts'
import { createDrafts, type Drafts } from './drafts.ts'
import { nextState } from './thread-state.ts'

/** Blobs up to this size go into the statement of the next append; larger ones are stored before. */
const smallBlobBytes = 262_144
/** A model's raw answer rides along up to one chunk. */
const rawAnswerBytes = 1_048_576
/** Bytes of recent blobs that are kept for reading back, and hashes that are known to be stored. */
const recentBytes = 4_194_304
const knownHashes = 4_096

type Parts = Partial<
  Pick<ThreadAppend, 'ops' | 'windows' | 'blocks' | 'steps' | 'stepEnds' | 'refs' | 'blobs'>
>

export type ThreadLog = {
  readonly recorder: Recorder
  readonly drafts: Drafts
  state(): ThreadState
  /** Writes an event with what belongs to it. */
  emit(event: NewEvent, parts?: Parts): Promise<Emitted>
  /** Writes changes of ops that no event tells of; resolves after the commit. */
  decide(ops: OpChange[]): Promise<void>
  /** A passing state that no event tells of (`stopping`); the next append stores it. */
  show(change: Partial<ThreadState>): void
  /** Saves the texts in flight that changed since the last call. */
  saveDrafts(): Promise<void>
  /** The turn is over: no text is in flight, here or in the database. */
  endDrafts(): Promise<void>
  /** False once the lease is gone or an append failed: then nothing more is written. */
  alive(): boolean
  /** Nothing more is written by this runner: the thread is closed here, or opened anew. */
  retire(): void
  /** Resolves when everything written so far is stored. */
  flush(): Promise<void>
}

export type ThreadLogDeps = {
  store: Pick<Store, 'blobs' | 'drafts'>
  queue: AppendQueue
  bus: Bus
  log: Log
  now: () => number
  /** Ops that an event settles, so that both are stored together. */
  opsOf(event: NewEvent): OpChange[]
  onOps(ops: OpChange[]): void
  /** After the commit, in order. */
  onCommitted(events: ThreadEvent[]): void
  /** The log can no longer be written by this runner. */
  onLost(error: unknown): void
}

/** Bytes of JSON that a text may have within an event: a call has two, its arguments and its output. */
const previewBytes = 2_400

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** The beginning of a text that an event can hold, without half of a surrogate pair at its end. */
const preview = (text: string): string => {
  let head = text.slice(0, previewChars)
  for (let bytes = jsonBytes(head); bytes > previewBytes; bytes = jsonBytes(head))
    head = head.slice(0, Math.floor((head.length * previewBytes) / bytes) - 1)
  return /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head
}

/** Events that nobody waits for: something that must be stored follows soon. */
const lingers = (event: NewEvent): boolean => {
  switch (event.type) {
    case 'item.started': {
      const { item } = event.body
      return item.type === 'tool_call' && item.state.status === 'proposed'
    }
    case 'command.started':
    case 'command.exited':
    case 'item.completed':
    case 'step.completed':
      return true
    default:
      return false
  }
}

export const createThreadLog = (
  threadId: string,
  fence: number,
  initial: ThreadState,
  deps: ThreadLogDeps,
): ThreadLog => {
  let state = initial
  let alive = true
  let saving: Promise<void> = Promise.resolve()
  let last: Promise<unknown> = Promise.resolve()
  let waitingBlobs: { hash: string; bytes: Uint8Array }[] = []
  let waitingRefs: string[] = []
  const known = new Set<string>()
  const recent = new Map<string, Uint8Array>()
  let recentSize = 0
  const drafts = createDrafts()

  const lose = (error: unknown): void => {
    if (!alive) return
    alive = false
    deps.onLost(error)
  }

  const gone = (): Fault =>
    new Fault('lease_lost', 'This process no longer writes the thread.', 'Reload the page to follow it.')

  const push = (
    events: ThreadEvent[],
    parts: Parts,
    mayLinger: boolean,
  ): { place: Promise<void>; committed: Promise<void> } => {
    const ops = parts.ops ?? []
    const append: ThreadAppend = {
      threadId,
      fence,
      events,
      state,
      ...parts,
      endedDrafts: events.flatMap((event) => drafts.end(event)),
      blobs: [...waitingBlobs, ...(parts.blobs ?? [])],
      refs: [...waitingRefs, ...(parts.refs ?? [])],
    }
    waitingBlobs = []
    waitingRefs = []
    const onCommitted = (): void => {
      deps.bus.events(threadId, events)
      if (ops.length > 0) deps.onOps(ops)
      deps.onCommitted(events)
    }
    const { place, committed } = deps.queue.push(append, onCommitted, mayLinger && ops.length === 0)
    committed.catch(lose)
    last = committed
    return { place, committed }
  }

  /** Gives the event its place and derives the state after it. */
  const number = (event: NewEvent): ThreadEvent => {
    const whole = { ...event, threadId, seq: state.head + 1, at: deps.now() } as ThreadEvent
    state = nextState(state, whole)
    const bytes = JSON.stringify(whole.body).length
    if (bytes > 4 * maxEventBodyBytes)
      deps.log.warn('an event is larger than it should be', { threadId, type: event.type, bytes })
    return whole
  }

  const emit = async (event: NewEvent, parts: Parts = {}): Promise<Emitted> => {
    if (!alive) throw gone()
    const whole = number(event)
    const ops = [...deps.opsOf(event), ...(parts.ops ?? [])]
    const { place, committed } = push([whole], { ...parts, ops }, lingers(event))
    await place
    return { seq: whole.seq, committed }
  }

  const remember = (hash: string, bytes: Uint8Array): void => {
    if (bytes.byteLength > recentBytes / 4 || recent.has(hash)) return
    recent.set(hash, bytes)
    recentSize += bytes.byteLength
    for (const [oldest, held] of recent) {
      if (recentSize <= recentBytes) break
      recent.delete(oldest)
      recentSize -= held.byteLength
    }
  }

  const keep = async (bytes: Uint8Array, limit: number): Promise<string> => {
    const hash = sha256(bytes)
    if (known.has(hash)) return hash
    if (bytes.byteLength <= limit) waitingBlobs.push({ hash, bytes })
    else {
      await deps.store.blobs.put(bytes)
      waitingRefs.push(hash)
    }
    if (known.size >= knownHashes) known.clear()
    known.add(hash)
    remember(hash, bytes)
    return hash
  }

  const long = async (text: string): Promise<LongText> => {
    const head = preview(text)
    if (head.length === text.length) return { text }
    const blob = await keep(Buffer.from(text.toWellFormed()), smallBlobBytes)
    return { text: head, blob, chars: text.length }
  }

  const rows = (windowId: string, blocks: NewBlock[] | undefined): Parts =>
    blocks && blocks.length > 0 ? { blocks: blocks.map((block) => ({ ...block, windowId })) } : {}

  const recorder: Recorder = {
    emit: (event, blocks) => emit(event, rows(event.windowId, blocks)),

    delta: (itemId, part: DeltaPart, offset, text, nextOffset) => {
      if (!alive || text === '') return
      const delta = {
        type: 'item.delta' as const,
        threadId,
        itemId,
        part,
        offset,
        text,
        ...(nextOffset === undefined ? {} : { nextOffset }),
      }
      drafts.add(delta)
      deps.bus.delta(delta)
    },

    startStep: async ({ envelope, stepId, ...step }, blocks, event) => {
      const envelopeHash = await keep(envelope, smallBlobBytes)
      const { committed } = await emit(event, {
        ...rows(step.windowId, blocks),
        steps: [{ ...step, stepId, envelopeHash, startedAt: deps.now() }],
      })
      await committed
    },

    endStep: async ({ rawResponse, ...end }, event, blocks) => {
      const rawResponseHash = rawResponse === null ? null : await keep(rawResponse, rawAnswerBytes)
      return emit(event, { ...rows(event.windowId, blocks), stepEnds: [{ ...end, rawResponseHash }] })
    },

    openWindow: async ({ window, blocks, event, closed, after }) => {
      if (!alive) throw gone()
      const { wire, family } = window.frozen
      const before = closed === undefined ? [] : [closed.event]
      const events = [...before, event, ...after].map(number)
      state = { ...state, lockedModel: { wire, family } }
      const all = [
        ...(closed === undefined ? [] : (rows(closed.event.windowId, closed.blocks).blocks ?? [])),
        ...(rows(window.windowId, blocks).blocks ?? []),
      ]
      const ops = [...before, event, ...after].flatMap((each) => deps.opsOf(each))
      const { place, committed } = push(events, { windows: [window], blocks: all, ops }, false)
      await place
      return { seq: state.head, committed }
    },
    flush: async () => {
      await last
    },

    long,
    blob: (bytes) => keep(bytes, smallBlobBytes),
    readBlob: async (hash) => recent.get(hash) ?? deps.store.blobs.of(threadId).get(hash),
  }

  return {
    recorder,
    drafts,
    state: () => state,
    emit,
    decide: async (ops) => {
      if (!alive) throw gone()
      await push([], { ops }, false).committed
    },
    show: (change) => {
      state = { ...state, ...change }
    },
    saveDrafts: () => {
      const changed = drafts.changed()
      // One after the other, so that a late save never brings back what has ended.
      if (alive && changed.length > 0)
        saving = saving.catch(() => undefined).then(() => deps.store.drafts.save(threadId, changed))
      return saving
    },
    endDrafts: async () => {
      drafts.clearTexts()
      await saving.catch(() => undefined)
      await deps.store.drafts.clear(threadId)
    },
    alive: () => alive,
    retire: () => {
      alive = false
    },
    flush: async () => {
      await last
    },
  }
}
