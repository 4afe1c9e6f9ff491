/**
 * The team and its members. A team always has an owner who can sign in: whatever would take the last one is refused.
 * Users themselves belong to the sign-in library.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { PersonName, TeamMember, TeamRole } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { cleanText } from './append.ts'
import { auditQuery } from './audit.ts'
import type { Db, Queryable } from './db.ts'
import type { Member, MemberStore } from './people-types.ts'

/** A fixed id makes "the one team" one row, however many processes start at once. */
const teamId = 'team_00000000-0000-7000-8000-000000000001'

/** Accounts of scripts have an address that no mail reaches and nobody can sign in with. */
const serviceEmail = (userId: string): string => `${userId}@service.invalid`

const columns = `m."userId", u.kind, u.name, case when u.kind = 'service' then '' else u.email end as email, m.role,
  m.disabled`

const fromMember = `from "Member" m join "User" u on u.id = m."userId" where m."userId" = $1`

/** Disabled or not; null when the user is no member. */
export const memberOf = async (client: Queryable, userId: string): Promise<Member | null> =>
  (await client.query<Member>(`select ${columns} ${fromMember}`, [userId])).rows[0] ?? null

const noMember = (): Fault =>
  new Fault('not_found', 'There is no such member.', 'Reload the list; somebody may have removed them.')

/** Changes of members go one after the other, so that two at once cannot take the last two owners. */
const inOrder = (client: Queryable) => client.query(`select 1 from "Team" where id = $1 for update`, [teamId])

const keepAnOwner = async (client: Queryable): Promise<void> => {
  const { rows } = await client.query(
    `select 1 from "Member" m join "User" u on u.id = m."userId" and u.kind = 'person'
     where m.role = 'owner' and not m.disabled limit 1`,
  )
  if (rows.length === 0)
    throw new Fault(
      'conflict',
      'A team needs an owner who can sign in, and this is the last one.',
      'Make somebody else an owner first.',
    )
}

const endSessions = async (client: Queryable, userId: string): Promise<void> => {
  await client.query(`delete from "Session" where "userId" = $1`, [userId])
}

