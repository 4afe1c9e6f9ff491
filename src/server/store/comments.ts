/**
 * Comments on steps and items. The newest text stands in its row, everything that was done to it beside it, so that an
 * edit or a deletion takes nothing away. Writers of one thread's comments wait for each other.
 */
import { Fault } from '../../protocol/error.ts'
import {
  type Comment,
  type CommentChange,
  type CommentPlace,
  type ReviewChange,
  reviewLimits,
} from '../../protocol/review.ts'
import { cleanText } from './append.ts'
import { auditQuery } from './audit.ts'
import type { Db, Queryable } from './db.ts'
import type { NewComment, OneComment, ReviewStore } from './review-types.ts'

type CommentRow = Omit<Comment, 'seq'> & { seq: string }

const ms = (column: string, name: string): string =>
  `(extract(epoch from c."${column}") * 1000)::float8 as "${name}"`

const columns = `c.id, c."threadId", c."replyTo", c."stepId", c."itemId", c.seq, c."authorId", c.text, c.version,
  c."resolvedBy", ${['createdAt', 'editedAt', 'deletedAt', 'resolvedAt'].map((name) => ms(name, name)).join(', ')}`

const rounded = (at: number | null): number | null => (at === null ? null : Math.round(at))

const toComment = (row: CommentRow): Comment => ({
  ...row,
  seq: Number(row.seq),
  createdAt: Math.round(row.createdAt),
  editedAt: rounded(row.editedAt),
  deletedAt: rounded(row.deletedAt),
  resolvedAt: rounded(row.resolvedAt),
})

/** JSON of one page of comments stays under this. */
const maxPageBytes = 900_000

const missing = (): Fault =>
  new Fault('not_found', 'There is no such comment in this rollout.', 'Reload the page; it may be gone.')

/** Changes to the reviews of one thread come one after the other. */
export const inOrder = (client: Queryable, threadId: string) =>
  client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`reviews ${threadId}`])

const find = async (client: Queryable, threadId: string, commentId: string): Promise<Comment> => {
  const { rows } = await client.query<CommentRow>(
    `select ${columns} from "Comment" c where c.id = $1 and c."threadId" = $2`,
    [commentId, threadId],
  )
  if (!rows[0]) throw missing()
  return toComment(rows[0])
}

type Place = { stepId: string | null; itemId: string | null; seq: number; replyTo: string | null }

const placeOf = async (client: Queryable, threadId: string, on: NewComment['on']): Promise<Place> => {
  if ('replyTo' in on) {
    const root = await find(client, threadId, on.replyTo)
    if (root.replyTo !== null)
      throw new Fault(
        'bad_input',
        'Only a comment that begins something can be answered.',
        'Answer that one.',
      )
    return { stepId: root.stepId, itemId: root.itemId, seq: root.seq, replyTo: root.id }
  }
  const stepId = 'stepId' in on ? on.stepId : null
  const itemId = 'itemId' in on ? on.itemId : null
  const { rows } = await client.query<{ seq: string | null }>(
    stepId === null
      ? `select min(seq) as seq from "Event" where "threadId" = $1 and "itemId" = $2
           and type in ('item.started', 'item.completed')`
      : `select min(seq) as seq from "Event" where "threadId" = $1 and type = 'step.started' and "stepId" = $2`,
    [threadId, stepId ?? itemId],
  )
  const seq = rows[0]?.seq ?? null
  if (seq === null)
    throw new Fault(
      'not_found',
      `There is no such ${stepId === null ? 'item' : 'step'} in this rollout.`,
      'Reload the page and choose the place again.',
    )
  return { stepId, itemId, seq: Number(seq), replyTo: null }
}

const record = async (
  client: Queryable,
  { id, version }: Pick<Comment, 'id' | 'version'>,
  action: CommentChange['action'],
  text: string | null,
  actorId: string,
): Promise<void> => {
  await client.query(
    `insert into "CommentChange" ("commentId", number, action, text, version, "actorId", at)
     select $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, clock_timestamp() from "CommentChange" where "commentId" = $1`,
    [id, action, text, version, actorId],
  )
}

