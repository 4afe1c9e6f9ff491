/**
 * Puts a kernel socket in front of a byte stream that is made of JavaScript. Node's HTTP/2 aborts the whole process on
 * an assertion when a session over a JavaScript stream is torn down while a write is under way, and whoever speaks at
 * the other end can bring that about; over a real socket it cannot happen.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, pipeline } from 'node:stream'

/** Two ends of one connection. The folder is private to this user, so nobody else can be the other end. */
const socketPair = async (): Promise<[Socket, Socket]> => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-'))
  const server = createServer({ allowHalfOpen: true })
  try {
    server.listen(join(folder, 's'))
    await once(server, 'listening')
    const near = connect({ path: join(folder, 's') })
    const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
      [Socket],
      unknown,
    ]
    return [near, far]
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A socket that carries what `stream` carries; when one of the two ends, so does the other. */
export const realSocket = async (stream: Duplex): Promise<Socket> => {
  // A stream may fail before anybody uses it.
  stream.on('error', () => undefined)
  let pair: [Socket, Socket]
  try {
    pair = await socketPair()
  } catch (error) {
    stream.destroy()
    throw error
  }
  const [near, far] = pair
  near.on('error', () => undefined)
  const end = (): void => {
    stream.destroy()
    far.destroy()
    near.destroy()
  }
  pipeline(stream, far, end)
  pipeline(far, stream, end)
  near.once('close', end)
  return near
}
