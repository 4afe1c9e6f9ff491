/**
 * The file of what people said of rollouts: JSON lines, sent as they are read. What fails in the middle breaks the
 * connection off, so that half a file is not taken for a whole one.
 */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Fault } from '../../protocol/error.ts'
import { LabelId, ThreadId } from '../../protocol/ids.ts'
import { assertCan, threadNotFound } from '../access/permission.ts'
import { rateLimit } from '../access/rate-limit.ts'
import { readableReviews } from '../access/threads.ts'
import type { Actor } from '../access/types.ts'
import { exportReviews } from '../rollouts/review-export.ts'
import type { Store } from '../store/types.ts'
import { plainHeaders } from './respond.ts'
import type { Route } from './router.ts'

export const reviewExportRoute = (
  store: Pick<Store, 'reviews' | 'sharing'>,
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
      const lines = exportReviews(store, reader, filter)[Symbol.asyncIterator]()
      // The first line is read before the headers go out: a database that is away is told as such.
      let line = await lines.next()
      response.writeHead(200, {
        ...plainHeaders,
        'content-type': 'application/jsonl; charset=utf-8',
        'content-disposition': 'attachment; filename="baton-reviews.jsonl"',
      })
      if (request.method === 'HEAD') return void response.end()
      try {
        for (; !line.done && !response.destroyed; line = await lines.next())
          if (!response.write(`${JSON.stringify(line.value)}\n`))
            await Promise.race([once(response, 'drain'), once(response, 'close')])
        response.end()
      } catch (error) {
        response.destroy()
        throw error
      }
    },
  }
}
