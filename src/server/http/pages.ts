/**
 * The pages, by Next.js in production mode. Sockets are not its business here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import next from 'next'

export type Pages = {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  close(): Promise<void>
}

/** Loads the built app in `dir`; rejects when it was not built. */
export const openPages = async (dir: string, hostname: string, port: number): Promise<Pages> => {
  const app = next({ dev: false, dir, hostname, port, quiet: true })
  await app.prepare()
  const handle = app.getRequestHandler()
  return { handle: (request, response) => handle(request, response), close: () => app.close() }
}
