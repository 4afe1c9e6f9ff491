/**
 * The file of what people said of rollouts: JSON lines, sent as they are read, without the secrets that stand in them. What
 * fails in the middle breaks the connection off, so that half a file is not taken for a whole one.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Fault } from '../../protocol/error.ts'
import { ExportRedaction } from '../../protocol/export.ts'
import { LabelId, ThreadId } from '../../protocol/ids.ts'
import type { ReviewExportLine } from '../../protocol/review.ts'
import { assertCan, threadNotFound } from '../access/permission.ts'
import { rateLimit } from '../access/rate-limit.ts'
import { readableReviews } from '../access/threads.ts'
import type { Actor } from '../access/types.ts'
import { createRedactor } from '../rollouts/redact/redactor.ts'
import { exportReviews } from '../rollouts/review-export.ts'
import type { Store } from '../store/types.ts'
import { parse, plainHeaders } from './respond.ts'
import type { Route } from './router.ts'

/** A secret that somebody quoted in a comment is cut like one in a rollout; each line stays JSON. */
async function* asText(
  lines: AsyncIterable<ReviewExportLine>,
  redaction: ExportRedaction,
): AsyncGenerator<string> {
  const redactor = redaction === 'none' ? null : createRedactor(redaction)
  for await (const line of lines) yield `${JSON.stringify(redactor ? redactor.json(line) : line)}\n`
}

export const reviewExportRoute = (
  store: Pick<Store, 'reviews' | 'sharing' | 'audit'>,
  actor: (request: IncomingMessage) => Promise<Actor | null>,
): Route => {
  const exports = rateLimit(30, 30)

  const filterOf = async (who: Actor, query: URLSearchParams) => {
    const threadId = query.get('thread')
    const labelId = query.get('label')
    if (labelId !== null && !LabelId.safeParse(labelId).success)
      throw new Fault('bad_input', 'label: must be the id of a label.', 'Choose one from the list.')
    if (threadId !== null) {
      if (!ThreadId.safeParse(threadId).success) throw threadNotFound()
      const access = (await store.sharing.access([threadId], who.userId)).get(threadId)
      if (!access) throw threadNotFound()
      assertCan(who, 'review.read', { type: 'thread', ...access })
    }
    return { ...(threadId === null ? {} : { threadId }), ...(labelId === null ? {} : { labelId }) }
  }

  return {
    method: 'GET',
    pattern: '/api/reviews/export',
    handle: async ({ request, response, url }) => {
      const who = await actor(request)
      assertCan(who, 'review.list', { type: 'team' })
      exports.take(who.userId)
      const filter = await filterOf(who, url.searchParams)
      const reader = { userId: who.userId, mayRead: readableReviews(store, who) }
      const redaction = parse(ExportRedaction, url.searchParams.get('redact') ?? 'secrets')
      const lines = asText(exportReviews(store, reader, filter), redaction)
      // The first line is read before the headers go out: a database that is away is told as such.
      const first = await lines.next()
      const isHead = request.method === 'HEAD'
      if (!isHead)
        await store.audit({
          actorId: who.userId,
          action: 'review.export',
          ...(filter.threadId === undefined
            ? { targetType: 'team', targetId: 'reviews' }
            : { targetType: 'thread', targetId: filter.threadId }),
          details: { redaction, ...(filter.labelId === undefined ? {} : { labelId: filter.labelId }) },
        })
      response.writeHead(200, {
        ...plainHeaders,
        'content-type': 'application/jsonl; charset=utf-8',
        'content-disposition': 'attachment; filename="baton-reviews.jsonl"',
      })
      if (isHead) return void response.end()
      async function* all(): AsyncGenerator<string> {
        if (first.done) return
        yield first.value
        yield* lines
      }
      try {
        await pipeline(Readable.from(all(), { highWaterMark: 1 }), response)
      } catch (error) {
        // A reader that went away is no failure.
        if (request.destroyed || (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE') return
        throw error
      }
    },
  }
}
