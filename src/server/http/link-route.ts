/**
 * The door of public links: the page, and what is added to a live one. Whoever has the link may open it; what never was,
 * was revoked and ran out is answered alike. Knows no thread and shows none of its ids.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { addressOf } from '../access/address.ts'
import { rateLimit } from '../access/rate-limit.ts'
import type { Actor } from '../access/types.ts'
import { linkNote } from '../links/copy.ts'
import type { LinkWatch } from '../links/live.ts'
import { beginning, ending, gonePage, pageHeaders, rangeWords } from '../links/page.ts'
import type { OpenLink, Store } from '../store/types.ts'
import { plainHeaders } from './respond.ts'
import type { Route } from './router.ts'

/** A stream that says nothing is closed by what stands between. */
const beatMs = 15_000
/** Bytes that may wait for one reader; one that does not read is let go and may come again. */
const maxWaiting = 4_000_000

type LinkRouteOptions = {
  store: Store
  watch: LinkWatch
  actor(request: IncomingMessage): Promise<Actor | null>
}

const gone = (request: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(404, pageHeaders(false))
  response.end(request.method === 'HEAD' ? undefined : gonePage)
}

const has = (response: ServerResponse): boolean => !response.destroyed && !response.writableEnded

/** The stored copy, as it was made; the connection breaks when the link ends while it is sent. */
const sendCopy = async (
  { store, watch }: LinkRouteOptions,
  link: OpenLink,
  response: ServerResponse,
): Promise<void> => {
  const letGo = watch.follow(link.id, () => response.destroy())
  try {
    response.writeHead(200, pageHeaders(false))
    await pipeline(Readable.from(store.links.page(link.id)), createGunzip(), response)
  } catch (error) {
    if (has(response)) throw error
  } finally {
    letGo()
  }
}

const sendLive = async (
  { watch }: LinkRouteOptions,
  link: OpenLink,
  response: ServerResponse,
): Promise<void> => {
  const page = await watch.live(link)
  const { html, after } = page.now()
  const top = {
    ...{ title: link.title, range: rangeWords(link.fromStep, null), madeAt: link.createdAt },
    note: linkNote(link.shows, { level: link.redaction, kinds: {}, blobsLeftOut: 0 }),
  }
  response.writeHead(200, pageHeaders(true))
  response.end(`${beginning(top, true)}${html}${ending({ of: page.of, after })}`)
}

const numberOf = (text: string | null | undefined): number | null =>
  text !== null && text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : null

const stream = async (
  { watch }: LinkRouteOptions,
  link: OpenLink,
  { request, response, url }: { request: IncomingMessage; response: ServerResponse; url: URL },
): Promise<void> => {
  const page = await watch.live(link)
  const resumed = numberOf(String(request.headers['last-event-id'] ?? '').split('.')[1])
  const run = String(request.headers['last-event-id'] ?? '').split('.')[0] || url.searchParams.get('of')
  const after = resumed ?? numberOf(url.searchParams.get('after')) ?? 0
  const missed = run === page.of ? page.after(after) : null
  response.writeHead(200, {
    ...plainHeaders,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-robots-tag': 'noindex',
    // Proxies that collect what they pass on would hold it back.
    'x-accel-buffering': 'no',
  })
  const end = (event: string): void => void (has(response) && response.end(`event: ${event}\ndata: \n\n`))
  if (missed === null) return end('again')
  const send = (html: string, at: number): void => {
    if (!has(response)) return
    response.write(`id: ${page.of}.${at}\ndata: ${JSON.stringify(html)}\n\n`)
    if (response.writableLength > maxWaiting) response.destroy()
  }
  response.write('retry: 1000\n\n')
  if (missed.html !== '') send(missed.html, missed.after)
  const stop = page.read({ onPieces: send, onOver: () => end('over') })
  const beat = setInterval(() => has(response) && response.write(': still here\n\n'), beatMs)
  await new Promise<void>((resolve) => response.once('close', resolve))
  clearInterval(beat)
  stop()
}

/** `/s/<token>` and `/s/<token>/live`. */
export const linkRoutes = (options: LinkRouteOptions): Route[] => {
  const { store, actor } = options
  const tries = rateLimit(60, 60)
  const open = async (request: IncomingMessage, token: string): Promise<OpenLink | null> => {
    const link = await store.links.open(token)
    if (!link) tries.take(addressOf(request))
    return link
  }
  return [
    {
      method: 'GET',
      pattern: '/s/:token',
      handle: async ({ request, response, params }) => {
        const link = await open(request, params.token ?? '')
        if (!link) return gone(request, response)
        if (request.method === 'HEAD') {
          response.writeHead(200, pageHeaders(link.live))
          return void response.end()
        }
        const who = await actor(request).catch(() => null)
        await store.links.opened(link.id, {
          userId: who?.userId ?? null,
          agent: String(request.headers['user-agent'] ?? ''),
        })
        await (link.live ? sendLive(options, link, response) : sendCopy(options, link, response))
      },
    },
    {
      method: 'GET',
      pattern: '/s/:token/live',
      handle: async ({ request, response, url, params }) => {
        const link = await open(request, params.token ?? '')
        if (!link?.live) return gone(request, response)
        await stream(options, link, { request, response, url })
      },
    },
  ]
}
