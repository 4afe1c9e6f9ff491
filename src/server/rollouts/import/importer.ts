/**
 * Imports of this process: reads a file as it comes and writes its rollouts as threads, which show when all of it is read.
 * What fails, is stopped or dies leaves no thread behind. Knows no request; who may import is asked before.
 */
import pLimit from 'p-limit'
import { giveBackSpent } from '../../../lib/spent-memory.ts'
import { type ErrorFact, Fault, toFact } from '../../../protocol/error.ts'
import type { ThreadEvent } from '../../../protocol/event.ts'
import { type ActorId, newId } from '../../../protocol/ids.ts'
import { type ImportReport, type ImportState, importLimits } from '../../../protocol/import.ts'
import { defaultThreadSettings, type ThreadSettings } from '../../../protocol/settings.ts'
import type { Log } from '../../log.ts'
import type { ImportRow } from '../../store/import-types.ts'
import type { Store, ThreadSeed, ThreadState } from '../../store/types.ts'
import { createRowMaker } from '../rollouts.ts'
import { readRollouts } from './reading.ts'
import { createThreadWriter } from './thread-writer.ts'
import { keptOfLarge } from './types.ts'
import { patiently, type UploadLimits } from './upload.ts'

/** Files that are read at once, of each person one; more wait. */
const atOnce = 2
/** Files of one person that may wait, each on an open connection. */
const mostWaiting = 20
/** How often the database is told how far a reading is. */
const saveMs = 2_000
const nameChars = 255
/** Bytes of a file after which its buffers are looked after. */
const spentBytes = 16 * 1_024 ** 2

export type ImporterDeps = {
  store: Store
  /** This process as an owner of threads. */
  ownerId(): string
  /** How the state of a thread begins and how it goes on. */
  firstState(first: ThreadEvent, settings: ThreadSettings): ThreadState
  nextState(state: ThreadState, event: ThreadEvent): ThreadState
  log: Log
  now?(): number
  /** For a test that waits less long. */
  upload?: UploadLimits
}

export type ImportRequest = {
  /** Made by the client, so that it can ask for the state while it sends. */
  importId?: string
  source: AsyncIterable<Uint8Array>
  fileName: string
  /** As far as it is known before. */
  bytes: number | null
  projectId: string
  actorId: ActorId
}

export type Importer = {
  /** Resolves when the file is read, or could not be; rejects only for what is asked wrongly. */
  run(request: ImportRequest): Promise<ImportState>
  /** Fault `not_found` for another person's, too. */
  state(importId: string, actorId: string): Promise<ImportState>
  list(actorId: string): Promise<ImportState[]>
  cancel(importId: string, actorId: string): Promise<void>
  /** What a process that died had begun becomes failed, and its threads go. */
  recover(): Promise<void>
  /** Ends what runs. */
  close(): Promise<void>
}

type Running = { state: ImportState; ownerId: string; controller: AbortController; done: Promise<unknown> }

const missing = (): Fault =>
  new Fault('not_found', 'There is no such import, or it is not yours.', 'Import the file again.')
const stopped = (): Fault =>
  new Fault('import_rejected', 'The import was stopped.', 'Import the file again when you want it.')
const died: ErrorFact = {
  code: 'import_rejected',
  message: 'The server stopped while the file was being read; nothing of it was kept.',
  next: 'Import the file again.',
}

const cutOff = (error: unknown): unknown =>
  error instanceof Error &&
  /aborted|ECONNRESET|premature close/i.test(`${error.message} ${'code' in error ? String(error.code) : ''}`)
    ? new Fault('import_rejected', 'The upload ended before the file did.', 'Import the file again.')
    : error

/** The last part of a path, without what a name cannot have. */
export const cleanName = (name: string): string => {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  const clean = Array.from(last.toWellFormed(), (char) => (char < ' ' || char === '\u007f' ? '' : char)).join(
    '',
  )
  return clean.slice(0, nameChars).toWellFormed().trim() || 'rollout'
}

