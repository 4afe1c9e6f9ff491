/**
 * The HTTP/2 connection to one supervisor, made when it is needed and made again when it broke. Knows requests and
 * answers; not what a command or a file is, and not where the byte stream comes from.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type OutgoingHttpHeaders,
} from 'node:http2'
import type { Duplex } from 'node:stream'
import type { z } from 'zod'
import { PROTOCOL_VERSION, preamble } from '../../../sandbox/supervisor/protocol.ts'
import { Fault } from '../../protocol/error.ts'
import { HelloAnswer } from './answers.ts'
import { disconnected, supervisorFault } from './faults.ts'
import { realSocket } from './real-socket.ts'

export type LinkRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  json?: unknown
  body?: Uint8Array
  signal?: AbortSignal | undefined
  /**
   * May be sent again when the connection broke after it was sent and before it was answered: true for what changes
   * nothing or carries an id. Otherwise such a break is a Fault, since nobody knows whether it was done.
   */
  repeatable: boolean
  /** Bytes that the answer may have; absent: 96 MB. */
  maxBytes?: number
}

export type LinkAnswer = { status: number; headers: Record<string, unknown>; stream: ClientHttp2Stream }

/** 64 KB windows, the default, cost 40 % of the throughput. */
const streamWindowBytes = 1024 * 1024
const connectionWindowBytes = 8 * 1024 * 1024
const maxAnswerBytes = 96 * 1024 * 1024
const helloTimeoutMs = 10_000
const attempts = 4
/** While answers are awaited: no sign of life for so long, and the connection is made anew. */
const pingMs = 20_000

/** Rejects when the stream breaks; everything else of it stays as it is. */
const answered = (stream: ClientHttp2Stream): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    stream.once('response', resolve)
    stream.once('error', reject)
    stream.once('close', () => reject(disconnected()))
  })

export class SupervisorLink {
  /** What the supervisor said of itself at the newest connection; null before the first. */
  hello: z.infer<typeof HelloAnswer> | null = null
  private session: ClientHttp2Session | null = null
  private connecting: Promise<ClientHttp2Session> | null = null
  private closed = false
  private readonly dialStream: () => Promise<Duplex>
  /** Streams that are not at their end. */
  private open = 0
  private readonly secret: string
  private readonly onDrop: () => void

  /** `dialStream` gives a fresh byte stream to the supervisor; `onDrop` is called when a connection that stood is gone. */
  constructor(dialStream: () => Promise<Duplex>, secret: string, onDrop: () => void) {
    this.dialStream = dialStream
    this.secret = secret
    this.onDrop = onDrop
  }

  get connected(): boolean {
    return this.session !== null && !this.session.closed && !this.session.destroyed
  }

  /** Resolves when requests can be sent. Tries once; callers decide how often. */
  async connect(): Promise<ClientHttp2Session> {
    if (this.closed) throw disconnected()
    if (this.session && this.connected) return this.session
    this.connecting ??= this.dial().finally(() => {
      this.connecting = null
    })
    return this.connecting
  }

  private async dial(): Promise<ClientHttp2Session> {
    const socket = await realSocket(await this.dialStream())
    const session = await new Promise<ClientHttp2Session>((resolve, reject) => {
      socket.write(preamble(this.secret))
      const made = connect('http://supervisor', {
        createConnection: () => socket,
        settings: { initialWindowSize: streamWindowBytes, enablePush: false },
        maxSessionMemory: 64,
      })
      const timer = setTimeout(() => made.destroy(disconnected()), helloTimeoutMs)
      // The window may be raised only once the connection stands.
      made.once('remoteSettings', () => {
        clearTimeout(timer)
        made.setLocalWindowSize(connectionWindowBytes)
        resolve(made)
      })
      made.on('error', reject)
      made.once('close', () => {
        clearTimeout(timer)
        socket.destroy()
        reject(disconnected())
      })
    })
    try {
      const hello = await this.readHello(session)
      if (hello.minProtocol > PROTOCOL_VERSION || hello.protocol < PROTOCOL_VERSION - 1)
        throw new Fault(
          'sandbox_unavailable',
          `The sandbox speaks protocol ${hello.protocol}, this server ${PROTOCOL_VERSION}.`,
          'Stop this thread’s sandbox, so that the next call starts one of the new image.',
        )
      this.hello = hello
    } catch (error) {
      session.destroy()
      throw error
    }
    if (this.closed) {
      session.destroy()
      throw disconnected()
    }
    this.session = session
    const pings = setInterval(() => this.ping(session), pingMs)
    pings.unref()
    session.once('close', () => {
      clearInterval(pings)
      if (this.session !== session) return
      this.session = null
      if (!this.closed) this.onDrop()
    })
    return session
  }

