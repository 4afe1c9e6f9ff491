// A real container from the sandbox image with the flags that the server gives it, and a client over the bridge.
import { createHmac, randomUUID } from 'node:crypto'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2'
import { Duplex } from 'node:stream'
import Docker from 'dockerode'
import { testImage } from '../../test/setup/image.ts'
import {
  BRIDGE_ARGV,
  CONTAINER,
  type CommandEnd,
  type CommandRequest,
  FRAME,
  FRAME_HEADER_BYTES,
  preamble,
  SUPERVISOR_ARGV,
} from '../supervisor/protocol.ts'

export interface Ran {
  commandId: string
  output: Buffer
  gap: number
  end: CommandEnd | null
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** The exec's stream without its framing; errors and ends pass through. */
const unframed = (raw: Duplex): Duplex => {
  let rest: Buffer = Buffer.alloc(0)
  const bridged = new Duplex({
    read: () => void raw.resume(),
    write: (chunk, _encoding, done) => void raw.write(chunk, (error) => done(error)),
    final: (done) => void raw.end(() => done()),
    destroy: (error, done) => {
      raw.destroy()
      done(error)
    },
  })
  raw.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 8 && rest.length >= 8 + rest.readUInt32BE(4)) {
      const size = 8 + rest.readUInt32BE(4)
      if (rest[0] === 1 && !bridged.push(rest.subarray(8, size))) raw.pause()
      rest = rest.subarray(size)
    }
  })
  raw.on('end', () => bridged.push(null))
  raw.on('error', (error) => bridged.destroy(error))
  return bridged
}

export class TestBox {
  readonly docker = new Docker()
  readonly id = `sbx_test_${randomUUID().slice(0, 8)}`
  readonly secret = createHmac('sha256', 'test key').update(this.id).digest('hex')
  readonly uid = CONTAINER.uidFirst + Math.floor(Math.random() * 9000)
  private session: ClientHttp2Session | undefined
  private container: Docker.Container | undefined

  /** A started container with a connected client. */
  static async start(options: { pids?: number; env?: string[] } = {}): Promise<TestBox> {
    const box = new TestBox()
    const image = await testImage()
    const labels = { 'baton.test': box.id, 'baton.install-id': process.env.BATON_INSTALL_ID ?? 'ins_test' }
    box.container = await box.docker.createContainer({
      name: box.id,
      Image: image,
      Cmd: [...SUPERVISOR_ARGV],
      User: `${box.uid}:${box.uid}`,
      Env: [`BATON_SECRET=${box.secret}`, `BATON_SANDBOX_ID=${box.id}`, ...(options.env ?? [])],
      Labels: labels,
      HostConfig: {
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        Init: true,
        Memory: 1024 * 1024 * 1024,
        MemorySwap: 1024 * 1024 * 1024,
        PidsLimit: options.pids ?? 512,
        Tmpfs: CONTAINER.tmpfs,
        Mounts: Object.entries(CONTAINER.volumes).map(([suffix, target]) => ({
          Type: 'volume' as const,
          Source: `${box.id}-${suffix}`,
          Target: target,
        })),
      },
    })
    try {
      await box.container.start()
      await box.connect()
    } catch (error) {
      await box.remove()
      throw error
    }
    return box
  }

  /** A raw stream to the bridge, before the secret. */
  async bridge(): Promise<Duplex> {
    if (!this.container) throw new Error('the container is not started')
    const exec = await this.container.exec({
      Cmd: [...BRIDGE_ARGV],
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    })
    return unframed(await exec.start({ hijack: true, stdin: true }))
  }

  async connect(): Promise<void> {
    const stream = await this.bridge()
    stream.write(preamble(this.secret))
    const session = connect('http://supervisor', {
      createConnection: () => stream,
      settings: { initialWindowSize: 8 * 1024 * 1024 },
    })
    session.on('error', () => {})
    await new Promise<void>((resolve, reject) => {
      session.once('remoteSettings', () => resolve())
      session.once('close', () => reject(new Error('the supervisor closed the connection')))
    })
    session.setLocalWindowSize(16 * 1024 * 1024)
    this.session = session
  }

  disconnect(): void {
    this.session?.destroy()
  }

