import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { Duplex, duplexPair } from 'node:stream'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeSupervisor } from '../../../test/setup/fake-supervisor.ts'
import { Done, StatAnswer } from './answers.ts'
import { FrameReader, frameJson } from './frames.ts'
import { SupervisorLink } from './link.ts'
import { realSocket } from './real-socket.ts'

const secret = 'b'.repeat(64)
const open: { close(): unknown }[] = []
afterEach(() => {
  for (const thing of open.splice(0)) thing.close()
})
const nothing = () => undefined

/** A supervisor that answers as `answer` says; the preamble is taken off by hand. */
const hostile = async (
  answer: (stream: ServerHttp2Stream, path: string) => void,
): Promise<SupervisorLink> => {
  const server: Http2Server = createServer()
  server.on('sessionError', nothing)
  server.on('stream', (stream, headers) => {
    stream.on('error', nothing)
    answer(stream, String(headers[':path']))
  })
  const link = new SupervisorLink(
    async () => {
      const [near, far] = duplexPair()
      const socket = await realSocket(far)
      socket.once('readable', () => {
        socket.read(secret.length + 1)
        server.emit('connection', socket)
      })
      return near
    },
    secret,
    nothing,
  )
  open.push(link, server)
  return link
}
const json = (stream: ServerHttp2Stream, value: unknown, status = 200): void => {
  stream.respond({ ':status': status })
  stream.end(JSON.stringify(value))
}
const hello = { protocol: 1, minProtocol: 1, bootId: 'b' }
const get = { method: 'GET', path: '/x', repeatable: true } as const

describe('the connection to a supervisor that is not to be trusted', () => {
  it('a wrong secret opens nothing', async () => {
    const supervisor = new FakeSupervisor(secret)
    const link = new SupervisorLink(() => supervisor.attach(), 'c'.repeat(64), nothing)
    open.push(link, supervisor)
    await expect(link.json(get, Done)).rejects.toMatchObject({ code: 'sandbox_unavailable' })
  })

  it('bytes that are no HTTP/2 end in a fact', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (noise) => {
        const link = new SupervisorLink(
          async () => {
            const stream = new Duplex({ read: nothing, write: (_chunk, _encoding, done) => done() })
            stream.push(noise)
            stream.push(null)
            return stream
          },
          secret,
          nothing,
        )
        await expect(link.json(get, Done)).rejects.toBeInstanceOf(Error)
        link.close()
      }),
      { numRuns: 25 },
    )
  })

  it('another protocol, another shape, no JSON and a refusal are facts', async () => {
    const answers: Record<string, (stream: ServerHttp2Stream) => void> = {
      '/hello': (stream) => json(stream, hello),
      '/shape': (stream) => json(stream, { path: 7 }),
      '/text': (stream) => {
        stream.respond({ ':status': 200 })
        stream.end('<html>')
      },
      '/full': (stream) => json(stream, { code: 'disk_full', message: 'full', next: 'free some' }, 507),
      '/odd': (stream) => json(stream, { code: '__proto__', message: 7 }, 500),
    }
    const link = await hostile((stream, path) => answers[path]?.(stream))
    const ask = (path: string) => link.json({ ...get, path }, StatAnswer)
    await expect(ask('/shape')).rejects.toMatchObject({ code: 'sandbox_unavailable' })
    await expect(ask('/text')).rejects.toMatchObject({ code: 'sandbox_unavailable' })
    await expect(ask('/full')).rejects.toMatchObject({ code: 'disk_full', next: 'free some' })
    await expect(ask('/odd')).rejects.toMatchObject({ code: 'sandbox_unavailable' })
    const older = await hostile((stream) => json(stream, { ...hello, protocol: 9, minProtocol: 9 }))
    await expect(older.json(get, Done)).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringContaining('protocol 9'),
    })
  })

  it('asks again for an answer that is shorter than it said, and takes no part for the whole', async () => {
    let short = 1
    const link = await hostile((stream, path) => {
      if (path === '/hello') return json(stream, hello)
      stream.respond({ ':status': 200, 'content-length': 6 })
      if (path === '/never' || short > 0) {
        short -= 1
        stream.end(path === '/never' ? 'abc' : '')
      } else stream.end('abcdef')
    })
    expect(Buffer.from((await link.bytes(get)).bytes).toString()).toBe('abcdef')
    await expect(link.bytes({ ...get, path: '/never' })).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    })
  })

  it('asks again when an answer is cut, and says so when it must not', async () => {
    let cuts = 2
    const link = await hostile((stream, path) => {
      if (path === '/hello') return json(stream, hello)
      if (cuts === 0) return json(stream, { path: '/x', kind: 'file', size: 1, mtimeMs: 1 })
      cuts -= 1
      stream.session?.destroy()
    })
    expect(await link.json(get, StatAnswer)).toMatchObject({ size: 1 })
    cuts = 1
    await expect(link.json({ ...get, method: 'POST', repeatable: false }, StatAnswer)).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    })
  })
})

describe('frames', () => {
  it('broken ones are facts', () => {
    const head = Buffer.alloc(13)
    head[0] = 9
    expect(() => new FrameReader().push(head)).toThrow(/broken stream/)
    head[0] = 1
    head.writeUInt32BE(0xffffffff, 9)
    expect(() => new FrameReader().push(head)).toThrow(/broken stream/)
    expect(() => frameJson({ type: 3, offset: 0, payload: Buffer.from('[') })).toThrow(/no JSON/)
  })
})
