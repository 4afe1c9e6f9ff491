/**
 * The door that a rollout leaves by, as a file. Sent as it is made: a slow reader slows the making, one that goes away
 * ends it. What is in the file is decided elsewhere.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { Fault } from '../../protocol/error.ts'
import { ExportFormat, ExportRedaction } from '../../protocol/export.ts'
import type { AccessWatch } from '../access/access-watch.ts'
import { rateLimit } from '../access/rate-limit.ts'
import type { Action, Actor } from '../access/types.ts'
import { exporterOf } from '../rollouts/export/export.ts'
import type { Store } from '../store/types.ts'
import { parse, plainHeaders } from './respond.ts'
import type { Route } from './router.ts'

/** Bytes that are put together before they are sent. */
const batchBytes = 65_536

const Query = z.object({
  format: ExportFormat,
  redact: ExportRedaction,
  /** Digest of the preview in which somebody saw that secrets would go out. */
  confirm: z.string().max(64).nullable(),
})

async function* inBatches(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk)
    held.push(bytes)
    size += bytes.byteLength
    if (size < batchBytes) continue
    yield Buffer.concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(held)
}

export const exportRoute = (
  store: Store,
  onThread: (request: IncomingMessage, threadId: string, action: Action) => Promise<Actor>,
  watch: Pick<AccessWatch, 'follow'>,
): Route => {
  const limit = rateLimit(60, 20)
  return {
    method: 'GET',
    pattern: '/t/:threadId/export',
    handle: async ({ request, response, url, params }) => {
      const threadId = params.threadId ?? ''
      const who = await onThread(request, threadId, 'thread.export')
      const query = parse(Query, {
        format: url.searchParams.get('format'),
        redact: url.searchParams.get('redact') ?? 'secrets',
        confirm: url.searchParams.get('confirm'),
      })
      limit.take(who.userId)
      const { format, redact: redaction, confirm } = query
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      let ended: Fault | null = null
      const letGo = watch.follow({ actor: who, action: 'thread.export', threadId }, (fault) => {
        ended = fault
        gone.abort()
        // Half a file shows that it is half: the connection breaks.
        if (response.headersSent) response.destroy()
      })
      const { signal } = gone
      const isHead = request.method === 'HEAD'
      try {
        const file = await exporterOf(store).open({ threadId, format, redaction, confirm, signal })
        signal.throwIfAborted()
        if (!isHead)
          await store.audit({
            actorId: who.userId,
            action: 'thread.export',
            targetType: 'thread',
            targetId: threadId,
            details: { format, redaction, head: file.head, redacted: file.redacted },
          })
        response.writeHead(200, {
          ...plainHeaders,
          'content-type': file.contentType,
          'content-disposition': `attachment; filename="${file.fileName}"`,
          'x-robots-tag': 'noindex',
        })
        if (isHead) return void response.end()
        await pipeline(Readable.from(inBatches(file.chunks), { highWaterMark: 1 }), response)
      } catch (error) {
        if (ended && !response.headersSent) throw ended
        // A reader that went away; anything else is told, and the file stays visibly incomplete.
        if (signal.aborted || (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE') return
        throw error
      } finally {
        letGo()
      }
    },
  }
}
