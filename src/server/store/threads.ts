/**
 * Thread rows and their projections: what lists read and what a thread opens with. Title, pin and archive mark are
 * ordinary columns with an audit row; the rest is derived from the log and written by appends.
 */
import { Fault } from '../../protocol/error.ts'
import { rootAgent } from '../../protocol/note.ts'
import { noLandmarks, type ThreadProjection } from '../../protocol/thread.ts'
import { cleanText, storableJson } from './append.ts'
import { auditQuery } from './audit.ts'
import { collectBlobs } from './blobs.ts'
import type { Db, Queryable } from './db.ts'
import type { ThreadOrigin } from './import-types.ts'
import type { ThreadAgent, ThreadSeed, ThreadState, ThreadStore } from './types.ts'
import { visibleTo } from './visible.ts'

const defaultLimit = 200

type ProjectionRow = {
  id: string
  projectId: string
  projectName: string
  ownerId: string
  title: string
  pinned: boolean
  archived: boolean
  createdAt: number
  state: ThreadState
}

const select = `select t.id, t."projectId", pr.name as "projectName", t."ownerId", t.title, t.pinned, t.archived,
    (extract(epoch from t."createdAt") * 1000)::float8 as "createdAt", p.state
  from "Thread" t join "ThreadProjection" p on p."threadId" = t.id and not t.importing
    join "Project" pr on pr.id = t."projectId"`

const agentColumns = `t.id as "threadId", coalesce(t."rootThreadId", t.id) as "rootThreadId", t."parentThreadId",
    coalesce(t."agentPath", '${rootAgent}') as "agentPath", t."ownerId"`

const toProjection = ({ state, createdAt, ...row }: ProjectionRow): ThreadProjection => ({
  ...state,
  // Rows of before there was more than one window lack these.
  pinnedItems: state.pinnedItems ?? [],
  landmarks: { ...noLandmarks, ...state.landmarks },
  ...row,
  createdAt: Math.round(createdAt),
})

const missing = (): Fault =>
  new Fault('not_found', 'There is no such thread.', 'Reload the page; it may have been deleted.')

