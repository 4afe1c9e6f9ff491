// A supervisor without a container: speaks the routes of commands over an in-memory byte stream, so that the server's
// side can be tested without Docker. Its programs are scripts of two words: `print <bytes>`, `exit <code>`, `wait`.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { connect, createServer as createListener, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { FRAME, FRAME_HEADER_BYTES, type Hello, PROTOCOL_VERSION } from '../../sandbox/supervisor/protocol.ts'

/** Byte `offset` of every fake program's output. */
export const printed = (from: number, to: number): Buffer => {
  const bytes = Buffer.alloc(Math.max(0, to - from))
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = ((from + at) * 31 + ((from + at) >> 8)) & 0xff
  return bytes
}

type Program = {
  bytes: number
  end: { exitCode: number | null; killed: boolean; lost: boolean } | null
  runs: number
  input: Buffer
  followers: Set<() => void>
}

const frame = (type: number, offset: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(FRAME_HEADER_BYTES)
  head[0] = type
  head.writeBigUInt64BE(BigInt(offset), 1)
  head.writeUInt32BE(payload.length, 9)
  return Buffer.concat([head, payload])
}

export class FakeSupervisor {
  readonly programs = new Map<string, Program>()
  /** Bytes in one data frame. */
  frameBytes = 1_000
  /** Called before each data frame: tests cut the connection here. */
  onFrame: (offset: number) => void = () => undefined
  private readonly server: Http2Server
  private readonly listener = createListener((far) => this.accept(far))
  private folder: string | null = null
  private readonly streams = new Set<Socket>()
  private readonly secret: string

