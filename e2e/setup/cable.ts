// A cable between browser and server that a journey can cut: a plain TCP relay.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

export type Cable = {
  url: string
  /** Breaks every connection and takes no new one. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function layCable(target: string): Promise<Cable> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let whole = true
  const server: Server = createServer((near) => {
    if (!whole) return void near.destroy()
    const far = connect(Number(port), hostname)
    for (const [socket, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        peer.destroy()
      })
      socket.pipe(peer)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    whole = false
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      whole = true
    },
    close: () => {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