  open(method: string, path: string): ClientHttp2Stream {
    if (!this.session) throw new Error('not connected')
    const stream = this.session.request({ ':method': method, ':path': path }, { endStream: false })
    stream.on('error', () => {})
    return stream
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const stream = this.open(method, path)
    const parts: Buffer[] = []
    stream.on('data', (part) => parts.push(part))
    const answered = new Promise<IncomingHttpHeaders>((resolve, reject) => {
      let headers: IncomingHttpHeaders | undefined
      stream.once('response', (given) => {
        headers = given
      })
      stream.once('close', () =>
        headers ? resolve(headers) : reject(new Error(`${method} ${path}: closed without an answer`)),
      )
    })
    stream.end(body instanceof Uint8Array ? body : body === undefined ? undefined : JSON.stringify(body))
    const headers = await answered
    const bytes = Buffer.concat(parts)
    const told = headers['content-length']
    if (stream.rstCode !== 0 || (told !== undefined && Number(told) !== bytes.length))
      throw new Error(`${method} ${path}: cut after ${bytes.length} of ${told} bytes (${stream.rstCode})`)
    return { status: Number(headers[':status']), headers, bytes }
  }

  /** The JSON body; throws with the error's code and message. */
  // biome-ignore lint/suspicious/noExplicitAny: a test names the shape that it expects
  async json<T = any>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, body)
    const value = JSON.parse(answer.bytes.toString('utf8'))
    if (answer.status >= 400) throw new Error(`${value.code}: ${value.message}`)
    return value
  }

  /** Runs a command to its end in one round trip. */
  async run(script: string, options: Partial<CommandRequest> = {}): Promise<Ran & { text: string }> {
    const request: CommandRequest = { mode: 'workspace-write', ...options }
    if (options.argv === undefined) request.script = script
    const answer = await this.send('POST', '/commands?follow=1', request)
    if (answer.status >= 400) throw new Error(answer.bytes.toString('utf8'))
    const ran = unpack(answer.bytes)
    return { ...ran, text: ran.output.toString('utf8') }
  }

  /** What comes back through a CONNECT after sending text and closing our side; rejects with the status. */
  tunnel(authority: string, text: string): Promise<Buffer> {
    if (!this.session) throw new Error('not connected')
    const stream = this.session.request({ ':method': 'CONNECT', ':authority': authority })
    const parts: Buffer[] = []
    return new Promise((resolve, reject) => {
      stream.on('error', reject)
      stream.on('data', (part) => parts.push(part))
      stream.on('response', (headers) => {
        if (headers[':status'] === 200) stream.end(text)
        else reject(new Error(String(headers[':status'])))
      })
      stream.on('end', () => resolve(Buffer.concat(parts)))
    })
  }

  /** Runs a script beside the supervisor, outside of the commands' domain. */
  async outside(script: string): Promise<void> {
    if (!this.container) throw new Error('the container is not started')
    const exec = await this.container.exec({ Cmd: ['sh', '-c', script], AttachStdout: true })
    const stream = await exec.start({ hijack: true, stdin: false })
    stream.resume()
    await new Promise((resolve) => stream.once('end', resolve))
  }

  async remove(): Promise<void> {
    this.disconnect()
    await this.container?.remove({ force: true })
    for (const suffix of Object.keys(CONTAINER.volumes))
      await this.docker.getVolume(`${this.id}-${suffix}`).remove({ force: true })
  }
}

export const unpack = (bytes: Buffer): Ran => {
  const ran: Ran = { commandId: '', output: Buffer.alloc(0), gap: 0, end: null }
  const data: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const type = bytes[at]
    const size = bytes.readUInt32BE(at + 9)
    const payload = bytes.subarray(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + size)
    if (type === FRAME.started) ran.commandId = JSON.parse(payload.toString()).commandId
    if (type === FRAME.data) data.push(payload)
    if (type === FRAME.gap) ran.gap += JSON.parse(payload.toString()).bytes
    if (type === FRAME.end) ran.end = JSON.parse(payload.toString())
    at += FRAME_HEADER_BYTES + size
  }
  ran.output = Buffer.concat(data)
  return ran
}

/** Asks again until the answer is true; the tests' only way to wait. */
export const until = async (probe: () => Promise<boolean>, what: string): Promise<void> => {
  const end = Date.now() + 60_000
  while (!(await probe())) {
    if (Date.now() > end) throw new Error(`did not happen: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
