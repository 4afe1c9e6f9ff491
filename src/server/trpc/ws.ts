/**
 * The one WebSocket per tab at /ws: origin and host are checked at the upgrade, the session is watched as long as the
 * socket is open, and a malformed message ends nothing but itself.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { applyWSSHandler } from '@trpc/server/adapters/ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { heartbeatMs, sessionEndedCode } from '../../protocol/heartbeat.ts'
import type { Actor } from '../access/types.ts'
import type { SessionWatch } from '../auth/session-watch.ts'
import type { Context, DoorParts, Services } from './context.ts'
import { appRouter } from './router.ts'

/** Bytes of one message from a tab: a user message of a million characters and its frame. */
const maxPayload = 6 * 1_024 * 1_024

export type WsDoor = {
  /** Asks the tabs to connect again elsewhere, then closes them. */
  close(): Promise<void>
}

export type WsOptions = {
  server: Server
  services: Services
  parts: DoorParts
  allowed(request: IncomingMessage): boolean
  session(request: IncomingMessage): Promise<{ sessionId: string } | null>
  actorOf(sessionId: string): Promise<Actor | null>
  watch: SessionWatch
}

const refuse = (socket: Duplex, status: string): void => {
  socket.on('error', () => undefined)
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

export const openWsDoor = ({
  server,
  services,
  parts,
  allowed,
  session,
  actorOf,
  watch,
}: WsOptions): WsDoor => {
  const wss = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false })
  const sessions = new WeakMap<IncomingMessage, string | null>()

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = (request.url ?? '').split('?')[0]
    if (path !== '/ws') return refuse(socket, '404 Not Found')
    if (!allowed(request)) return refuse(socket, '403 Forbidden')
    socket.on('error', () => socket.destroy())
    session(request)
      .then((found) => {
        sessions.set(request, found?.sessionId ?? null)
        wss.handleUpgrade(request, socket, head, (client) => wss.emit('connection', client, request))
      })
      .catch((error: unknown) => {
        services.log.error('a socket could not be opened', { error })
        refuse(socket, '503 Service Unavailable')
      })
  })

  wss.on('connection', (client: WebSocket, request: IncomingMessage) => {
    client.on('error', () => client.terminate())
    const sessionId = sessions.get(request)
    if (!sessionId) return
    client.on(
      'close',
      watch.watch(sessionId, () => client.close(sessionEndedCode, 'session ended')),
    )
  })

  const handler = applyWSSHandler({
    wss,
    router: appRouter,
    keepAlive: { enabled: true, pingMs: heartbeatMs, pongWaitMs: heartbeatMs * 2 },
    createContext: ({ req, res }): Context => {
      const sessionId = sessions.get(req) ?? null
      return {
        ...services,
        ...parts,
        sessionId,
        actorNow: () => (sessionId ? actorOf(sessionId) : Promise.resolve(null)),
        buffered: () => res.bufferedAmount,
        request: req,
      }
    },
  })

  return {
    close: async () => {
      handler.broadcastReconnectNotification()
      for (const client of wss.clients) client.close(1_012, 'restarting')
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          for (const client of wss.clients) client.terminate()
          resolve()
        }, 500)
        wss.close(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    },
  }
}
