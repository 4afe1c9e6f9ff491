/**
 * A live link while somebody has it open: what its page holds is made once, event by event, and sent to everybody who
 * reads it. Secrets are cut before anything is kept. Twice a second all open links are held against the database in one
 * query: what was revoked, ran out or lost its thread ends within a second, for copies that are being sent, too.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import type { ThreadEvent } from '../../protocol/event.ts'
import type { Cut } from '../rollouts/export/cut.ts'
import { cutBytes } from '../rollouts/redact/bytes.ts'
import { createRedactor, type Redactor } from '../rollouts/redact/redactor.ts'
import type { OpenLink, Store } from '../store/types.ts'
import { namesFor } from './copy.ts'
import { tellLink } from './parts.ts'

const pageEvents = 500
/** Characters of a live page that are kept; of a longer thread the page begins later. */
const keptChars = 8_000_000
/** How long a page that nobody reads is kept. */
const idleMs = 60_000
const mostTurns = 20_000

const hashText = /^[0-9a-f]{64}$/

/** Every hash that an event's body names. */
function* hashesOf(event: ThreadEvent): Generator<string> {
  const rest: unknown[] = [event.body]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') {
      if (hashText.test(value)) yield value
    } else if (value !== null && typeof value === 'object') rest.push(...Object.values(value))
  }
}

type LiveStore = Pick<Store, 'log' | 'blobs' | 'links' | 'sharing' | 'members'>

/** Cuts events one by one as they come. Names of blobs stay what they are: none of them leaves. */
const growingCut = (store: LiveStore, threadId: string, redactor: Redactor) => {
  const blobs = store.blobs.of(threadId)
  const sizes = new Map<string, number>()
  const cut: Pick<Cut, 'event' | 'text' | 'open'> = {
    text: (text) => redactor.text(text),
    event: (event) => {
      const body = redactor.json(event.body)
      return body === event.body ? event : ({ ...event, body } as ThreadEvent)
    },
    open: (hash) => {
      const bytes = sizes.get(hash)
      return bytes === undefined ? null : { bytes, read: () => cutBytes(blobs.read(hash), bytes, redactor) }
    },
  }
  return {
    cut: cut as Cut,
    learn: async (page: ThreadEvent[]): Promise<void> => {
      sizes.clear()
      for (const hash of new Set(page.flatMap((event) => [...hashesOf(event)]))) {
        const size = await store.blobs.size(hash)
        if (size !== null) sizes.set(hash, size)
      }
    },
  }
}

export type LiveReader = { onPieces(html: string, after: number): void; onOver(): void }

export type LivePage = {
  /** Names this run of the page: numbers of pieces mean nothing in another. */
  readonly of: string
  /** What there is now, and the number of pieces behind it. */
  now(): { html: string; after: number }
  /** Pieces after this number; null when they are not kept any more. */
  after(after: number): { html: string; after: number } | null
  read(reader: LiveReader): () => void
}

type Entry = {
  link: OpenLink
  page: Promise<LivePage>
  wake(): void
  end(): void
  readers: Set<LiveReader>
  head: number
  idleSince: number
}

