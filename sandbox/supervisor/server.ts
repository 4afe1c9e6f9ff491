// HTTP/2 on each accepted connection: the secret first, then routes. Parses, calls, answers; decides nothing.
import { timingSafeEqual } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Checkpoints } from './checkpoints.ts'
import { type Commands, streamOutput } from './commands.ts'
import { asFailure, badInput, bodyOf, Failure, notFound, statusOf } from './failure.ts'
import { listFolder, readFile, statFile, writeFile } from './files.ts'
import { patch } from './patch.ts'
import {
  type CheckpointRequest,
  type CommandRequest,
  type CommandStarted,
  FILE_READ_MAX_BYTES,
  FILE_WRITE_MAX_BYTES,
  FRAMES_CONTENT_TYPE,
  HEADER_FILE,
  type Hello,
  type InputAccepted,
  type RestoreRequest,
  type SignalResult,
} from './protocol.ts'
import {
  parseCheckpoint,
  parseCommand,
  parsePatch,
  parseResize,
  parseRestore,
  parseSignal,
} from './requests.ts'
import { search } from './search.ts'

const JSON_MAX_BYTES = 16 * 1024 * 1024
const PACK_MAX_BYTES = 1024 * 1024 * 1024
const WINDOW_BYTES = 1024 * 1024
const PREAMBLE_MS = 10_000

export interface Parts {
  hello: () => Hello
  commands: Commands
  checkpoints: Checkpoints
}

interface Call {
  stream: ServerHttp2Stream
  method: string
  path: string
  query: URLSearchParams
}

const json = (stream: ServerHttp2Stream, body: unknown, status = 200): void => {
  const bytes = Buffer.from(JSON.stringify(body))
  stream.respond({ ':status': status, 'content-type': 'application/json', 'content-length': bytes.length })
  stream.end(bytes)
}

/** Its length is said before its bytes, so that whoever reads knows a part from the whole. */
const sendFile = async (stream: ServerHttp2Stream, path: string, type: string): Promise<void> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    stream.respond({ ':status': 200, 'content-type': type, 'content-length': size })
    await pipeline(file.createReadStream({ autoClose: false }), stream)
  } finally {
    await file.close()
  }
}

