/**
 * Who sees a thread, and as what: its owner, those it is shared with, the team. What this says is asked anew for every
 * call and each second of a stream; nothing here decides what a role may do.
 */
import { type SharedRole, type ThreadPerson, type ThreadRole, threadRoles } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { auditQuery } from './audit.ts'
import type { Db, Queryable } from './db.ts'
import { memberOf } from './members.ts'
import type { SharingStore, ThreadAccess, ThreadAudience } from './people-types.ts'

const missing = (): Fault =>
  new Fault('not_found', 'There is no such thread.', 'Reload the page; it may have been deleted.')

type AccessRow = Omit<ThreadAccess, 'role'> & { given: SharedRole | null; teamRole: SharedRole | null }

/** A thread as its root says; `t` is the thread, `r` its root. */
const fromRoots = `from "Thread" t join "Thread" r on r.id = coalesce(t."rootThreadId", t.id)`

const higher = (a: SharedRole | null, b: SharedRole | null): SharedRole | null => {
  if (a === null || b === null) return a ?? b
  return threadRoles.indexOf(a) >= threadRoles.indexOf(b) ? a : b
}

/** What somebody is, by what stands in the tables. */
export const roleIn = ({ ownerId, teamRole, members }: ThreadAudience, userId: string): ThreadRole | null =>
  ownerId === userId ? 'owner' : higher(members.get(userId) ?? null, teamRole)