const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`

const audit = (client: Queryable, actorId: string, action: string, threadId: string, details: object) =>
  auditQuery(client, { actorId, action, targetType: 'thread', targetId: threadId, details: { ...details } })

/** `told`: says that what lists show of these threads changed. */
export const createThreadStore = (db: Db): ThreadStore & { told(threadIds: string[]): void } => {
  const listeners = new Set<(threadId: string) => void>()
  const changed = (threadId: string): void => {
    for (const listener of listeners) listener(threadId)
  }

  const many = async (threadIds: string[]): Promise<ThreadProjection[]> => {
    const rows = await db.query<ProjectionRow>(`${select} where t.id = any($1)`, [threadIds])
    return rows.map(toProjection)
  }

  const get = async (threadId: string): Promise<ThreadProjection> => {
    const [found] = await many([threadId])
    if (!found) throw missing()
    return found
  }

  const change = async (
    threadId: string,
    column: 'title' | 'pinned' | 'archived',
    value: string | boolean,
    actorId: string,
    action: string,
  ): Promise<ThreadProjection> => {
    await db.transaction(async (client) => {
      const { rowCount } = await client.query(`update "Thread" set ${column} = $2 where id = $1`, [
        threadId,
        value,
      ])
      if (rowCount !== 1) throw missing()
      await audit(client, actorId, action, threadId, { [column]: value })
    })
    changed(threadId)
    return get(threadId)
  }

  return {
    told: (threadIds) => threadIds.forEach(changed),

    list: async ({
      ownerId,
      visibleTo: reader,
      projectId,
      search,
      archived = false,
      limit = defaultLimit,
    }) => {
      const rows = await db.query<ProjectionRow>(
        `${select} where t.archived = $1 and t."rootThreadId" is null and ($2::text is null or t."projectId" = $2)
           and ($3::text is null or t.title ilike $3 or p."lastLine" ilike $3)
           and ($5::text is null or t."ownerId" = $5) and ($6::text is null or ${visibleTo('$6')})
         order by t.pinned desc, p."updatedAt" desc, t.id desc limit $4`,
        [
          ...[archived, projectId ?? null, search ? likePattern(search) : null, limit, ownerId ?? null],
          reader ?? null,
        ],
      )
      return rows.map(toProjection)
    },

    get,
    many,
    rename: (threadId, title, actorId) =>
      change(threadId, 'title', cleanText(title), actorId, 'thread.rename'),
    pin: (threadId, pinned, actorId) => change(threadId, 'pinned', pinned, actorId, 'thread.pin'),
    archive: (threadId, archived, actorId) =>
      change(threadId, 'archived', archived, actorId, 'thread.archive'),

    remove: async (threadId, actorId) => {
      await db.transaction(async (client) => {
        // The lease first: an append that runs holds it, and none can begin after.
        await client.query(`select 1 from "ThreadLease" where "threadId" = $1 for update`, [threadId])
        const { rows } = await client.query<{ hash: string }>(
          `with gone as (select id from "Thread" where id = $1 or "rootThreadId" = $1)
           select hash from "BlobRef" where "threadId" in (select id from gone) union
           select b."wireHash" from "WindowBlock" b join "Window" w on w.id = b."windowId"
             where w."threadId" in (select id from gone)`,
          [threadId],
        )
        const { rows: gone } = await client.query<{ title: string }>(
          `delete from "Thread" where id = $1 returning title`,
          [threadId],
        )
        if (gone.length === 0) throw missing()
        await collectBlobs(
          client,
          rows.map((row) => row.hash),
        )
        await audit(client, actorId, 'thread.delete', threadId, { title: gone[0]?.title ?? '' })
      })
      changed(threadId)
    },

    create: async (input) => {
      const { threadId, projectId, ownerId, title, fromThreadId, seed, agent, lease, first, state } = input
      await db.transaction(async (client) => {
        await client.query(
          `insert into "Thread" (id, "projectId", "ownerId", title, "fromThreadId", seed, "createdAt", "idMask",
             imported, importing, "parentThreadId", "rootThreadId", "agentPath")
           values ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000), $8, $9, $10, $11, $12, $13)`,
          [
            threadId,
            projectId,
            ownerId,
            cleanText(title),
            fromThreadId,
            seed && JSON.stringify(seed),
            first.at,
            input.idMask ?? null,
            input.imported === undefined ? null : storableJson(input.imported),
            input.imported !== undefined,
            ...[agent?.parentThreadId ?? null, agent?.rootThreadId ?? null, agent?.agentPath ?? null],
          ],
        )
        const hashes = seed === null ? [] : seed.type === 'upload' ? [seed.hash] : seed.packs
        await client.query(
          `insert into "BlobRef" ("threadId", hash) select distinct $1, h from unnest($2::text[]) h`,
          [threadId, hashes],
        )
        await client.query(`insert into "ThreadLease" ("threadId", "ownerId", fence) values ($1, $2, 1)`, [
          threadId,
          lease.ownerId,
        ])
        await client.query(
          `insert into "ThreadProjection" ("threadId", status, sandbox, head, "lastLine", state, "updatedAt")
           values ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000))`,
          [
            threadId,
            state.status,
            state.sandbox,
            state.head,
            cleanText(state.lastLine),
            storableJson(state),
            state.updatedAt,
          ],
        )
        await client.query(
          `insert into "Event" ("threadId", seq, type, "windowId", "actorId", at, body)
           values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), $7)`,
          [
            threadId,
            first.seq,
            first.type,
            first.windowId,
            first.actorId,
            first.at,
            JSON.stringify(first.body),
          ],
        )
        await audit(client, first.actorId, 'thread.create', threadId, { title })
      })
      changed(threadId)
    },

    name: async (threadId, title) => {
      await db.query(`update "Thread" set title = $2 where id = $1`, [threadId, cleanText(title)])
    },

    reveal: async (threadIds) => {
      await db.query(`update "Thread" set importing = false where id = any($1) and importing`, [threadIds])
      for (const threadId of threadIds) changed(threadId)
    },

    origin: async (threadId) => {
      const rows = await db.query<{ imported: ThreadOrigin | null }>(
        `select imported from "Thread" where id = $1`,
        [threadId],
      )
      return rows[0]?.imported ?? null
    },

    seed: async (threadId) => {
      const rows = await db.query<{ seed: ThreadSeed | null }>(`select seed from "Thread" where id = $1`, [
        threadId,
      ])
      return rows[0]?.seed ?? null
    },

    agents: (threadIds) =>
      db.query<ThreadAgent>(`select ${agentColumns} from "Thread" t where t.id = any($1)`, [threadIds]),

    agentNamed: async (rootThreadId, agentPath) => {
      const rows = await db.query<ThreadAgent>(
        `select ${agentColumns} from "Thread" t where case when $2 = '${rootAgent}' then t.id = $1
           else t."rootThreadId" = $1 and t."agentPath" = $2 end`,
        [rootThreadId, agentPath],
      )
      return rows[0] ?? null
    },

    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