export const createMemberStore = (db: Db): MemberStore => {
  const team = async (): Promise<{ id: string; name: string }> => {
    await db.query(`insert into "Team" (id, name) values ($1, 'Team') on conflict do nothing`, [teamId])
    const [row] = await db.query<{ id: string; name: string }>(`select id, name from "Team" where id = $1`, [
      teamId,
    ])
    return row ?? { id: teamId, name: 'Team' }
  }

  const find = async (userId: string): Promise<Member | null> =>
    (await db.query<Member>(`select ${columns} ${fromMember}`, [userId]))[0] ?? null

  /** One change of a member that leaves an owner. */
  const change = (
    userId: string,
    work: (client: Queryable, before: Member) => Promise<void>,
  ): Promise<Member> =>
    db.transaction(async (client) => {
      await inOrder(client)
      const before = await memberOf(client, userId)
      if (!before) throw noMember()
      await work(client, before)
      await keepAnOwner(client)
      return (await memberOf(client, userId)) ?? before
    })

  return {
    team,
    find,
    get: async (userId) => {
      const member = await find(userId)
      return member && !member.disabled ? member : null
    },

    list: async () => {
      const rows = await db.query<
        Omit<TeamMember, 'joinedAt' | 'lastSeenAt'> & { joinedAt: Date; seen: Date | null }
      >(
        `select ${columns}, m."createdAt" as "joinedAt", greatest(
           (select max(s."updatedAt") from "Session" s where s."userId" = m."userId"),
           (select max(k."lastUsedAt") from "ApiToken" k where k."userId" = m."userId")) as seen
         from "Member" m join "User" u on u.id = m."userId" order by m."createdAt", m."userId"`,
      )
      return rows.map(({ joinedAt, seen, ...row }) => ({
        ...row,
        joinedAt: joinedAt.getTime(),
        lastSeenAt: seen?.getTime() ?? null,
      }))
    },

    names: (userIds) =>
      db.query<PersonName>(`select id, name, kind from "User" where id = any($1) order by id`, [userIds]),

    ofSessions: async (sessionIds) => {
      const rows = await db.query<Member & { sessionId: string }>(
        `select s.id as "sessionId", ${columns} from "Session" s join "User" u on u.id = s."userId" and u.kind = 'person'
         join "Member" m on m."userId" = u.id
         where s.id = any($1) and s."expiresAt" > now() and not m.disabled`,
        [sessionIds],
      )
      return new Map(rows.map(({ sessionId, ...member }) => [sessionId, member]))
    },

    count: async () => {
      const [row] = await db.query<{ n: number }>(`select count(*)::int4 as n from "Member"`)
      return row?.n ?? 0
    },

    add: async (userId, role) => {
      const { id } = await team()
      await db.query(
        `insert into "Member" ("userId", "teamId", role) values ($1, $2, $3)
         on conflict ("userId") do update set role = excluded.role, disabled = false`,
        [userId, id, role],
      )
      const member = await find(userId)
      if (!member) throw noMember()
      return member
    },

    join: async (userId, role, by) => {
      const { id } = await team()
      return db.transaction(async (client) => {
        const { rowCount } = await client.query(
          `insert into "Member" ("userId", "teamId", role) select $1, $2, $3 where not exists (select 1 from "Audit" a
             where a."targetType" = 'member' and a."targetId" = $1 and a.action in ('member.remove', 'member.leave'))
           on conflict do nothing`,
          [userId, id, role],
        )
        if (rowCount !== 1) return null
        await auditQuery(client, {
          ...{ actorId: userId, action: 'member.join', targetType: 'member', targetId: userId },
          details: { role, by },
        })
        return memberOf(client, userId)
      })
    },

    gone: () =>
      db.query(
        `select u.id as "userId", u.name, count(*)::int4 as threads from "Thread" t join "User" u on u.id = t."ownerId"
         left join "Member" m on m."userId" = u.id
         where m."userId" is null and t."rootThreadId" is null and not t.importing group by u.id, u.name order by u.name, u.id`,
      ),

    makeInvite: async (kind, role, expiresInMs) => {
      const { id } = await team()
      const token = randomBytes(32).toString('base64url')
      const tokenHash = createHash('sha256').update(token).digest('hex')
      await db.transaction(async (client) => {
        await client.query(`delete from "Invite" where kind = $1 and "usedAt" is null`, [kind])
        await client.query(
          `insert into "Invite" (id, "teamId", kind, role, "tokenHash", "expiresAt")
           values ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 millisecond')`,
          [newId('inv'), id, kind, role, tokenHash, expiresInMs],
        )
      })
      return { token }
    },

    setRole: (userId, role, actorId) =>
      change(userId, async (client, before) => {
        if (before.role === role) return
        await client.query(`update "Member" set role = $2 where "userId" = $1`, [userId, role])
        await auditQuery(client, {
          ...{ actorId, action: 'member.role', targetType: 'member', targetId: userId },
          details: { from: before.role, to: role },
        })
      }),

    setDisabled: (userId, disabled, actorId) =>
      change(userId, async (client, before) => {
        if (disabled) await endSessions(client, userId)
        if (before.disabled === disabled) return
        await client.query(`update "Member" set disabled = $2 where "userId" = $1`, [userId, disabled])
        await auditQuery(client, {
          ...{ actorId, action: disabled ? 'member.disable' : 'member.enable' },
          ...{ targetType: 'member', targetId: userId },
        })
      }),

    remove: async (userId, actorId) => {
      await change(userId, async (client, before) => {
        await endSessions(client, userId)
        await client.query(
          `update "ApiToken" set "revokedAt" = now(), "revokedBy" = $2 where "userId" = $1 and "revokedAt" is null`,
          [userId, actorId],
        )
        await client.query(`delete from "ThreadMember" where "userId" = $1`, [userId])
        await client.query(`delete from "Member" where "userId" = $1`, [userId])
        await auditQuery(client, {
          ...{ actorId, action: actorId === userId ? 'member.leave' : 'member.remove' },
          ...{ targetType: 'member', targetId: userId, details: { role: before.role, name: before.name } },
        })
      })
    },

    createService: async ({ name, role }: { name: string; role: TeamRole }, actorId) => {
      const userId = newId('usr')
      const { id } = await team()
      return db.transaction(async (client) => {
        await client.query(
          `insert into "User" (id, name, email, "emailVerified", kind) values ($1, $2, $3, false, 'service')`,
          [userId, cleanText(name), serviceEmail(userId)],
        )
        await client.query(`insert into "Member" ("userId", "teamId", role) values ($1, $2, $3)`, [
          userId,
          id,
          role,
        ])
        await auditQuery(client, {
          ...{ actorId, action: 'service.create', targetType: 'member', targetId: userId },
          details: { name, role },
        })
        const member = await memberOf(client, userId)
        if (!member) throw noMember()
        return member
      })
    },
  }
}
