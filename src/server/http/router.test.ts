import { request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { Fault } from '../../protocol/error.ts'
import { createLog } from '../log.ts'
import { originPolicy } from './origin.ts'
import { readJson, sendJson } from './respond.ts'
import { createHttpDoors } from './router.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const start = async () => {
  const server = createHttpDoors({
    origins: originPolicy(undefined),
    log: createLog('error', () => undefined),
    pages: async (_request, response) => {
      response.end('a page')
    },
    routes: [
      {
        method: 'GET',
        pattern: '/api/things/:id',
        handle: async ({ response, params }) => sendJson(response, 200, params),
      },
      {
        method: 'POST',
        pattern: '/api/echo',
        handle: async ({ request, response }) => sendJson(response, 200, await readJson(request, 100)),
      },
      {
        method: 'GET',
        pattern: '/api/broken',
        handle: async () => {
          throw new Error('a secret detail')
        },
      },
      {
        method: 'GET',
        pattern: '/api/refused',
        handle: async () => {
          throw new Fault('conflict', 'It changed meanwhile.', 'Reload.')
        },
      },
    ],
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()))
  return (server.address() as AddressInfo).port
}

const call = (
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) =>
  new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', path, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
        )
      },
    )
    request.on('error', reject)
    request.end(options.body)
  })

describe('HTTP doors', () => {
  test('SEC-55 whatever a route or an error answers, a browser shows it as nothing', async () => {
    const port = await start()
    for (const path of ['/api/things/a', '/api/echo', '/api/broken', '/api/refused', '/api/nowhere']) {
      const { headers } = await call(port, path)
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      })
    }
  })

  test('a route gets its parameters; the rest are pages', async () => {
    const port = await start()
    expect(JSON.parse((await call(port, '/api/things/a%20b')).body)).toEqual({ id: 'a b' })
    const page = await call(port, '/somewhere')
    expect(page.body).toBe('a page')
  })

  test('SEC-50 no page is framed, opened by a stranger, taken for another kind or told to another site', async () => {
    const port = await start()
    for (const path of ['/somewhere', '/_next/static/x.js', '/t/%3Cscript%3E'])
      expect((await call(port, path)).headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
  })

  test('unknown addresses, wrong methods and bad encodings are facts', async () => {
    const port = await start()
    expect((await call(port, '/api/none')).status).toBe(404)
    expect((await call(port, '/api/echo')).status).toBe(400)
    expect((await call(port, '/api/things/%E0%A4%A')).status).toBe(404)
  })

  test('a defect shows no detail, a fault shows its next step', async () => {
    const port = await start()
    const broken = await call(port, '/api/broken')
    expect(broken.status).toBe(500)
    expect(broken.body).not.toContain('secret detail')
    expect(JSON.parse((await call(port, '/api/refused')).body).error).toMatchObject({
      code: 'conflict',
      next: 'Reload.',
    })
  })

  test('SEC-41 a change that comes from another site is refused', async () => {
    const port = await start()
    const send = (headers: Record<string, string>) =>
      call(port, '/api/echo', { method: 'POST', headers, body: '{"a":1}' })
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await send({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send({ origin: `http://127.0.0.1:${port}` })).status).toBe(200)
  })

  test('SEC-41 a host name that is not this server’s is refused', async () => {
    const port = await start()
    expect((await call(port, '/api/refused', { headers: { host: 'evil.example' } })).status).toBe(403)
  })

  test('bodies over the limit and bodies that are no JSON', async () => {
    const port = await start()
    expect((await call(port, '/api/echo', { method: 'POST', body: 'x'.repeat(200) })).status).toBe(413)
    expect((await call(port, '/api/echo', { method: 'POST', body: '{' })).status).toBe(400)
  })

  test('after a body that was not read to its end, nothing more is taken on that connection', async () => {
    const port = await start()
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', reject)
      socket.on('end', () => resolve(text))
      socket.write(
        `POST /api/echo HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 5000\r\n\r\n${'x'.repeat(101)}`,
      )
    })
    expect(said).toMatch(/^HTTP\/1\.1 413 /)
    expect(said).toMatch(/connection: close/i)
    // An answer to a whole request leaves the connection open.
    expect((await call(port, '/api/refused')).headers.connection).not.toBe('close')
  })

  test('malformed HTTP never ends the process', async () => {
    const port = await start()
    for (const bytes of [
      '\x00\xff\xfe',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /x HTTP/1.1\r\nhost: [\r\n\r\n',
      'POST /api/echo HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: -5\r\n\r\n',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'))
        socket.on('close', () => resolve())
        socket.on('error', () => resolve())
        socket.resume()
      })
    }
    expect((await call(port, '/api/refused')).status).toBe(409)
  })
})
