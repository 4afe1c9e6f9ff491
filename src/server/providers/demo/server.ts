// The scripted model server: real HTTP, every wire, one scenario per model name. Drives tests and the offline demo;
// knows nothing of who asks.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { WireKind } from '../types.ts'
import type { Answer, SentEvent } from './emission.ts'
import { emit, wireText } from './emit.ts'
import { createGoogleCopies } from './google-copies.ts'
import { viewRequest } from './request-view.ts'
import { chooseReply, partsOf, type Reply, type RequestView, type Rule, type Scenario } from './scenario.ts'

/** A request as it came; `bytes` are the exact body. */
export type RecordedRequest = {
  wire: WireKind
  path: string
  headers: Record<string, string>
  bytes: Buffer
  body: Record<string, unknown>
  view: RequestView
  /** The client's port: the same for requests over one connection. */
  port: number
  /** `performance.now()` when its head and body had come. */
  at: number
}

export type ScriptedModelOptions = {
  scenarios: Scenario[]
  /** 0: any free port. */
  port?: number
  host?: string
  /** How many requests are remembered; tests look at all, a demo at none. Default 10,000. */
  keep?: number
  /** Leaves pauses out: the same answers at once. */
  hurry?: boolean
  /** Told right before an answer without pauses goes out whole. */
  onSending?: (sending: Sending) => void
}

/** When the request's head came and when its answer went out, in milliseconds of `process.hrtime`. */
export type Sending = { view: RequestView; headAt: number; sentAt: number }

export type ScriptedModel = {
  /** Without a path. OpenAI wires take `${url}/v1`, the others take `url`. */
  url: string
  requests: RecordedRequest[]
  /** Google's copies of heads, and what was asked about them. */
  google: Pick<ReturnType<typeof createGoogleCopies>, 'copies' | 'log' | 'whole'>
  /** Adds a scenario, or puts it in the place of the one with its name. */
  add(scenario: Scenario): void
  close(): Promise<void>
}

const PATHS: readonly [RegExp, WireKind][] = [
  [/\/responses$/, 'openai-responses'],
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/messages$/, 'anthropic-messages'],
  [/\/models\/.+:streamGenerateContent$/, 'google-genai'],
]
const BODY_LIMIT = 256 * 1024 * 1024
const DELTA_CHARS = 24
const clockMs = (): number => Number(process.hrtime.bigint()) / 1_000_000
const BYTES_PER_TOKEN = 4