const bytesOf = async (stream: ServerHttp2Stream, limit: number): Promise<Buffer> => {
  const parts: Buffer[] = []
  let have = 0
  for await (const part of stream) {
    have += part.length
    if (have > limit)
      throw new Failure(
        'too_large',
        `The body is larger than ${limit} bytes.`,
        'Send less, or in parts by a command.',
      )
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const bodyJson = async (stream: ServerHttp2Stream): Promise<unknown> => {
  const text = (await bytesOf(stream, JSON_MAX_BYTES)).toString('utf8')
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw badInput('The body is no JSON.')
  }
}

const number = (query: URLSearchParams, name: string, fallback: number): number => {
  const text = query.get(name)
  if (text === null) return fallback
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw badInput(`${name} must be a whole number from 0 on.`)
  return value
}

const required = (query: URLSearchParams, name: string): string => {
  const value = query.get(name)
  if (value === null || value === '') throw badInput(`The query parameter ${name} is missing.`)
  return value
}

const flag = (query: URLSearchParams, name: string): boolean => query.get(name) === '1'

const commandRoutes = async ({ stream, method, path, query }: Call, commands: Commands): Promise<void> => {
  const [, , id, what] = path.split('/')
  const follow = flag(query, 'follow')
  const frames = { ':status': 200, 'content-type': FRAMES_CONTENT_TYPE }
  if (id === undefined) {
    if (method === 'GET') return json(stream, { commands: commands.list() })
    if (method !== 'POST') throw notFound('No such method here.')
    const request: CommandRequest = parseCommand(await bodyJson(stream))
    const command = commands.start(request)
    const pid = await command.started
    if (!follow) return json(stream, { commandId: command.id, pid } satisfies CommandStarted)
    stream.respond(frames)
    return streamOutput(command, stream, { from: number(query, 'from', 0), follow: true, withStart: true })
  }
  const command = commands.get(id)
  const action = `${method} ${what ?? ''}`
  if (action === 'GET ') return json(stream, command.state())
  if (action === 'DELETE ') {
    commands.free(id)
    return json(stream, {})
  }
  if (action === 'GET output') {
    stream.respond(frames)
    return streamOutput(command, stream, { from: number(query, 'from', 0), follow, withStart: false })
  }
  if (action === 'POST input') {
    const accepted = command.feed(await bytesOf(stream, JSON_MAX_BYTES), flag(query, 'close'))
    return json(stream, { accepted } satisfies InputAccepted)
  }
  if (action === 'POST signal') {
    const delivered = await command.signal(parseSignal(await bodyJson(stream)).signal)
    return json(stream, { delivered } satisfies SignalResult)
  }
  if (action === 'POST resize') {
    const { rows, cols } = parseResize(await bodyJson(stream))
    command.resize(rows, cols)
    return json(stream, {})
  }
  throw notFound(`There is no ${method} ${path}.`)
}

const fileRoutes = async ({ stream, method, path, query }: Call): Promise<void> => {
  const file = required(query, 'path')
  const action = `${method} ${path}`
  if (action === 'GET /files/stat') return json(stream, statFile(file, flag(query, 'nofollow')))
  if (action === 'GET /files/list')
    return json(stream, listFolder(file, number(query, 'depth', 1), number(query, 'limit', 1000)))
  if (action === 'PUT /files') {
    const bytes = await bytesOf(stream, FILE_WRITE_MAX_BYTES)
    return json(stream, writeFile(file, bytes, flag(query, 'parents')))
  }
  if (action !== 'GET /files') throw notFound(`There is no ${action}.`)
  const { stat, bytes } = readFile(
    file,
    number(query, 'offset', 0),
    number(query, 'limit', FILE_READ_MAX_BYTES),
  )
  // A header carries ASCII only: what is beyond it in a path is escaped as JSON escapes it.
  const header = JSON.stringify(stat).replace(
    /[\u007f-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  stream.respond({ ':status': 200, 'content-type': 'application/octet-stream', [HEADER_FILE]: header })
  stream.end(bytes)
}

const checkpointRoutes = async ({ stream, method, path, query }: Call, parts: Parts): Promise<void> => {
  const { checkpoints } = parts
  const action = `${method} ${path}`
  const send = (bytes: Uint8Array, type: string): void => {
    stream.respond({ ':status': 200, 'content-type': type, 'content-length': bytes.length })
    stream.end(bytes)
  }
  const diff = { from: query.get('from') ?? '', to: query.get('to') ?? '', path: query.get('path') }
  if (action === 'POST /checkpoint') {
    const request: CheckpointRequest = parseCheckpoint(await bodyJson(stream))
    return json(stream, await checkpoints.make(request))
  }
  if (action === 'GET /checkpoint/diff') return json(stream, await checkpoints.diff(diff))
  if (action === 'GET /checkpoint/patch')
    return send(await checkpoints.unified({ ...diff, context: number(query, 'context', 3) }), 'text/x-diff')
  if (action === 'GET /checkpoint/file')
    return send(
      await checkpoints.file(required(query, 'tree'), required(query, 'path')),
      'application/octet-stream',
    )
  if (action === 'POST /checkpoint/restore') {
    const request: RestoreRequest = parseRestore(await bodyJson(stream))
    return json(stream, await checkpoints.restore(request.to))
  }
  if (action === 'PUT /checkpoint/pack')
    return json(stream, { objects: await checkpoints.takePack(await bytesOf(stream, PACK_MAX_BYTES)) })
  const pack = /^\/checkpoint\/pack\/([0-9a-f]{40})$/.exec(path)
  if (pack?.[1] && method === 'GET') {
    const file = checkpoints.packPath(pack[1])
    return sendFile(stream, file, 'application/x-git-pack')
  }
  throw notFound(`There is no ${action}.`)
}

const route = async (call: Call, parts: Parts): Promise<void> => {
  const { stream, path, query, method } = call
  if (path === '/hello') return json(stream, parts.hello())
  if (path === '/commands' || path.startsWith('/commands/')) return commandRoutes(call, parts.commands)
  if (path === '/files' || path.startsWith('/files/')) return fileRoutes(call)
  if (path === '/checkpoint' || path.startsWith('/checkpoint/')) return checkpointRoutes(call, parts)
  if (path === '/patch' && method === 'POST')
    return json(stream, await patch(parsePatch(await bodyJson(stream))))
  if (path === '/search' && method === 'GET') {
    const within = query.get('path')
    const result = await search(parts.commands, {
      query: required(query, 'query'),
      ...(within === null ? {} : { path: within }),
      globs: query.getAll('glob'),
      literal: flag(query, 'literal'),
      ignoreCase: flag(query, 'ignoreCase'),
      hidden: flag(query, 'hidden'),
      context: Math.min(number(query, 'context', 0), 20),
      limit: number(query, 'limit', 200),
      timeoutMs: number(query, 'timeoutMs', 10_000),
    })
    return json(stream, result)
  }
  throw notFound(`There is no ${method} ${path}.`)
}

const refuse = (stream: ServerHttp2Stream, error: unknown): void => {
  if (stream.destroyed) return
  const failure = asFailure(error)
  if (stream.headersSent) stream.close(2)
  else json(stream, bodyOf(failure), statusOf(failure))
}

/** A tunnel to a port on the container's own loopback, and to nothing else. */
const tunnel = (stream: ServerHttp2Stream, authority: string): void => {
  const port = /^(?:127\.0\.0\.1|localhost):(\d{1,5})$/.exec(authority)?.[1]
  if (port === undefined || Number(port) > 65_535) {
    refuse(stream, badInput('A tunnel leads to 127.0.0.1:<port> inside the container.'))
    return
  }
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true })
  socket.on('connect', () => {
    stream.respond({ ':status': 200 })
    socket.pipe(stream)
    stream.pipe(socket)
  })
  socket.on('error', () => refuse(stream, notFound(`Nothing listens on port ${port} inside the container.`)))
  stream.on('close', () => socket.destroy())
}

const onStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, parts: Parts): void => {
  // A peer that goes away is no fault of ours.
  stream.on('error', () => {})
  const method = headers[':method'] ?? 'GET'
  if (method === 'CONNECT') {
    tunnel(stream, headers[':authority'] ?? '')
    return
  }
  let url: URL
  try {
    url = new URL(headers[':path'] ?? '/', 'http://supervisor')
  } catch {
    refuse(stream, badInput('The path cannot be read.'))
    return
  }
  route({ stream, method, path: url.pathname, query: url.searchParams }, parts).catch((error) => {
    // What is left of the body must not hold the connection's window.
    stream.resume()
    refuse(stream, error)
  })
}