/** Makes the page of a live link and goes on with it until `signal` aborts. */
const runPage = async (
  store: LiveStore,
  entry: Pick<Entry, 'link' | 'readers'>,
  woken: () => Promise<void>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<LivePage> => {
  const { link, readers } = entry
  const { threadId, fromSeq } = link
  const redactor = createRedactor(link.redaction)
  // What is seen whole somewhere is cut in pieces everywhere: one look through before the first word goes out.
  for (let after = fromSeq - 1; ; ) {
    const page = await store.log.after(threadId, after, pageEvents)
    if (page.length === 0) break
    if (redactor.holds(page.map(({ body }) => body))) for (const { body } of page) redactor.json(body)
    after = page.at(-1)?.seq ?? after
    await breathe()
  }
  const turns =
    fromSeq === 1
      ? 0
      : (await store.log.stretch(threadId, ['turn.started'], 0, fromSeq - 1, mostTurns)).length
  const names = await namesFor(store, threadId, link.shows)
  const { cut, learn } = growingCut(store, threadId, redactor)
  const ready = Promise.withResolvers<void>()

  async function* events(): AsyncGenerator<ThreadEvent[]> {
    for (let after = fromSeq - 1; !signal.aborted; ) {
      // Asked for before the log is read: what is written meanwhile wakes this turn.
      const next = woken()
      const page = await store.log.after(threadId, after, pageEvents)
      if (page.length === 0) {
        ready.resolve()
        await next
        continue
      }
      after = page.at(-1)?.seq ?? after
      await learn(page)
      yield page
    }
  }

  const pieces: string[] = []
  let dropped = 0
  let chars = 0
  const range = { fromSeq, toSeq: null, before: { turns, steps: link.fromStep - 1 } }
  const run = async (): Promise<void> => {
    for await (const piece of tellLink({ events: events(), cut, range, shows: link.shows, names })) {
      if (signal.aborted) return
      pieces.push(piece)
      chars += piece.length
      while (chars > keptChars && pieces.length > 1) {
        chars -= pieces.shift()?.length ?? 0
        dropped += 1
      }
      for (const reader of readers) reader.onPieces(piece, dropped + pieces.length)
    }
  }
  run().catch((error: unknown) => {
    ready.reject(error)
    onError(error)
  })
  await ready.promise
  const of = randomUUID()
  const early = '<p class="cut">Earlier steps are left out of this page; a copy holds all of them.</p>\n'
  return {
    of,
    now: () => ({
      html: `${dropped > 0 ? early : ''}${pieces.join('')}`,
      after: dropped + pieces.length,
    }),
    after: (after) =>
      after < dropped || after > dropped + pieces.length
        ? null
        : { html: pieces.slice(after - dropped).join(''), after: dropped + pieces.length },
    read: (reader) => {
      readers.add(reader)
      return () => readers.delete(reader)
    },
  }
}

export type LinkWatch = {
  /** The page of a live link; made when the first asks, kept while somebody reads it. */
  live(link: OpenLink): Promise<LivePage>
  /** Calls `onOver` once when the link does not open any more. Answers with a function that lets go. */
  follow(linkId: string, onOver: () => void): () => void
  stop(): void
}

type WatchOptions = { intervalMs: number; onError(error: unknown): void }

export const createLinkWatch = (store: LiveStore, { intervalMs, onError }: WatchOptions): LinkWatch => {
  const entries = new Map<string, Entry>()
  const followed = new Map<string, Set<() => void>>()
  let busy = false

  const over = (linkId: string): void => {
    const entry = entries.get(linkId)
    entries.delete(linkId)
    entry?.end()
    for (const reader of entry?.readers ?? []) reader.onOver()
    const followers = followed.get(linkId)
    followed.delete(linkId)
    for (const onOver of followers ?? []) onOver()
  }

  const look = async (): Promise<void> => {
    const now = Date.now()
    for (const [linkId, entry] of entries) {
      if (entry.readers.size > 0) entry.idleSince = now
      else if (now - entry.idleSince > idleMs) {
        entries.delete(linkId)
        entry.end()
      }
    }
    const ids = [...new Set([...entries.keys(), ...followed.keys()])]
    if (ids.length === 0) return
    const alive = await store.links.alive(ids)
    for (const linkId of ids) {
      const head = alive.get(linkId)
      const entry = entries.get(linkId)
      if (head === undefined) over(linkId)
      else if (entry && head !== entry.head) {
        entry.head = head
        entry.wake()
      }
    }
  }
  const timer = setInterval(() => {
    if (busy || (entries.size === 0 && followed.size === 0)) return
    busy = true
    look()
      .catch(onError)
      .finally(() => {
        busy = false
      })
  }, intervalMs)
  timer.unref()
  const forget = store.links.onRevoke(over)

  return {
    live: (link) => {
      const known = entries.get(link.id)
      if (known) return known.page
      const controller = new AbortController()
      let waiting = Promise.withResolvers<void>()
      const readers = new Set<LiveReader>()
      const woken = (): Promise<void> => waiting.promise
      const wake = (): void => {
        const before = waiting
        waiting = Promise.withResolvers<void>()
        before.resolve()
      }
      const page = runPage(store, { link, readers }, woken, controller.signal, onError)
      const entry: Entry = {
        ...{ link, page, wake, readers, head: -1, idleSince: Date.now() },
        end: () => {
          controller.abort()
          wake()
        },
      }
      entries.set(link.id, entry)
      page.catch(() => {
        if (entries.get(link.id) === entry) entries.delete(link.id)
      })
      return page
    },
    follow: (linkId, onOver) => {
      const followers = followed.get(linkId) ?? new Set()
      followed.set(linkId, followers)
      followers.add(onOver)
      return () => {
        followers.delete(onOver)
        if (followers.size === 0) followed.delete(linkId)
      }
    },
    stop: () => {
      clearInterval(timer)
      forget()
      for (const linkId of [...entries.keys()]) over(linkId)
    },
  }
}
