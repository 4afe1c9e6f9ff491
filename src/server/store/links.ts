/**
 * Public links: a token of 256 random bits, of which only the SHA-256 is kept, what it opens, and who opened it. The page
 * of a copy lies beside it in pieces. A link ends with its thread, and opens nothing while its maker is no member.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import type { LinkOpening, PublicLink } from '../../protocol/link.ts'
import { cleanText } from './append.ts'
import { auditQuery } from './audit.ts'
import type { Db } from './db.ts'
import type { LinkStore, OpenLink } from './link-types.ts'

const form = /^[A-Za-z0-9_-]{43}$/
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Open links that one thread may have. */
const maxOpen = 100
/** Openings that are listed of one link, and kept at most. */
const maxListed = 200
const maxKept = 5_000

type Row = Omit<OpenLink, 'createdAt' | 'expiresAt' | 'revokedAt' | 'openedAt' | 'fromSeq' | 'toSeq'> &
  Record<'createdAt', Date> &
  Record<'expiresAt' | 'revokedAt' | 'openedAt', Date | null> & { fromSeq: string; toSeq: string | null }

const isOpen = `l."revokedAt" is null and (l."expiresAt" is null or l."expiresAt" > now())
  and exists (select 1 from "Member" m where m."userId" = l."createdBy" and not m.disabled)`

const columns = `l.id, l."threadId", l.hint, l.title, l."createdBy", l."createdAt", l."expiresAt", l."revokedAt",
  l."revokedBy", l.live, l."fromSeq", l."toSeq", l."fromStep", l."toStep", l.shows, l.redaction, l.opened, l."openedAt",
  case when l."revokedAt" is not null then 'revoked' when ${isOpen} then 'open' else 'expired' end as state`

const toOpen = (row: Row): OpenLink => ({
  ...row,
  createdAt: row.createdAt.getTime(),
  expiresAt: row.expiresAt?.getTime() ?? null,
  revokedAt: row.revokedAt?.getTime() ?? null,
  openedAt: row.openedAt?.getTime() ?? null,
  fromSeq: Number(row.fromSeq),
  toSeq: row.toSeq === null ? null : Number(row.toSeq),
})

const toLink = (row: Row): PublicLink => {
  const { fromSeq: _from, toSeq: _to, ...link } = toOpen(row)
  return link
}