/** Takes the secret off a new connection and hands it to HTTP/2; a wrong or late one is closed without a word. */
const admit = (socket: Socket, server: Http2Server, secret: Buffer): void => {
  socket.on('error', () => socket.destroy())
  const late = setTimeout(() => socket.destroy(), PREAMBLE_MS)
  socket.on('close', () => clearTimeout(late))
  const length = secret.length + 1
  const onReadable = (): void => {
    const bytes: Buffer | null = socket.read(length)
    if (!bytes) return
    socket.off('readable', onReadable)
    clearTimeout(late)
    if (
      bytes.length !== length ||
      bytes[length - 1] !== 10 ||
      !timingSafeEqual(bytes.subarray(0, -1), secret)
    )
      return void socket.destroy()
    server.emit('connection', socket)
  }
  socket.on('readable', onReadable)
}

/** @param secret the hex digits that every connection must begin with */
export const makeServer = (secret: string, parts: Parts): ((socket: Socket) => void) => {
  const server = createServer({
    settings: { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: 1000 },
    maxSessionMemory: 64,
  })
  server.on('session', (session) => {
    session.on('error', () => session.destroy())
    session.on('remoteSettings', () => {
      if (!session.destroyed) session.setLocalWindowSize(WINDOW_BYTES * 8)
    })
  })
  server.on('sessionError', () => {})
  server.on('stream', (stream, headers) => onStream(stream, headers, parts))
  return (socket) => admit(socket, server, Buffer.from(secret))
}
