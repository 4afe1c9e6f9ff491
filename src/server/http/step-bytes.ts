/**
 * The very bytes of a step: the request that went out, rebuilt from what is stored, and the answer as it came in. Plain
 * text that a browser neither runs nor guesses at; a part of it by `Range`, or by `from` and `limit` in the address.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../../protocol/error.ts'
import { StepId } from '../../protocol/ids.ts'
import { keptStep, noStep, rebuildRequest } from '../rollouts/request.ts'
import type { Store } from '../store/types.ts'
import { plainHeaders } from './respond.ts'
import type { Route } from './router.ts'

type Source = Pick<Store, 'windows' | 'blobs'>

/** From, and before which byte. `status` 206 when it was asked for by a header. */
type Part = { from: number; to: number; status: 200 | 206 | 416 }

/** Bytes of one write. */
const pieceBytes = 262_144

const number = (text: string | null): number | null =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null

/** One range of bytes; several, and units of another kind, are answered with the whole, as the standard allows. */
const partOf = (header: string | undefined, query: URLSearchParams, size: number): Part => {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first !== '' || last !== '') {
    const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
    const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
    return from < to ? { from, to, status: 206 } : { from: 0, to: 0, status: 416 }
  }
  const from = Math.min(number(query.get('from')) ?? 0, size)
  const limit = number(query.get('limit'))
  return { from, to: limit === null ? size : Math.min(size, from + limit), status: 200 }
}

type Body = { size: number; name: string; read(from: number, to: number): AsyncIterable<Uint8Array> }

async function* pieces(bytes: Uint8Array, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += pieceBytes) yield bytes.subarray(at, Math.min(to, at + pieceBytes))
}

const requestBody = async (store: Source, threadId: string, stepId: string): Promise<Body> => {
  const kept = await keptStep(store, threadId, stepId)
  if (!kept) throw noStep()
  const bytes = await rebuildRequest(store, kept)
  if (bytes === null)
    throw new Fault('not_found', 'Of this step’s request nothing was kept.', 'Look at what the step did.')
  return {
    size: bytes.byteLength,
    name: `request-${stepId.slice(-12)}.json`,
    read: (from, to) => pieces(bytes, from, to),
  }
}

const responseBody = async (store: Source, threadId: string, stepId: string): Promise<Body> => {
  const step = await store.windows.step(threadId, stepId)
  if (!step) throw noStep()
  const hash = step.end?.rawResponseHash ?? null
  const blobs = store.blobs.of(threadId)
  const size = hash === null ? null : await blobs.size(hash)
  if (hash === null || size === null)
    throw new Fault('not_found', 'Of this step’s answer nothing was kept.', 'Look at what the step did.')
  return {
    size,
    name: `response-${stepId.slice(-12)}.txt`,
    read: (from, to) => blobs.read(hash, { from, limit: to - from }),
  }
}

const send = async (
  body: Body,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { from, to, status } = partOf(request.headers.range, url.searchParams, body.size)
  response.writeHead(status, {
    ...plainHeaders,
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="${body.name}"`,
    'accept-ranges': 'bytes',
    'content-length': to - from,
    'x-total-bytes': body.size,
    ...(status === 206 ? { 'content-range': `bytes ${from}-${to - 1}/${body.size}` } : {}),
    ...(status === 416 ? { 'content-range': `bytes */${body.size}` } : {}),
  })
  if (request.method === 'HEAD' || to === from) return void response.end()
  try {
    for await (const piece of body.read(from, to)) {
      if (response.destroyed) return
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    response.end()
  } catch {
    // Half of it must not be taken for the whole.
    response.destroy()
  }
}

/** `mayRead` throws when the caller may not read the thread. */
export const stepRoutes = (
  store: Source,
  mayRead: (request: IncomingMessage, threadId: string) => Promise<unknown>,
): Route[] =>
  (
    [
      ['request', requestBody],
      ['response', responseBody],
    ] as const
  ).map(([part, bodyOf]) => ({
    method: 'GET',
    pattern: `/t/:threadId/steps/:stepId/${part}`,
    handle: async ({ request, response, url, params }) => {
      const { threadId = '', stepId = '' } = params
      await mayRead(request, threadId)
      if (!StepId.safeParse(stepId).success) throw noStep()
      await send(await bodyOf(store, threadId, stepId), url, request, response)
    },
  }))