const onlyTheAuthor = (comment: Comment, actorId: string): void => {
  if (comment.authorId === actorId) return
  throw new Fault('forbidden', 'Only who wrote a comment may change it.', 'Answer it instead.')
}

const deleted = (): Fault =>
  new Fault('conflict', 'This comment was deleted.', 'Write a new one; its earlier texts are in its history.')

const listed = `from "Comment" c left join "Comment" r on r.id = c."replyTo" where c."threadId" = $1
  and ($2::text is null or c."stepId" = $2) and ($3::text is null or c."itemId" = $3)
  and (not $4::boolean or (coalesce(r."resolvedAt", c."resolvedAt") is null and coalesce(r."deletedAt", c."deletedAt") is null))`

type CommentStore = Pick<
  ReviewStore,
  'comment' | 'comments' | 'changes' | 'edit' | 'remove' | 'resolve' | 'withChanges'
>

export const createCommentStore = (db: Db, tell: (change: ReviewChange) => void): CommentStore => {
  const change = async (
    { threadId, commentId, actorId }: OneComment,
    action: string,
    work: (client: Queryable, comment: Comment) => Promise<boolean>,
  ): Promise<Comment> => {
    const { comment, changed } = await db.transaction(async (client) => {
      await inOrder(client, threadId)
      const changed = await work(client, await find(client, threadId, commentId))
      if (changed)
        await auditQuery(client, {
          actorId,
          action: `review.${action}`,
          targetType: 'thread',
          targetId: threadId,
          details: { commentId },
        })
      return { comment: await find(client, threadId, commentId), changed }
    })
    if (changed) tell({ type: 'thread', threadId, what: 'comments' })
    return comment
  }

  return {
    comment: async ({ commentId, threadId, authorId, text: given, on }) => {
      const text = cleanText(given)
      const { comment, isNew } = await db.transaction(async (client) => {
        await inOrder(client, threadId)
        const { rows: known } = await client.query<CommentRow>(
          `select ${columns} from "Comment" c where c.id = $1`,
          [commentId],
        )
        if (known[0]) {
          const same = toComment(known[0])
          if (same.threadId === threadId && same.authorId === authorId && same.text === text)
            return { comment: same, isNew: false }
          throw new Fault('conflict', 'This id stands for another comment.', 'Send it with a new id.')
        }
        const { rows: count } = await client.query<{ total: number }>(
          `select count(*)::int4 as total from "Comment" where "threadId" = $1`,
          [threadId],
        )
        if ((count[0]?.total ?? 0) >= reviewLimits.comments)
          throw new Fault(
            'limit_reached',
            `This rollout has ${reviewLimits.comments} comments, which is the most.`,
            'Edit one of them.',
          )
        const place = await placeOf(client, threadId, on)
        await client.query(
          `insert into "Comment" (id, "threadId", "replyTo", "stepId", "itemId", seq, "authorId", text, "createdAt")
           values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())`,
          [commentId, threadId, place.replyTo, place.stepId, place.itemId, place.seq, authorId, text],
        )
        await record(client, { id: commentId, version: 1 }, 'written', text, authorId)
        await auditQuery(client, {
          actorId: authorId,
          action: 'review.comment',
          targetType: 'thread',
          targetId: threadId,
          details: { commentId },
        })
        return { comment: await find(client, threadId, commentId), isNew: true }
      })
      if (isNew) tell({ type: 'thread', threadId, what: 'comments' })
      return comment
    },

    comments: async (threadId, { place, open = false, after, limit }) => {
      const from = after === undefined ? 0 : Number(after)
      const ids: Partial<Record<'stepId' | 'itemId', string>> = place ?? ({} satisfies Partial<CommentPlace>)
      const values = [threadId, ids.stepId ?? null, ids.itemId ?? null, open]
      const [rows, count] = await Promise.all([
        db.query<CommentRow>(
          `select ${columns} ${listed}
           order by c.seq, coalesce(r."createdAt", c."createdAt"), coalesce(r.id, c.id), r.id is not null, c."createdAt", c.id
           limit $5 offset $6`,
          [...values, limit, from],
        ),
        db.query<{ total: number }>(`select count(*)::int4 as total ${listed}`, values),
      ])
      const total = count[0]?.total ?? 0
      const comments: Comment[] = []
      let bytes = 0
      for (const comment of rows.map(toComment)) {
        bytes += Buffer.byteLength(JSON.stringify(comment))
        if (bytes > maxPageBytes) break
        comments.push(comment)
      }
      const end = from + comments.length
      return { comments, next: comments.length > 0 && end < total ? String(end) : null, total }
    },

    changes: async (threadId, commentId, before, limit) => {
      const rows = await db.query<CommentChange>(
        `select h.number, h.action, h.text, h.version, h."actorId", (extract(epoch from h.at) * 1000)::float8 as at
         from "CommentChange" h join "Comment" c on c.id = h."commentId"
         where c.id = $1 and c."threadId" = $2 and ($3::int4 is null or h.number < $3) order by h.number desc limit $4`,
        [commentId, threadId, before, limit],
      )
      if (rows.length === 0 && before === null) throw missing()
      return rows.map((row) => ({ ...row, at: Math.round(row.at) }))
    },

    edit: (one, given, version) =>
      change(one, 'comment_edit', async (client, comment) => {
        const text = cleanText(given)
        onlyTheAuthor(comment, one.actorId)
        if (comment.deletedAt !== null) throw deleted()
        if (comment.text === text) return false
        if (comment.version !== version)
          throw new Fault(
            'conflict',
            'This comment was changed meanwhile.',
            'Look at what it says now, then save yours over it or leave it.',
            { version: comment.version },
          )
        await client.query(
          `update "Comment" set text = $2, version = version + 1, "editedAt" = clock_timestamp() where id = $1`,
          [comment.id, text],
        )
        await record(client, { id: comment.id, version: version + 1 }, 'edited', text, one.actorId)
        return true
      }),

    remove: (one) =>
      change(one, 'comment_delete', async (client, comment) => {
        onlyTheAuthor(comment, one.actorId)
        if (comment.deletedAt !== null) return false
        await client.query(
          `update "Comment" set text = '', version = version + 1, "deletedAt" = clock_timestamp() where id = $1`,
          [comment.id],
        )
        await record(client, { id: comment.id, version: comment.version + 1 }, 'deleted', null, one.actorId)
        return true
      }),

    resolve: (one, resolved) =>
      change(one, resolved ? 'comment_resolve' : 'comment_reopen', async (client, comment) => {
        if (comment.replyTo !== null)
          throw new Fault('bad_input', 'An answer cannot be resolved by itself.', 'Resolve what it answers.')
        if ((comment.resolvedAt !== null) === resolved) return false
        await client.query(
          `update "Comment" set "resolvedAt" = case when $2 then clock_timestamp() end,
             "resolvedBy" = case when $2 then $3 end where id = $1`,
          [comment.id, resolved, one.actorId],
        )
        await record(client, comment, resolved ? 'resolved' : 'reopened', null, one.actorId)
        return true
      }),

    withChanges: async (threadId, after, limit) => {
      const rows = await db.query<CommentRow & { changes: CommentChange[] }>(
        `select ${columns}, h.changes from "Comment" c cross join lateral (
           select json_agg(json_build_object('number', h.number, 'action', h.action, 'text', h.text, 'version', h.version,
             'actorId', h."actorId", 'at', (extract(epoch from h.at) * 1000)::float8) order by h.number) as changes
           from "CommentChange" h where h."commentId" = c.id) h
         where c."threadId" = $1 and ($2::text is null or c.id > $2) order by c.id limit $3`,
        [threadId, after, limit],
      )
      return rows.map(({ changes, ...row }) => ({ comment: toComment(row), changes: changes ?? [] }))
    },
  }
}
