/**
 * Writes what a reader makes: threads with their events, blocks, steps and blobs, in batches through the same fenced
 * append that running threads use. One batch is written while the next one is read.
 */
import { Fault } from '../../../protocol/error.ts'
import type { ThreadEvent } from '../../../protocol/event.ts'
import type { ActorId } from '../../../protocol/ids.ts'
import type { ImportFormat } from '../../../protocol/import.ts'
import type { ThreadSettings } from '../../../protocol/settings.ts'
import type { NoteVersion } from '../../store/note-types.ts'
import type { ThreadAppend, ThreadSeed, ThreadState } from '../../store/types.ts'
import { createBlobStreams } from './blob-streams.ts'
import type { ImporterDeps } from './importer.ts'
import type { Output, Piece, RolloutHead } from './types.ts'

/** Blobs up to this size go into the statement of their batch; larger ones are stored before. */
const smallBlobBytes = 262_144

export type WriterDeps = Pick<ImporterDeps, 'store' | 'ownerId' | 'firstState' | 'nextState'> & {
  imported: { importId: string; fileName: string }
  /** Known once the first rollout was begun. */
  format(): ImportFormat
  projectId: string
  actorId: ActorId
  settings: ThreadSettings
  seed: ThreadSeed | null
  now(): number
}

type Written = { state: ThreadState; title: string }
type Rows = Required<
  Pick<ThreadAppend, 'events' | 'windows' | 'blocks' | 'steps' | 'stepEnds' | 'blobs' | 'refs'>
>
type Batch = { rows: Rows; notes: NoteVersion[] }

const lost = (): Fault =>
  new Fault('lease_lost', 'Another process took this import over.', 'Import the file again.')

export const createThreadWriter = (deps: WriterDeps) => {
  const { store, actorId, projectId, settings } = deps
  const threads = new Map<string, Written>()
  /** Ids that rows may exist for, also of a thread whose creation failed. */
  const begun: string[] = []
  let inFlight: Promise<void> = Promise.resolve()
  const streams = createBlobStreams(store)

  const create = async (head: RolloutHead, given: ThreadEvent | null): Promise<Written> => {
    const at = head.firstAt ?? deps.now()
    const format = deps.format()
    const first: ThreadEvent =
      given === null
        ? {
            threadId: head.threadId,
            seq: 1,
            type: 'thread.created',
            windowId: head.windowId,
            actorId,
            at,
            body: { projectId, title: head.title, settings },
          }
        : { ...given, seq: 1 }
    begun.push(head.threadId)
    const state = deps.firstState(first, settings)
    await store.threads.create({
      threadId: head.threadId,
      projectId,
      ownerId: actorId,
      title: head.title,
      fromThreadId: null,
      seed: deps.seed,
      lease: { ownerId: deps.ownerId() },
      first,
      state,
      ...(head.idMask === undefined ? {} : { idMask: head.idMask }),
      imported: { ...deps.imported, format, program: head.program },
    })
    const written: Written = { state, title: head.title }
    threads.set(head.threadId, written)
    return written
  }

  const batch = async (pieces: readonly Piece[], head: RolloutHead, written: Written): Promise<Batch> => {
    const made: Rows = { events: [], windows: [], blocks: [], steps: [], stepEnds: [], blobs: [], refs: [] }
    const notes: NoteVersion[] = []
    const add = (event: Omit<ThreadEvent, 'threadId' | 'seq'>): void => {
      const whole = { ...event, threadId: head.threadId, seq: written.state.head + 1 } as ThreadEvent
      written.state = deps.nextState(written.state, whole)
      made.events.push(whole)
    }
    if (written.state.head === 1 && head.isWhole !== true)
      add({
        type: 'rollout.imported',
        windowId: head.windowId,
        actorId,
        at: written.state.updatedAt,
        body: {
          format: deps.format(),
          fileName: deps.imported.fileName,
          ...(head.program === null ? {} : { program: head.program.slice(0, 100) }),
        },
      } as Omit<ThreadEvent, 'threadId' | 'seq'>)
    for (const piece of pieces) {
      switch (piece.type) {
        case 'event':
          add({ ...piece.event, at: piece.at } as Omit<ThreadEvent, 'threadId' | 'seq'>)
          break
        case 'whole':
          add(piece.event)
          break
        case 'part':
          await streams.take(piece, made.refs)
          break
        case 'note':
          notes.push(piece.note)
          break
        case 'window': {
          const { wire, family } = piece.window.frozen
          written.state = { ...written.state, lockedModel: { wire, family } }
          made.windows.push(piece.window)
          break
        }
        case 'block':
          made.blocks.push(piece.block)
          break
        case 'step':
          made.steps.push(piece.step)
          break
        case 'stepEnd':
          made.stepEnds.push(piece.end)
          break
        case 'ref':
          made.refs.push(piece.hash)
          break
        case 'blob':
          if (piece.bytes.byteLength <= smallBlobBytes)
            made.blobs.push({ hash: piece.hash, bytes: piece.bytes })
          else {
            await store.blobs.put(piece.bytes)
            made.refs.push(piece.hash)
          }
      }
    }
    return { rows: made, notes }
  }

  const append = async (threadId: string, state: ThreadState, made: Partial<Rows>): Promise<void> => {
    const { lost: gone } = await store.log.append(deps.ownerId(), [
      { threadId, fence: 1, events: [], ...made, state },
    ])
    if (gone.length > 0) throw lost()
  }

  /** The thread is whole: it rests, whatever its last turn came to, and stands where new things stand. */
  const finish = async (head: RolloutHead, written: Written): Promise<void> => {
    written.state = {
      ...written.state,
      // Of a file of our own: what ran there does not run here, and its models may not be set up.
      settings,
      sandbox: 'absent',
      queued: 0,
      landmarks: { ...written.state.landmarks, commands: [] },
      status: 'idle',
      turnId: null,
      turnStartedAt: null,
      lastError: null,
      updatedAt: deps.now(),
    }
    await append(head.threadId, written.state, {})
    if (written.title !== head.title) await store.threads.name(head.threadId, head.title)
  }

  const writeAll = async (outputs: readonly Output[]): Promise<void> => {
    for (let at = 0; at < outputs.length; ) {
      const { head } = outputs[at] as Output
      const pieces: Piece[] = []
      let isEnd = false
      for (; at < outputs.length && !isEnd && outputs[at]?.head === head; at += 1) {
        const { piece } = outputs[at] as Output
        if (piece.type === 'end') isEnd = true
        else pieces.push(piece)
      }
      let written = threads.get(head.threadId)
      if (written === undefined) {
        const [begin] = pieces
        const given = begin?.type === 'whole' && begin.event.type === 'thread.created' ? begin.event : null
        written = await create(head, given)
        if (given !== null) pieces.shift()
      }
      const { rows, notes } = await batch(pieces, head, written)
      if (pieces.length > 0 || rows.events.length > 0) await append(head.threadId, written.state, rows)
      if (notes.length > 0) await store.imports.addNotes(head.threadId, notes)
      if (isEnd) await finish(head, written)
    }
  }

  return {
    threadIds: (): string[] => [...begun],
    write: async (outputs: readonly Output[]): Promise<void> => {
      await inFlight
      inFlight = writeAll(outputs)
      inFlight.catch(() => undefined)
    },
    /** Everything is stored when this resolves. */
    end: () => inFlight,
    settle: async (): Promise<void> => {
      await inFlight.catch(() => undefined)
      await streams.close()
    },
  }
}
