// A connection to a vendor on its official SDK: authentication, addresses and transport are the SDK's, the body is ours
// byte for byte, through the SDK's `fetch` option. Never retries. Knows the wires only as state machines.

import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { _iterSSEMessages } from 'openai/core/streaming'
import { sha256 } from '../../lib/sha256.ts'
import {
  classifyResponse,
  classifyTransport,
  cutStream,
  isProviderFailure,
  ProviderFailure,
  providerError,
  requestIdOf,
  transportWords,
} from './errors.ts'
import { google } from './google-client.ts'
import { googleHeadCopies } from './google-head-copies.ts'
import { hostKind } from './hosts.ts'
import { watchedBody } from './transport.ts'
import type {
  ModelEvent,
  ModelRequest,
  Provider,
  ProviderConnection,
  StreamHooks,
  WireEvent,
} from './types.ts'
import { wireFor } from './wire.ts'

/** No byte for so long means the stream is dead. */
export const IDLE_TIMEOUT_MS = 300_000
/** The SDKs' own limit on a request is put out of the way: the idle limit is the only one. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** How long a server may take to close a stream whose last event has come. */
const LINGER_MS = 2_000

type Fetch = typeof fetch

/** The edges, replaced in tests. `now` in ms. */
export type ProviderDeps = { fetch?: Fetch; now?: () => number; idleTimeoutMs?: number }

export function createProvider(connection: ProviderConnection, deps: ProviderDeps = {}): Provider {
  const wire = wireFor(connection.wire)
  const limits = {
    fetch: deps.fetch ?? globalThis.fetch,
    now: deps.now ?? Date.now,
    idleTimeoutMs: deps.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
  }

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    hooks: StreamHooks = {},
  ): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted()
    const controller = new AbortController()
    const abort = () => controller.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    let whole = false
    const watched: StreamHooks = { ...hooks, onRaw: (chunk) => (whole ? undefined : hooks.onRaw?.(chunk)) }
    try {
      const response = await open(connection, request, controller, limits, watched)
      const events = wireEvents(response, controller)
      let state = wire.start()
      while (!whole) {
        const { value, done } = await events.next()
        controller.signal.throwIfAborted()
        let meant: ModelEvent[]
        if (done) meant = wire.finish(state)
        else [state, meant] = wire.step(state, value)
        for (const each of meant) {
          if (each.type === 'failed') throw new ProviderFailure(each.error)
          if (each.type === 'completed') {
            whole = true
            void drain(events, controller)
          }
          yield each
        }
      }
    } catch (thrown) {
      signal.throwIfAborted()
      throw isProviderFailure(thrown)
        ? thrown
        : new ProviderFailure(cutStream(transportWords(thrown)), thrown)
    } finally {
      signal.removeEventListener('abort', abort)
      if (!whole) controller.abort(new Error('the stream was closed'))
    }
  }

  async function listModels(signal: AbortSignal): Promise<string[]> {
    const ids: string[] = []
    const watched: Fetch = async (url, init) => checked(await limits.fetch(url, init), limits.now)
    try {
      if (connection.wire === 'google-genai') return await googleModels(connection, watched, signal)
      const options = { signal, maxRetries: 0, timeout: 30_000 }
      const pages =
        connection.wire === 'anthropic-messages'
          ? anthropic(connection, watched).models.list({ limit: 1000 }, options)
          : openai(connection, watched).models.list(options)
      for await (const model of pages) ids.push(model.id)
      return ids
    } catch (thrown) {
      throw failureOf(thrown, signal)
    }
  }

  if (connection.wire !== 'google-genai') return { wire, stream, listModels }
  const call: Fetch = async (url, init) => checked(await limits.fetch(url, init), limits.now)
  return { wire, stream, listModels, headCopies: googleHeadCopies(connection, call, failureOf) }
}

/** Reads what follows the last event, so that the connection can be used again; a server that lingers is cut off. */
async function drain(events: AsyncGenerator<WireEvent>, controller: AbortController): Promise<void> {
  const patience = setTimeout(() => controller.abort(new Error('the answer was complete')), LINGER_MS)
  patience.unref()
  try {
    while (!(await events.next()).done);
  } catch {
    // The answer is whole; how its connection ends is of no interest.
  } finally {
    clearTimeout(patience)
  }
}

type Limits = { fetch: Fetch; now: () => number; idleTimeoutMs: number }

/** Sends the body and waits for the head of a stream. Throws ProviderFailure for every other answer. */
async function open(
  connection: ProviderConnection,
  request: ModelRequest,
  controller: AbortController,
  limits: Limits,
  hooks: StreamHooks,
): Promise<Response> {
  const send: Fetch = async (url, init) => {
    hooks.onSent?.({
      bodySha256: sha256(request.body),
      bytes: request.body.length,
    })
    const patience = setTimeout(
      () => controller.abort(new ProviderFailure(providerError('provider_unreachable', NO_HEAD))),
      limits.idleTimeoutMs,
    )
    try {
      const response = await limits.fetch(url, { ...init, body: request.body as Uint8Array<ArrayBuffer> })
      hooks.onHead?.({ status: response.status, requestId: requestIdOf(response.headers) })
      const stream = await checkedStream(response, limits.now)
      return new Response(watchedBody(stream, controller, limits.idleTimeoutMs, hooks), {
        status: response.status,
        headers: response.headers,
      })
    } finally {
      clearTimeout(patience)
    }
  }
  try {
    const options = { signal: controller.signal, maxRetries: 0, timeout: NO_LIMIT_MS }
    const { model } = request
    switch (connection.wire) {
      case 'openai-responses':
        return await openai(connection, send)
          .responses.create({ model, input: '', stream: true }, options)
          .asResponse()
      case 'openai-chat':
        return await openai(connection, send)
          .chat.completions.create({ model, messages: [], stream: true }, options)
          .asResponse()
      case 'anthropic-messages':
        return await anthropic(connection, send)
          .messages.create({ model, messages: [], max_tokens: 1, stream: true }, options)
          .asResponse()
      case 'google-genai':
        return await openGoogle(connection, send, model, controller.signal)
    }
  } catch (thrown) {
    throw failureOf(controller.signal.aborted ? controller.signal.reason : thrown, null)
  }
}