export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const scenarios = new Map(options.scenarios.map((scenario) => [scenario.name, scenario]))
  const used = new Map<Rule, number>()
  const seen = new Map<string, number>()
  const requests: RecordedRequest[] = []
  const google = createGoogleCopies()
  let answers = 0

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else sendError(response, 500, { error: { type: 'server_error', message: String(error) } })
    })
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headAt = clockMs()
    const path = new URL(request.url ?? '/', 'http://model').pathname
    if (request.method === 'GET' && path.endsWith('/models')) {
      const data = [...scenarios.keys()].map((id) => ({
        id,
        object: 'model',
        type: 'model',
        display_name: id,
      }))
      const models = data.map(({ id }) => ({ name: `models/${id}`, displayName: id }))
      return sendJson(response, 200, { object: 'list', data, has_more: false, models })
    }
    const aside = path.includes('/cachedContents') ? await bodyOf(request) : null
    if (aside !== null) {
      const asked = aside.length === 0 ? {} : (JSON.parse(aside.toString()) as Record<string, unknown>)
      const reply = google.handle(request.method ?? '', path, asked, aside.length)
      if (reply !== null) return sendJson(response, reply.status, reply.body)
    }
    const wire = PATHS.find(([pattern]) => pattern.test(path))?.[1]
    if (request.method !== 'POST' || wire === undefined)
      return sendError(response, 404, {
        error: { type: 'invalid_request_error', message: `nothing at ${path}` },
      })
    const bytes = await bodyOf(request)
    const body: unknown = JSON.parse(bytes.toString())
    const hash = createHash('sha1').update(path).update(bytes).digest('base64')
    const attempt = seen.get(hash) ?? 0
    seen.set(hash, attempt + 1)
    const named = /\/models\/(.+):streamGenerateContent$/.exec(path)?.[1]
    const model = named === undefined ? null : decodeURIComponent(named)
    const view = viewRequest(wire, body, bytes.length, attempt, model)
    const port = request.socket.remotePort ?? 0
    remember({
      wire,
      path,
      headers: headersOf(request),
      bytes,
      body: body as Record<string, unknown>,
      view,
      port,
    })
    const refusal = wire === 'google-genai' ? google.refusal(body as Record<string, unknown>) : null
    if (refusal !== null) return sendError(response, refusal.status, refusal.body)
    const scenario = scenarios.get(view.model) ?? scenarios.get(view.model.split(':')[0] ?? '')
    const reply = scenario === undefined ? null : chooseReply(scenario, view, used)
    if (reply === null) {
      const code = scenario === undefined ? 'model_not_found' : 'invalid_request_error'
      const message =
        scenario === undefined
          ? `The model \`${view.model}\` does not exist`
          : `the scenario ${scenario.name} has no rule for step ${view.step} of "${view.lastUser.slice(0, 200)}"`
      return sendError(response, scenario === undefined ? 404 : 400, { error: { type: code, code, message } })
    }
    answers += 1
    const { pauseMs: _pause, ...swift } = reply
    const sending = () => options.onSending?.({ view, headAt, sentAt: clockMs() })
    const copied = google.tokensOf(body as Record<string, unknown>)
    const asked: Asked = { wire, reply: options.hurry ? swift : reply, view, number: answers, copied }
    await answer(response, asked, sending)
  }

  function remember(request: Omit<RecordedRequest, 'at'>): void {
    requests.push({ ...request, at: performance.now() })
    const keep = options.keep ?? 10_000
    if (requests.length > keep) requests.splice(0, requests.length - keep)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host ?? '127.0.0.1'}:${port}`,
    requests,
    google,
    add: (scenario) => void scenarios.set(scenario.name, scenario),
    close: () => closeServer(server),
  }
}

/** One request that is answered by a script: the `number`th, with `copied` tokens of it kept at the vendor. */
type Asked = { wire: WireKind; reply: Reply; view: RequestView; number: number; copied: number }

async function answer(response: ServerResponse, asked: Asked, sending: () => void): Promise<void> {
  const { reply, number } = asked
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const pause = (ms: number) => wait(ms, undefined, { signal: gone.signal }).catch(() => undefined)
  if (reply.delayMs !== undefined) await pause(reply.delayMs)
  if (response.destroyed) return
  if (reply.cut === 'head') return void response.destroy()
  if (reply.error !== undefined) {
    const { status, body, headers } = reply.error
    return sendError(
      response,
      status,
      body ?? { error: { type: 'server_error', message: 'scripted' } },
      headers,
    )
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': `req_${number}`,
    'request-id': `req_${number}`,
  })
  if (reply.raw !== undefined) return void response.end(reply.raw)
  const events = scriptOf(asked)
  if (reply.pauseMs === undefined && reply.writeBytes === undefined) {
    const whole = Buffer.from(events.map(wireText).join(''))
    sending()
    await write(response, whole)
  } else {
    for (const event of events) {
      if (response.destroyed) return
      for (const piece of cutBytes(Buffer.from(wireText(event)), reply.writeBytes))
        await write(response, piece)
      if (reply.pauseMs !== undefined) await pause(reply.pauseMs)
    }
  }
  if (reply.hang) return
  if (reply.cut !== undefined) return void response.destroy()
  response.end()
}

/** The events that will be sent, as far as the script lets them. */
function scriptOf({ wire, reply, view, number, copied }: Asked): SentEvent[] {
  const parts = partsOf(reply)
  const said = parts.map((part) => (part.type === 'call' ? part.argumentsText : part.text))
  const thought = parts.map((part) => (part.type === 'reasoning' ? part.text : ''))
  const tokens = (texts: string[]) => Math.ceil(texts.join('').length / BYTES_PER_TOKEN)
  const given: Answer = {
    number,
    model: view.model,
    parts,
    reply,
    deltaChars: reply.deltaChars ?? DELTA_CHARS,
    usage: {
      input: reply.usage?.input ?? Math.ceil(view.size / BYTES_PER_TOKEN) + copied,
      cached: reply.usage?.cached ?? copied,
      cacheWrite: reply.usage?.cacheWrite ?? 0,
      output: reply.usage?.output ?? tokens(said),
      reasoning: reply.usage?.reasoning ?? tokens(thought),
    },
  }
  const emission = emit(wire, given)
  const all = [...emission.begin, ...emission.parts.flat()]
  if (reply.cut === 'part') {
    const last = emission.parts.at(-1)?.length ?? 0
    return all.slice(0, Math.max(emission.begin.length, all.length - Math.ceil(last / 2)))
  }
  if (reply.cut === 'end' || reply.hang) return all
  return [...all, ...(reply.streamError === undefined ? emission.end : emission.failure)]
}

function cutBytes(bytes: Buffer, size: number | undefined): Buffer[] {
  if (size === undefined) return [bytes]
  const cut: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) cut.push(bytes.subarray(at, at + size))
  return cut
}

/** Resolves when the bytes left this process, so that a cut never takes back what was sent. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve()
    else response.write(bytes, () => resolve())
  })
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_LIMIT) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function sendError(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const isPage = typeof body === 'string' && body.startsWith('<')
  response
    .writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body))
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