  /** A connection may die without a word, for instance to an engine on another machine. */
  private ping(session: ClientHttp2Session): void {
    if (this.open === 0 || session.destroyed) return
    const timer = setTimeout(() => session.destroy(disconnected()), pingMs)
    timer.unref()
    try {
      session.ping(() => clearTimeout(timer))
    } catch {
      // A ping that cannot be sent is the timer's business.
    }
  }

  private async readHello(session: ClientHttp2Session): Promise<z.infer<typeof HelloAnswer>> {
    const stream = session.request({ ':method': 'GET', ':path': '/hello' })
    stream.setTimeout(helloTimeoutMs, () => stream.destroy(disconnected()))
    stream.end()
    await answered(stream)
    return parsed(await readAll(stream, 65_536), HelloAnswer)
  }

  /** Sends a request and gives the head of its answer; the caller reads the stream. A status ≥ 400 is a Fault. */
  async request(wanted: LinkRequest): Promise<LinkAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      wanted.signal?.throwIfAborted()
      const session = await this.connect()
      let stream: ClientHttp2Stream
      try {
        stream = session.request(headersOf(wanted))
      } catch (error) {
        if (attempt >= attempts) throw disconnected(error)
        this.session = null
        continue
      }
      this.open += 1
      const cut = (): void => stream.close(8)
      wanted.signal?.addEventListener('abort', cut, { once: true })
      stream.once('close', () => {
        this.open -= 1
        wanted.signal?.removeEventListener('abort', cut)
      })
      // Later errors reach whoever reads the stream.
      stream.on('error', () => undefined)
      let headers: Record<string, unknown>
      try {
        const head = answered(stream)
        stream.end(wanted.json === undefined ? wanted.body : Buffer.from(JSON.stringify(wanted.json)))
        headers = await head
      } catch (error) {
        stream.destroy()
        wanted.signal?.throwIfAborted()
        if (error instanceof Fault && error.code !== 'sandbox_unavailable') throw error
        if (!wanted.repeatable || attempt >= attempts) throw disconnected(error)
        continue
      }
      const status = Number(headers[':status'])
      if (status >= 400) throw supervisorFault(status, await readAll(stream, 65_536))
      return { status, headers, stream }
    }
  }

  /** The whole body of an answer, at most 96 MB. */
  async bytes(wanted: LinkRequest): Promise<{ bytes: Uint8Array; headers: Record<string, unknown> }> {
    for (let attempt = 1; ; attempt += 1) {
      const { stream, headers } = await this.request(wanted)
      try {
        const bytes = await readAll(stream, wanted.maxBytes)
        // A part of an answer that ended in good order would pass for all of it.
        const told = headers['content-length']
        if (told !== undefined && Number(told) !== bytes.byteLength) throw disconnected()
        return { bytes, headers }
      } catch (error) {
        stream.destroy()
        wanted.signal?.throwIfAborted()
        if (error instanceof Fault || !wanted.repeatable || attempt >= attempts) {
          throw error instanceof Fault ? error : disconnected(error)
        }
      }
    }
  }

  /** The answer as JSON of a shape; a Fault when it has another one. */
  async json<S extends z.ZodType>(wanted: LinkRequest, shape: S): Promise<z.infer<S>> {
    return parsed((await this.bytes(wanted)).bytes, shape)
  }

  /** Cuts the connection; the next request makes a new one. */
  drop(): void {
    this.session?.destroy()
  }

  /** Ends the connection for good. */
  close(): void {
    this.closed = true
    this.session?.destroy()
    this.session = null
  }
}

const headersOf = (wanted: LinkRequest): OutgoingHttpHeaders => ({
  ':method': wanted.method,
  ':path': wanted.path,
  ...(wanted.json === undefined ? {} : { 'content-type': 'application/json' }),
})

const parsed = <S extends z.ZodType>(bytes: Uint8Array, shape: S): z.infer<S> => {
  try {
    return shape.parse(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')))
  } catch (error) {
    const message = 'The sandbox answered with something else than was asked for.'
    throw new Fault('sandbox_unavailable', message, 'Try again, or start a fresh sandbox.', undefined, error)
  }
}

/** Reads a stream to its end; rejects when it was cut before it. */
const readAll = (stream: ClientHttp2Stream, limit = maxAnswerBytes): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        stream.close(8)
        reject(
          new Fault('too_large', `The sandbox’s answer is over ${limit} bytes.`, 'Ask for a smaller part.'),
        )
        return
      }
      chunks.push(chunk)
    })
    stream.once('end', () => (stream.rstCode === 0 ? resolve(Buffer.concat(chunks)) : reject(disconnected())))
    stream.once('error', reject)
    stream.once('close', () => reject(disconnected()))
  })
