/**
 * Making a link: what its maker sees before, and the copy that is stored. The copy is cut when it is made; what is served
 * later is these bytes and nothing else.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { Fault } from '../../protocol/error.ts'
import type { LinkPreview, LinkSettings, PublicLink } from '../../protocol/link.ts'
import { exporterOf } from '../rollouts/export/export.ts'
import { redactionNote } from '../rollouts/export/words.ts'
import type { Store } from '../store/types.ts'
import { beginning, ending, rangeWords } from './page.ts'
import { type LinkCounts, tellLink } from './parts.ts'
import { rangeOf } from './range.ts'

const previewChars = 400_000
/** Bytes of a stored piece. */
const pieceBytes = 256 * 1_024
/** Characters that a copy may have. */
const mostChars = 60_000_000

export const linkNote = (shows: readonly string[], redacted: Parameters<typeof redactionNote>[0]): string => {
  const left = [
    ...(shows.includes('tools') ? [] : ['what tools were given and gave back']),
    ...(shows.includes('reasoning') ? [] : ['reasoning']),
    ...(shows.includes('pictures') ? [] : ['pictures']),
    ...(shows.includes('names') ? [] : ['names of people']),
    ...(shows.includes('figures') ? [] : ['models, tokens and costs']),
  ]
  const out = left.length === 0 ? '' : ` Left out: ${left.join(', ')}.`
  return `${redactionNote(redacted)}${out}`
}

/** Names what a maker saw: a copy up to this place; of a live link, which goes on, no place. */
const digestOf = (threadId: string, head: number, settings: LinkSettings): string =>
  createHash('sha256')
    .update(JSON.stringify([threadId, settings.live ? null : head, settings]))
    .digest('hex')

/** Names of the people who may write on this thread, for the pages that show them. */
export const namesFor = async (
  store: Pick<Store, 'sharing' | 'members'>,
  threadId: string,
  shows: readonly string[],
): Promise<Map<string, string>> => {
  if (!shows.includes('names')) return new Map()
  const people = await store.sharing.people(threadId)
  return new Map(people.map(({ userId, name }) => [userId, name]))
}

type Wanted = { threadId: string; settings: LinkSettings; head?: number; signal?: AbortSignal }

const opened = async (store: Store, { threadId, settings, head: seen, signal }: Wanted) => {
  const range = await rangeOf(store, threadId, settings)
  const { source, cut, preview } = await exporterOf(store).cut(threadId, settings.redaction, signal)
  const now = range.toSeq ?? source.manifest.head
  const head = settings.toStep === null ? Math.min(seen ?? now, now) : now
  const names = await namesFor(store, threadId, settings.shows)
  const telling = {
    events: source.events(range.fromSeq),
    ...{ cut, range: { ...range, toSeq: head }, shows: settings.shows, names },
  }
  const top = {
    title: cut.text(settings.title),
    range: rangeWords(settings.fromStep, settings.toStep),
    madeAt: Date.now(),
    note: linkNote(settings.shows, cut.redacted),
  }
  return { range, head, preview, telling, top }
}

export const previewLink = async (
  store: Store,
  threadId: string,
  settings: LinkSettings,
  signal?: AbortSignal,
): Promise<LinkPreview> => {
  const { range, head, preview, telling, top } = await opened(store, {
    ...{ threadId, settings },
    ...(signal ? { signal } : {}),
  })
  const counts: LinkCounts = { turns: 0, steps: 0, messages: 0, calls: 0, pictures: 0 }
  let html = beginning(top, settings.live)
  let isWhole = true
  for await (const piece of tellLink(telling, counts)) {
    if (html.length + piece.length > previewChars) isWhole = false
    else html += piece
  }
  return {
    html: html + ending(null),
    ...{ isWhole, counts, steps: range.steps, head },
    cut: { kinds: preview.kinds, places: preview.places, blobsLeftOut: preview.blobsLeftOut },
    digest: digestOf(threadId, head, settings),
  }
}

async function* pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    size += chunk.byteLength
    if (size < pieceBytes) continue
    yield Buffer.concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(held)
}

async function* limited(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let left = mostChars
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0)
      throw new Fault('too_large', 'This part of the thread is too long for one page.', 'Choose fewer steps.')
    yield chunk
  }
}

export type LinkRequest = { threadId: string; settings: LinkSettings; head: number; digest: string }

/**
 * Fault `conflict` when `digest` is not that of what a preview shows now: nothing goes out unseen. A copy ends at `head`,
 * the place up to which its maker saw it.
 */
export const makeLink = async (
  store: Store,
  { threadId, settings, head: seen, digest }: LinkRequest,
  actorId: string,
): Promise<{ link: PublicLink; token: string }> => {
  if (digest !== digestOf(threadId, seen, settings))
    throw new Fault(
      'conflict',
      'This is not what you looked at before.',
      'Look at what the link will show, then make it.',
    )
  const { range, head, telling, top } = await opened(store, { threadId, settings, head: seen })
  async function* document(): AsyncGenerator<string> {
    yield beginning(top, false)
    yield* tellLink(telling)
    yield ending(null)
  }
  const { days, ...rest } = settings
  const pages = settings.live
    ? (async function* none() {})()
    : pieces(Readable.from(limited(document())).pipe(createGzip()) as AsyncIterable<Buffer>)
  return store.links.create(
    {
      ...rest,
      threadId,
      title: top.title,
      expiresInMs: days === null ? null : days * 86_400_000,
      fromSeq: range.fromSeq,
      toSeq: settings.live ? null : head,
      pages,
    },
    actorId,
  )
}
