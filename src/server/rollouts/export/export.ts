/**
 * Writing a rollout out: the preview of what would be cut, and the file itself as a stream. One look through a rollout
 * serves the preview and the download behind it. Knows no door and asks for no permission.
 */
import { Fault } from '../../../protocol/error.ts'
import type { ExportFormat, ExportPreview, ExportRedaction } from '../../../protocol/export.ts'
import type { RedactionLevel } from '../redact/redactor.ts'
import { writeBaton } from './baton.ts'
import { writeCodex } from './codex.ts'
import { type Cut, noCut, prepareCut } from './cut.ts'
import { writeHtml } from './html.ts'
import { type Look, lookThrough } from './look.ts'
import { writeMarkdown } from './markdown.ts'
import { type ExportStore, openSource, type RolloutSource, sourceOf } from './source.ts'

/** Looks that are kept; each holds places and the secrets themselves, in memory alone. */
const keptLooks = 8

export type ExportFile = {
  fileName: string
  contentType: string
  /** Ends early when the caller stops reading. */
  chunks: AsyncIterable<string | Uint8Array>
  redacted: Cut['redacted']
  head: number
}

export type Exporter = {
  /** Rejects as soon as the signal aborts; what was read for nobody else stops, too. */
  preview(threadId: string, redaction: ExportRedaction, signal?: AbortSignal): Promise<ExportPreview>
  /**
   * Fault `conflict` when nothing is to be cut although secrets were found, and `confirm` is not the digest of that
   * finding; `not_found` without such a thread. The signal ends the looking, and the chunks that are still to come.
   */
  open(request: {
    threadId: string
    format: ExportFormat
    redaction: ExportRedaction
    confirm: string | null
    signal?: AbortSignal
  }): Promise<ExportFile>
  /** A rollout with what is to be cut from it, for whoever writes something else than a file of it. */
  cut(
    threadId: string,
    level: RedactionLevel,
    signal?: AbortSignal,
  ): Promise<{ source: RolloutSource; cut: Cut; preview: ExportPreview }>
}

type Writer = {
  extension: string
  contentType: string
  write(source: RolloutSource, cut: Cut): AsyncIterable<string | Uint8Array>
}

const writers: Record<ExportFormat, Writer> = {
  baton: { extension: 'baton.jsonl', contentType: 'application/x-ndjson; charset=utf-8', write: writeBaton },
  codex: { extension: 'codex.jsonl', contentType: 'application/x-ndjson; charset=utf-8', write: writeCodex },
  markdown: { extension: 'md', contentType: 'text/markdown; charset=utf-8', write: writeMarkdown },
  html: { extension: 'html', contentType: 'text/html; charset=utf-8', write: writeHtml },
}

/** Letters, digits and hyphens of the title, then the end of the id: a name that every file system takes. */
export const fileNameOf = (title: string, threadId: string, extension: string): string => {
  const words = title
    .normalize('NFKD')
    .replace(/\[redacted:[\w-]*\]/g, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 60)
    .replace(/-+$/, '')
  return `${words === '' ? 'rollout' : words}-${threadId.slice(-6)}.${extension}`
}

type SharedLook = { done: Promise<Look>; controller: AbortController; askers: number; isOver: boolean }

/** The promise, or the signal's reason when that comes first. */
const untilAborted = async <T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> => {
  if (!signal) return promise
  const gone = Promise.withResolvers<never>()
  const leave = (): void => gone.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([promise, gone.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

export const createExporter = (store: ExportStore): Exporter => {
  const looks = new Map<string, SharedLook>()

  const begin = (key: string, manifest: RolloutSource['manifest'], level: RedactionLevel): SharedLook => {
    const controller = new AbortController()
    const shared: SharedLook = {
      controller,
      askers: 0,
      isOver: false,
      done: lookThrough(sourceOf(store, manifest, controller.signal), level)
        .catch((error: unknown) => {
          if (looks.get(key) === shared) looks.delete(key)
          throw error
        })
        .finally(() => {
          shared.isOver = true
        }),
    }
    return shared
  }

  /** One look at a time for each state of a rollout, whoever asks; it ends when the last of them has gone. */
  const look = async (
    { manifest }: RolloutSource,
    level: RedactionLevel,
    signal?: AbortSignal,
  ): Promise<Look> => {
    signal?.throwIfAborted()
    const { threadId, head, title, notes, blobs } = manifest
    const key = JSON.stringify([threadId, head, level, title, notes.length, blobs.length])
    const shared = looks.get(key) ?? begin(key, manifest, level)
    looks.delete(key)
    looks.set(key, shared)
    for (const oldest of looks.keys()) {
      if (looks.size <= keptLooks) break
      looks.delete(oldest)
    }
    shared.askers += 1
    try {
      return await untilAborted(shared.done, signal)
    } finally {
      shared.askers -= 1
      if (shared.askers === 0 && !shared.isOver) {
        if (looks.get(key) === shared) looks.delete(key)
        shared.controller.abort()
      }
    }
  }

  const levelOf = (redaction: ExportRedaction): RedactionLevel =>
    redaction === 'personal' ? 'personal' : 'secrets'

  return {
    preview: async (threadId, redaction, signal) => {
      const source = await openSource(store, threadId, signal)
      return (await look(source, levelOf(redaction), signal)).preview
    },

    cut: async (threadId, level, signal) => {
      const source = await openSource(store, threadId, signal)
      const seen = await look(source, level, signal)
      return { source, cut: await prepareCut(source, seen), preview: seen.preview }
    },

    open: async ({ threadId, format, redaction, confirm, signal }) => {
      const source = await openSource(store, threadId, signal)
      const seen = await look(source, levelOf(redaction), signal)
      if (redaction === 'none' && seen.preview.places > 0 && confirm !== seen.preview.digest)
        throw new Fault(
          'conflict',
          `This rollout holds ${seen.preview.distinct} secrets in ${seen.preview.places} places.`,
          'Cut them, or look at the preview and confirm that they may go out.',
          { digest: seen.preview.digest },
        )
      const cut = redaction === 'none' ? noCut(source) : await prepareCut(source, seen)
      const writer = writers[format]
      return {
        fileName: fileNameOf(cut.text(source.manifest.title), threadId, writer.extension),
        contentType: writer.contentType,
        chunks: writer.write(source, cut),
        redacted: cut.redacted,
        head: source.manifest.head,
      }
    },
  }
}

const exporters = new WeakMap<ExportStore, Exporter>()

/** The one exporter of a store, so that the preview and the download share their look. */
export const exporterOf = (store: ExportStore): Exporter => {
  const known = exporters.get(store)
  if (known) return known
  const made = createExporter(store)
  exporters.set(store, made)
  return made
}