  constructor(secret: string) {
    this.secret = secret
    this.server = createServer()
    this.server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined)
      this.answer(stream, String(headers[':method']), String(headers[':path'])).catch(() => stream.close(2))
    })
    this.server.on('sessionError', () => undefined)
  }

  /** A new byte stream to it, as the bridge would give. */
  async attach(): Promise<Duplex> {
    if (this.folder === null) {
      this.folder = mkdtempSync(join(tmpdir(), 'baton-fake-'))
      this.listener.listen(join(this.folder, 's'))
      await once(this.listener, 'listening')
    }
    const near = connect({ path: join(this.folder, 's') })
    await once(near, 'connect')
    return near
  }

  private accept(far: Socket): void {
    this.streams.add(far)
    far.on('error', () => undefined)
    far.once('close', () => this.streams.delete(far))
    let head = Buffer.alloc(0)
    const readHead = (): void => {
      for (let chunk = far.read() as Buffer | null; chunk !== null; chunk = far.read() as Buffer | null) {
        head = Buffer.concat([head, chunk])
        const end = head.indexOf(10)
        if (end < 0) continue
        far.off('readable', readHead)
        if (head.subarray(0, end).toString() !== this.secret) {
          far.destroy()
          return
        }
        if (head.length > end + 1) far.unshift(head.subarray(end + 1))
        this.server.emit('connection', far)
        return
      }
    }
    far.on('readable', readHead)
  }

  /** Breaks every connection, as a dying bridge does. */
  cut(): void {
    for (const stream of this.streams) stream.destroy()
  }

  end(id: string, end: Partial<NonNullable<Program['end']>> = {}): void {
    const program = this.programs.get(id)
    if (!program || program.end) return
    program.end = { exitCode: 0, killed: false, lost: false, ...end }
    for (const wake of program.followers) wake()
  }

  print(id: string, bytes: number): void {
    const program = this.programs.get(id)
    if (!program) return
    program.bytes += bytes
    for (const wake of program.followers) wake()
  }

  private async answer(stream: ServerHttp2Stream, method: string, path: string): Promise<void> {
    const url = new URL(path, 'http://supervisor')
    const json = (value: unknown, status = 200): void => {
      stream.respond({ ':status': status })
      stream.end(JSON.stringify(value))
    }
    const [, root, id, verb] = url.pathname.split('/')
    const body = async (): Promise<Buffer> => {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    }
    if (root === 'hello') {
      const hello: Hello = {
        protocol: PROTOCOL_VERSION,
        minProtocol: 1,
        bootId: 'boot',
        sandboxId: 'sbx',
        uid: 20_000,
        startedAt: new Date(0).toISOString(),
        landlockAbi: 7,
        ready: true,
      }
      return json(hello)
    }
    if (root !== 'commands') return json({ code: 'not_found', message: 'no such route', next: '' }, 404)
    if (method === 'POST' && id === undefined) {
      const request = JSON.parse((await body()).toString()) as { id: string; script?: string; input?: string }
      this.begin(request.id, request.script ?? '', request.input ?? '')
      return this.follow(stream, request.id, 0, true)
    }
    if (id === undefined)
      return json({ commands: [...this.programs.keys()].map((known) => this.state(known)) })
    const program = this.programs.get(id)
    if (!program) return json({ code: 'not_found', message: `no command ${id}`, next: '' }, 404)
    if (verb === 'output') {
      const follow = url.searchParams.get('follow') === '1'
      return this.follow(stream, id, Number(url.searchParams.get('from')), follow)
    }
    if (verb === 'signal') {
      this.end(id, { exitCode: null, killed: true })
      return json({ delivered: true })
    }
    if (verb === 'input') {
      program.input = Buffer.concat([program.input, await body()])
      return json({ accepted: program.input.length })
    }
    if (method === 'DELETE') this.programs.delete(id)
    return json(method === 'DELETE' ? {} : this.state(id))
  }

  private begin(id: string, script: string, input: string): void {
    const known = this.programs.get(id)
    if (known) return
    const program: Program = { bytes: 0, end: null, runs: 1, input: Buffer.from(input), followers: new Set() }
    this.programs.set(id, program)
    const [word, value] = script.split(' ')
    if (word === 'print') program.bytes = Number(value)
    if (word !== 'wait') this.end(id, { exitCode: word === 'exit' ? Number(value) : 0 })
  }

  private state(id: string): unknown {
    const program = this.programs.get(id)
    const status = program?.end ? (program.end.killed ? 'killed' : 'exited') : 'running'
    return { commandId: id, pid: 7, status, bytes: program?.bytes ?? 0, end: this.wireEnd(id) }
  }

  private wireEnd(id: string): unknown {
    const program = this.programs.get(id)
    if (!program?.end) return null
    return {
      ...program.end,
      signal: program.end.killed ? 'SIGKILL' : null,
      timedOut: false,
      bytes: program.bytes,
    }
  }

  private async follow(stream: ServerHttp2Stream, id: string, from: number, live: boolean): Promise<void> {
    stream.respond({ ':status': 200 })
    const write = async (bytes: Buffer): Promise<void> => {
      if (stream.destroyed || stream.write(bytes)) return
      await new Promise<void>((resolve) => {
        stream.setMaxListeners(0)
        stream.once('drain', resolve)
        stream.once('close', resolve)
      })
    }
    await write(frame(FRAME.started, 0, Buffer.from(JSON.stringify({ commandId: id, pid: 7 }))))
    let at = from
    while (!stream.destroyed) {
      const program = this.programs.get(id)
      if (!program) break
      if (at < program.bytes) {
        const to = Math.min(program.bytes, at + this.frameBytes)
        this.onFrame(at)
        await write(frame(FRAME.data, at, printed(at, to)))
        at = to
        continue
      }
      if (program.end) {
        await write(frame(FRAME.end, at, Buffer.from(JSON.stringify(this.wireEnd(id)))))
        break
      }
      if (!live) break
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          program.followers.delete(wake)
          stream.off('close', wake)
          resolve()
        }
        program.followers.add(wake)
        stream.once('close', wake)
      })
    }
    if (!stream.destroyed) stream.end()
  }

  close(): void {
    this.cut()
    this.server.close()
    this.listener.close()
    if (this.folder !== null) rmSync(this.folder, { recursive: true, force: true })
  }
}