export const createImporter = (deps: ImporterDeps): Importer => {
  const { store, log } = deps
  const now = deps.now ?? Date.now
  const running = new Map<string, Running>()
  const limit = pLimit(atOnce)
  /** The files of each person who has any, one after the other: nobody takes every place. */
  const own = new Map<string, ReturnType<typeof pLimit>>()
  const rowMaker = createRowMaker(store)

  const removeThreads = async (threadIds: readonly string[]): Promise<void> => {
    for (const threadId of threadIds)
      await store.threads
        .remove(threadId, 'system')
        .catch((error: unknown) =>
          log.warn('a thread of a failed import could not be removed', { threadId, error }),
        )
  }

  const settingsOf = async (
    projectId: string,
  ): Promise<{ settings: ThreadSettings; seed: ThreadSeed | null }> => {
    const project = await store.projects.get(projectId)
    const upload = await store.projects.upload(projectId)
    return {
      settings: { ...defaultThreadSettings, ...(project.defaults as Partial<ThreadSettings>) },
      seed: upload === null ? null : { type: 'upload', hash: upload },
    }
  }

  const storeLarge = async (
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ hash: string; bytes: number; head: Uint8Array }> => {
    const head: Uint8Array[] = []
    let kept = 0
    async function* seen(): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        if (kept < keptOfLarge) {
          head.push(Buffer.from(chunk.subarray(0, keptOfLarge - kept)))
          kept += Math.min(chunk.byteLength, keptOfLarge - kept)
        }
        yield chunk
      }
    }
    const stored = await store.blobs.putStream(seen(), importLimits.bytes)
    return { ...stored, head: Buffer.concat(head) }
  }

  const read = async (request: ImportRequest, entry: Running): Promise<void> => {
    const { state, controller } = entry
    const { signal } = controller
    const { importId } = state
    const { settings, seed } = await settingsOf(request.projectId)
    let savedAt = 0
    const save = async (): Promise<void> => {
      if (now() - savedAt < saveMs) return
      savedAt = now()
      await store.imports.save(importId, { readBytes: state.readBytes, report: state.report })
    }
    let passed = 0
    async function* source(): AsyncGenerator<Uint8Array> {
      for await (const chunk of patiently(request.source, signal, stopped, deps.upload)) {
        state.readBytes += chunk.byteLength
        passed += chunk.byteLength
        if (passed >= spentBytes) {
          passed = 0
          giveBackSpent()
        }
        if (state.readBytes > importLimits.bytes)
          throw new Fault(
            'too_large',
            `The file is larger than ${importLimits.bytes.toLocaleString('en')} bytes.`,
            'Import it compressed, or a part of it.',
          )
        yield chunk
      }
    }
    let format: ImportReport['format'] = null
    const writer = createThreadWriter({
      ...deps,
      imported: { importId, fileName: state.fileName },
      format: () => format ?? 'codex',
      projectId: request.projectId,
      actorId: request.actorId,
      settings,
      seed,
      now,
    })
    try {
      const report = await readRollouts(source(), state.fileName, {
        importedAt: now(),
        actorId: request.actorId,
        write: async (outputs) => {
          if (signal.aborted) throw stopped()
          await writer.write(outputs)
          await save()
        },
        storeLarge,
        onFormat: (found) => {
          format = found
        },
        onReport: (read) => {
          state.report = snapshot(read)
        },
      })
      state.report = snapshot(report)
      await writer.end()
      if (signal.aborted) throw stopped()
      state.threadIds = writer.threadIds()
      // Who opens it finds its rows there.
      for (const threadId of state.threadIds)
        await rowMaker
          .catchUp(threadId, () => signal.aborted)
          .catch((error: unknown) => log.warn('rows of an import are made later', { threadId, error }))
      if (signal.aborted) throw stopped()
      await store.imports.finish(importId, {
        readBytes: state.readBytes,
        threadIds: state.threadIds,
        report: state.report,
      })
      state.status = 'done'
      await store.threads.reveal(state.threadIds)
    } catch (error) {
      await writer.settle()
      await removeThreads(writer.threadIds())
      throw error
    }
  }

  return {
    run: async (request) => {
      const importId = request.importId ?? newId('imp')
      const state: ImportState = {
        importId,
        fileName: cleanName(request.fileName),
        bytes: request.bytes,
        readBytes: 0,
        status: 'running',
        threadIds: [],
        report: null,
        error: null,
        createdAt: now(),
        waitsFor: null,
      }
      if ((own.get(request.actorId)?.pendingCount ?? 0) >= mostWaiting)
        throw new Fault(
          'rate_limited',
          `${mostWaiting} of your files are waiting to be read.`,
          'Import this one when some of them are done, or stop one.',
        )
      await store.imports.begin({
        importId,
        fileName: state.fileName,
        bytes: state.bytes,
        status: 'running',
        ownerId: request.actorId,
        projectId: request.projectId,
        worker: deps.ownerId(),
      })
      const entry: Running = {
        state,
        ownerId: request.actorId,
        controller: new AbortController(),
        done: Promise.resolve(),
      }
      running.set(importId, entry)
      // Who waits for a place and is stopped goes at once.
      const left = Promise.withResolvers<never>()
      left.promise.catch(() => undefined)
      const leave = (): void => left.reject(stopped())
      entry.controller.signal.addEventListener('abort', leave, { once: true })
      const mine = own.get(request.actorId) ?? pLimit(1)
      own.set(request.actorId, mine)
      if (mine.activeCount + mine.pendingCount > 0) state.waitsFor = 'own'
      const turn = mine(async () => {
        if (entry.controller.signal.aborted) throw stopped()
        state.waitsFor = limit.activeCount + limit.pendingCount >= atOnce ? 'others' : null
        await limit(entered)
      }).finally(() => {
        if (mine.activeCount + mine.pendingCount === 0) own.delete(request.actorId)
      })
      const entered = async (): Promise<void> => {
        entry.controller.signal.removeEventListener('abort', leave)
        if (entry.controller.signal.aborted) throw stopped()
        state.waitsFor = null
        await read(request, entry)
      }
      const work = Promise.race([turn, left.promise]).catch(async (error: unknown) => {
        const cause = cutOff(error)
        if (!(cause instanceof Fault)) log.error('an import failed', { importId, error })
        state.status = 'failed'
        state.error = toFact(cause)
        await store.imports
          .save(importId, {
            status: 'failed',
            readBytes: state.readBytes,
            error: state.error,
            report: state.report,
          })
          .catch((failure: unknown) =>
            log.error('a failed import could not be noted', { importId, error: failure }),
          )
      })
      entry.done = work
      try {
        await work
      } finally {
        running.delete(importId)
      }
      return state
    },

    state: async (importId, actorId) => {
      const live = running.get(importId)
      if (live) {
        if (live.ownerId !== actorId) throw missing()
        return live.state
      }
      const row = await store.imports.get(importId)
      if (row?.ownerId !== actorId) throw missing()
      return toState(row)
    },

    list: async (actorId) => {
      const rows = await store.imports.list(actorId, 50)
      return rows.map((row) => running.get(row.importId)?.state ?? toState(row))
    },

    cancel: async (importId, actorId) => {
      const live = running.get(importId)
      if (live?.ownerId !== actorId) throw missing()
      live.controller.abort()
      await live.done
    },

    recover: async () => {
      for (const { importId } of await store.imports.abandoned()) {
        await store.imports.save(importId, { status: 'failed', error: died })
        await removeThreads(await store.imports.hidden(importId))
        log.warn('an import had ended with its server', { importId })
      }
    },

    close: async () => {
      for (const { controller } of running.values()) controller.abort()
      await Promise.allSettled([...running.values()].map(({ done }) => done))
    },
  }
}

const snapshot = (report: ImportReport): ImportReport => structuredClone(report)

/** What its owner is told of an import. */
const toState = ({
  ownerId: _owner,
  projectId: _project,
  worker: _worker,
  ...state
}: ImportRow): ImportState => ({ ...state, waitsFor: null })