export const createSharingStore = (db: Db, changed: (threadIds: string[]) => void): SharingStore => {
  /** Changes of one thread's sharing go one after the other; gives the owner. */
  const inOrder = async (client: Queryable, threadId: string): Promise<string> => {
    const { rows } = await client.query<{ ownerId: string }>(
      `select "ownerId" from "Thread" where id = $1 and "rootThreadId" is null and not importing for update`,
      [threadId],
    )
    const ownerId = rows[0]?.ownerId
    if (ownerId === undefined) throw missing()
    return ownerId
  }

  const enabledMember = async (client: Queryable, userId: string) => {
    const member = await memberOf(client, userId)
    if (!member || member.disabled)
      throw new Fault('not_found', 'There is no such member of the team.', 'Choose somebody from the list.')
    return member
  }

  /** Of a root and its agents, whose documents in the index follow. */
  const giveTo = (client: Queryable, threadIds: string[], userId: string) =>
    client.query(`update "Thread" set "ownerId" = $2 where id = any($1) or "rootThreadId" = any($1)`, [
      threadIds,
      userId,
    ])

  return {
    audiences: async (threadIds) => {
      const rows = await db.query<
        Omit<ThreadAudience, 'members'> & { members: [string, SharedRole][] | null }
      >(
        `select t.id as "threadId", r.id as "rootThreadId", r."ownerId", r."teamRole",
           (select json_agg(json_build_array(m."userId", m.role)) from "ThreadMember" m where m."threadId" = r.id) as members
         ${fromRoots} where t.id = any($1) and not t.importing`,
        [threadIds],
      )
      return new Map(rows.map((row) => [row.threadId, { ...row, members: new Map(row.members ?? []) }]))
    },

    access: async (threadIds, userId) => {
      const rows = await db.query<AccessRow>(
        `select t.id as "threadId", r.id as "rootThreadId", r."ownerId", r."teamRole", m.role as given
         ${fromRoots} left join "ThreadMember" m on m."threadId" = r.id and m."userId" = $2
         where t.id = any($1) and not t.importing`,
        [threadIds, userId],
      )
      return new Map(
        rows.map(({ given, teamRole, ...row }) => [
          row.threadId,
          { ...row, role: row.ownerId === userId ? 'owner' : higher(given, teamRole) },
        ]),
      )
    },

    people: (threadId) =>
      db.query<ThreadPerson>(
        `select u.id as "userId", u.name, u.kind, case when u.kind = 'service' then '' else u.email end as email, p.role
         from (select r."ownerId" as "userId", 'owner' as role from "Thread" r where r.id = $1
           union all select m."userId", m.role from "ThreadMember" m where m."threadId" = $1) p
         join "User" u on u.id = p."userId" left join "Member" t on t."userId" = p."userId"
         where p.role = 'owner' or t."userId" is not null
         order by p.role = 'owner' desc, u.name, u.id`,
        [threadId],
      ),

    share: async (threadId, userId, role, actorId) => {
      await db.transaction(async (client) => {
        const ownerId = await inOrder(client, threadId)
        if (userId === ownerId)
          throw new Fault(
            'conflict',
            'The owner’s role cannot be changed.',
            'Hand the thread over to somebody else.',
          )
        const { rows } = await client.query<{ role: SharedRole }>(
          `select role from "ThreadMember" where "threadId" = $1 and "userId" = $2`,
          [threadId, userId],
        )
        const before = rows[0]?.role ?? null
        if (before === role) return
        if (role === null)
          await client.query(`delete from "ThreadMember" where "threadId" = $1 and "userId" = $2`, [
            threadId,
            userId,
          ])
        else {
          await enabledMember(client, userId)
          await client.query(
            `insert into "ThreadMember" ("threadId", "userId", role, "addedBy") values ($1, $2, $3, $4)
             on conflict ("threadId", "userId") do update set role = excluded.role`,
            [threadId, userId, role, actorId],
          )
        }
        await auditQuery(client, {
          ...{ actorId, action: role === null ? 'thread.unshare' : 'thread.share' },
          ...{ targetType: 'thread', targetId: threadId, details: { userId, from: before, to: role } },
        })
      })
      changed([threadId])
    },

    shareWithTeam: async (threadId, role, actorId) => {
      await db.transaction(async (client) => {
        await inOrder(client, threadId)
        const { rowCount } = await client.query(
          `update "Thread" set "teamRole" = $2 where id = $1 and "teamRole" is distinct from $2`,
          [threadId, role],
        )
        if (rowCount !== 1) return
        await auditQuery(client, {
          ...{ actorId, action: role === null ? 'thread.unshare' : 'thread.share' },
          ...{ targetType: 'thread', targetId: threadId, details: { team: true, to: role } },
        })
      })
      changed([threadId])
    },

    handOver: async (threadId, toUserId, keep, actorId) => {
      await db.transaction(async (client) => {
        const from = await inOrder(client, threadId)
        if (from === toUserId)
          throw new Fault('conflict', 'This thread is theirs already.', 'Reload the page.')
        const member = await enabledMember(client, toUserId)
        if (member.role === 'viewer')
          throw new Fault(
            'forbidden',
            'A viewer of the team cannot own a thread.',
            'Give them another role in the team first, or choose somebody else.',
          )
        await giveTo(client, [threadId], toUserId)
        await client.query(`delete from "ThreadMember" where "threadId" = $1 and "userId" = $2`, [
          threadId,
          toUserId,
        ])
        if (keep !== null && (await memberOf(client, from)) !== null)
          await client.query(
            `insert into "ThreadMember" ("threadId", "userId", role, "addedBy") values ($1, $2, $3, $4)`,
            [threadId, from, keep, actorId],
          )
        await auditQuery(client, {
          ...{ actorId, action: 'thread.hand_over', targetType: 'thread', targetId: threadId },
          details: { from, to: toUserId, keep },
        })
      })
      changed([threadId])
    },

    handOverAll: async (fromUserId, toUserId, actorId) => {
      const threadIds = await db.transaction(async (client) => {
        const member = await enabledMember(client, toUserId)
        if (member.role === 'viewer')
          throw new Fault('forbidden', 'A viewer of the team cannot own a thread.', 'Choose somebody else.')
        const { rows } = await client.query<{ id: string }>(
          `select id from "Thread" where "ownerId" = $1 and "rootThreadId" is null and not importing for update`,
          [fromUserId],
        )
        const ids = rows.map(({ id }) => id)
        await giveTo(client, ids, toUserId)
        await client.query(`delete from "ThreadMember" where "threadId" = any($1) and "userId" = $2`, [
          ids,
          toUserId,
        ])
        for (const id of ids)
          await auditQuery(client, {
            ...{ actorId, action: 'thread.hand_over', targetType: 'thread', targetId: id },
            details: { from: fromUserId, to: toUserId, keep: null },
          })
        return ids
      })
      changed(threadIds)
      return threadIds.length
    },

    owned: async (userIds) => {
      const rows = await db.query<{ ownerId: string; n: number }>(
        `select "ownerId", count(*)::int4 as n from "Thread"
         where "ownerId" = any($1) and "rootThreadId" is null and not importing group by 1`,
        [userIds],
      )
      return new Map(rows.map(({ ownerId, n }) => [ownerId, n]))
    },
  }
}