/**
 * This SDK gives parsed chunks and no response. It is given an empty body, which it never reads, and the real answer
 * stays here.
 */
async function openGoogle(
  connection: ProviderConnection,
  send: Fetch,
  model: string,
  signal: AbortSignal,
): Promise<Response> {
  let answer: Response | null = null
  const client = await google(connection, async (url, init) => {
    answer = await send(url, init)
    return new Response(null)
  })
  await client.models.generateContentStream({
    model,
    contents: 'x',
    config: { abortSignal: signal, automaticContinuation: false },
  })
  if (answer === null) throw new Error('the request was never sent')
  return answer
}

const NO_HEAD = 'the server accepted the request and never began to answer'

function openai(connection: ProviderConnection, send: Fetch): OpenAI {
  const azure = /\.azure\.com(?:[:/]|$)/.test(connection.baseUrl ?? '')
  return new OpenAI({
    apiKey: connection.apiKey || 'none',
    adminAPIKey: null,
    baseURL: connection.baseUrl ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: send,
    defaultHeaders: { ...(azure ? { 'api-key': connection.apiKey } : {}), ...connection.headers },
  })
}

/** The vendor takes the key as a bearer; many servers that speak its wire know only `x-api-key`. */
function anthropic(connection: ProviderConnection, send: Fetch): Anthropic {
  const own = hostKind(connection) === 'anthropic'
  return new Anthropic({
    apiKey: connection.apiKey || 'none',
    authToken: null,
    logLevel: 'off',
    baseURL: connection.baseUrl ?? 'https://api.anthropic.com',
    maxRetries: 0,
    fetch: send,
    defaultHeaders: { ...(own ? {} : { 'x-api-key': connection.apiKey }), ...connection.headers },
  })
}

/** Ids of the models that answer; the vendor's list also has those that embed, draw or speak. */
async function googleModels(
  connection: ProviderConnection,
  send: Fetch,
  signal: AbortSignal,
): Promise<string[]> {
  const client = await google(connection, send)
  const ids: string[] = []
  const pages = await client.models.list({ config: { pageSize: 1000, abortSignal: signal } })
  for await (const { name, supportedActions } of pages) {
    if (name === undefined || supportedActions?.includes('generateContent') === false) continue
    ids.push(name.replace(/^models\//, ''))
  }
  return ids
}

/** Parsed server-sent events. The SDK's decoder keeps characters whole over chunks. */
async function* wireEvents(response: Response, controller: AbortController): AsyncGenerator<WireEvent> {
  let broken: ProviderFailure | null = null
  for await (const { event, data } of _iterSSEMessages(response, controller)) {
    // A broken event with another one behind it is the server's fault; at the very end it is a cut connection.
    if (broken !== null) throw broken
    if (data === '') continue
    if (data === '[DONE]') {
      yield { event, data }
      continue
    }
    let parsed: unknown
    try {
      parsed = JSON.parse(data)
    } catch (cause) {
      const said = `an event of the stream is not JSON: ${data.slice(0, 200)}`
      broken = new ProviderFailure(providerError('provider_protocol', said), cause)
      continue
    }
    yield { event, data: parsed }
  }
}

async function checked(response: Response, now: () => number): Promise<Response> {
  if (response.ok) return response
  const body = await response.text()
  throw new ProviderFailure(
    classifyResponse({ status: response.status, headers: response.headers, body }, now()),
  )
}

/** A stream, or the reason why it is none. Some servers send streams with no or a plain content type. */
async function checkedStream(
  response: Response,
  now: () => number,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { status, headers } = await checked(response, now)
  const type = headers.get('content-type') ?? ''
  if (response.body !== null && !/json|html/i.test(type)) return response.body
  const body = await response.text()
  const found = classifyResponse({ status: 400, headers, body }, now())
  const code = found.code === 'provider_bad_request' ? 'provider_protocol' : found.code
  throw new ProviderFailure(
    providerError(code, `no stream came back: ${found.message}`, { status, requestId: found.requestId }),
  )
}

/** The SDKs wrap what `fetch` threw; the cause is what counts. */
function failureOf(thrown: unknown, signal: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason
  let error: unknown = thrown
  for (let depth = 0; error instanceof Error && depth < 5; depth += 1) {
    if (isProviderFailure(error)) return error
    error = error.cause
  }
  return new ProviderFailure(classifyTransport(thrown), thrown)
}