export const createLinkStore = (db: Db): LinkStore => {
  const listeners = new Set<(linkId: string) => void>()
  return {
    create: async (given, actorId) => {
      const id = newId('lnk')
      const token = randomBytes(32).toString('base64url')
      const row = await db.transaction(async (client) => {
        await client.query(`select 1 from "Thread" where id = $1 for update`, [given.threadId])
        const { rows: known } = await client.query<{ n: number }>(
          `select count(*)::int4 as n from "PublicLink" l where l."threadId" = $1 and ${isOpen}`,
          [given.threadId],
        )
        if ((known[0]?.n ?? 0) >= maxOpen)
          throw new Fault('limit_reached', `A thread has at most ${maxOpen} open links.`, 'Revoke one first.')
        await client.query(
          `insert into "PublicLink" (id, "threadId", "tokenHash", hint, "createdBy", "expiresAt", live, title, "fromSeq",
             "toSeq", "fromStep", "toStep", shows, redaction)
           values ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 millisecond', $7, $8, $9, $10, $11, $12, $13, $14)`,
          [
            ...[id, given.threadId, hashOf(token), token.slice(-4), actorId, given.expiresInMs, given.live],
            ...[
              cleanText(given.title),
              given.fromSeq,
              given.toSeq,
              given.fromStep,
              given.toStep,
              given.shows,
            ],
            given.redaction,
          ],
        )
        let idx = 0
        for await (const bytes of given.pages) {
          await client.query(`insert into "PublicLinkPage" ("linkId", idx, bytes) values ($1, $2, $3)`, [
            ...[id, idx, Buffer.from(bytes)],
          ])
          idx += 1
        }
        await auditQuery(client, {
          ...{ actorId, action: 'link.create', targetType: 'thread', targetId: given.threadId },
          details: {
            ...{ linkId: id, live: given.live, from: given.fromStep, to: given.toStep, shows: given.shows },
            ...{ redaction: given.redaction, expiresInMs: given.expiresInMs },
          },
        })
        const { rows } = await client.query<Row>(`select ${columns} from "PublicLink" l where l.id = $1`, [
          id,
        ])
        return rows[0]
      })
      if (!row) throw new Fault('internal', 'The link was not stored.', 'Try again.')
      return { link: toLink(row), token }
    },

    open: async (token) => {
      if (!form.test(token)) return null
      const rows = await db.query<Row>(
        `select ${columns} from "PublicLink" l where l."tokenHash" = $1 and ${isOpen}`,
        [hashOf(token)],
      )
      return rows[0] ? toOpen(rows[0]) : null
    },

    alive: async (linkIds) => {
      const rows = await db.query<{ id: string; head: string }>(
        `select l.id, p.head from "PublicLink" l join "ThreadProjection" p on p."threadId" = l."threadId"
         where l.id = any($1) and ${isOpen}`,
        [linkIds],
      )
      return new Map(rows.map(({ id, head }) => [id, Number(head)]))
    },

    async *page(linkId) {
      for (let idx = 0; ; idx += 1) {
        const rows = await db.query<{ bytes: Buffer }>(
          `select bytes from "PublicLinkPage" where "linkId" = $1 and idx = $2`,
          [linkId, idx],
        )
        if (!rows[0]) return
        yield rows[0].bytes
      }
    },

    opened: async (linkId, { userId, agent }) => {
      await db.query(
        `with counted as (update "PublicLink" set opened = opened + 1, "openedAt" = now() where id = $1 returning opened)
         insert into "PublicLinkOpening" ("linkId", "userId", agent)
         select $1, $2, $3 from counted where opened <= ${maxKept}`,
        [linkId, userId, cleanText(agent).slice(0, 200)],
      )
    },

    ofThread: async (threadId) => {
      const rows = await db.query<Row>(
        `select ${columns} from "PublicLink" l where l."threadId" = $1 order by l."createdAt" desc, l.id desc limit 500`,
        [threadId],
      )
      return rows.map(toLink)
    },

    list: async ({ madeBy, cursor, limit }) => {
      const rows = await db.query<Row>(
        `select ${columns} from "PublicLink" l
         where ($1::text is null or l."createdBy" = $1) and ($2::text is null or l.id < $2)
         order by l.id desc limit $3`,
        [madeBy, cursor, limit],
      )
      return rows.map(toLink)
    },

    openings: async (linkId) => {
      const rows = await db.query<Omit<LinkOpening, 'at'> & { at: Date }>(
        `select at, "userId", agent from "PublicLinkOpening" where "linkId" = $1 order by id desc limit ${maxListed}`,
        [linkId],
      )
      return rows.map(({ at, ...rest }) => ({ ...rest, at: at.getTime() }))
    },

    revoke: async (linkId, threadId, actorId) => {
      const { row, isNew } = await db.transaction(async (client) => {
        const { rows: changed } = await client.query<{ threadId: string }>(
          `update "PublicLink" set "revokedAt" = now(), "revokedBy" = $3
           where id = $1 and ($2::text is null or "threadId" = $2) and "revokedAt" is null returning "threadId"`,
          [linkId, threadId, actorId],
        )
        const [first] = changed
        if (first)
          await auditQuery(client, {
            ...{ actorId, action: 'link.revoke', targetType: 'thread', targetId: first.threadId },
            details: { linkId },
          })
        const { rows } = await client.query<Row>(
          `select ${columns} from "PublicLink" l where l.id = $1 and ($2::text is null or l."threadId" = $2)`,
          [linkId, threadId],
        )
        return { row: rows[0], isNew: first !== undefined }
      })
      if (isNew) for (const listener of listeners) listener(linkId)
      return row ? toLink(row) : null
    },

    onRevoke: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
