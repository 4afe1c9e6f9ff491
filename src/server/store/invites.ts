/**
 * Links that let somebody in, once and for a limited time. Of their secret only the SHA-256 is kept; used and revoked ones
 * stay, so that whoever holds one is told what became of it.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Invite, InviteState, TeamRole } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { auditQuery } from './audit.ts'
import type { Db } from './db.ts'
import { memberOf } from './members.ts'
import type { InviteStore } from './people-types.ts'

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

type Row = {
  id: string
  kind: 'setup' | 'member'
  teamId: string
  email: string | null
  role: TeamRole
  expiresAt: Date
  createdAt: Date
  createdBy: string | null
  usedAt: Date | null
  usedBy: string | null
  revokedAt: Date | null
}

const columns = `i.id, i.kind, i."teamId", i.email, i.role, i."expiresAt", i."createdAt", i."createdBy", i."usedAt",
  i."usedBy", i."revokedAt"`

/** The database's clock decides: `now` is what it says. */
const stateOf = (row: Row, now: Date): InviteState =>
  row.usedAt ? 'used' : row.revokedAt ? 'revoked' : row.expiresAt <= now ? 'expired' : 'open'

const toInvite = (row: Row & { now: Date }): Invite => ({
  id: row.id,
  email: row.email,
  role: row.role,
  state: stateOf(row, row.now),
  expiresAt: row.expiresAt.getTime(),
  createdAt: row.createdAt.getTime(),
  createdBy: row.createdBy,
  usedAt: row.usedAt?.getTime() ?? null,
  usedBy: row.usedBy,
})

/** Why a link does not let anybody in; every reason says what to do. */
export const inviteFault = (state: InviteState | 'unknown'): Fault =>
  ({
    open: () => new Fault('conflict', 'This link is still open.', 'Try again.', { state }),
    used: () =>
      new Fault(
        'conflict',
        'This link was used already; it works once.',
        'Sign in if it was you, or ask for a new one.',
        { state },
      ),
    revoked: () => new Fault('forbidden', 'This link was revoked.', 'Ask for a new one.', { state }),
    expired: () =>
      new Fault('forbidden', 'This link has expired.', 'Ask for a new one; it works for a limited time.', {
        state,
      }),
    unknown: () =>
      new Fault(
        'forbidden',
        'This link is not valid.',
        'Check that it was copied whole, or ask for a new one.',
        { state },
      ),
  })[state]()

const missing = (): Fault => new Fault('not_found', 'There is no such invitation.', 'Reload the list.')

export const createInviteStore = (db: Db, teamId: () => Promise<string>): InviteStore => {
  const one = async (inviteId: string): Promise<Invite> => {
    const [row] = await db.query<Row & { now: Date }>(
      `select ${columns}, now() as now from "Invite" i where i.id = $1 and i.kind = 'member'`,
      [inviteId],
    )
    if (!row) throw missing()
    return toInvite(row)
  }

  return {
    create: async ({ email, role, expiresInMs }, actorId) => {
      const id = newId('inv')
      const token = randomBytes(32).toString('base64url')
      const team = await teamId()
      await db.transaction(async (client) => {
        await client.query(
          `insert into "Invite" (id, "teamId", kind, role, email, "tokenHash", "expiresAt", "createdBy")
           values ($1, $2, 'member', $3, $4, $5, now() + $6::float8 * interval '1 millisecond', $7)`,
          [id, team, role, email, hashOf(token), expiresInMs, actorId],
        )
        await auditQuery(client, {
          ...{ actorId, action: 'invite.create', targetType: 'invite', targetId: id },
          details: { role, ...(email === null ? {} : { email }) },
        })
      })
      return { invite: await one(id), token }
    },

    list: async () => {
      const rows = await db.query<Row & { now: Date }>(
        `select ${columns}, now() as now from "Invite" i where i.kind = 'member' order by i."createdAt" desc, i.id desc limit 500`,
      )
      return rows.map(toInvite)
    },

    revoke: async (inviteId, actorId) => {
      await db.transaction(async (client) => {
        const { rowCount } = await client.query(
          `update "Invite" set "revokedAt" = now(), "revokedBy" = $2
           where id = $1 and kind = 'member' and "usedAt" is null and "revokedAt" is null`,
          [inviteId, actorId],
        )
        if (rowCount === 1)
          await auditQuery(client, {
            ...{ actorId, action: 'invite.revoke', targetType: 'invite', targetId: inviteId },
          })
      })
      return one(inviteId)
    },

    look: async (token) => {
      const [row] = await db.query<Row & { now: Date; teamName: string; invitedBy: string | null }>(
        `select ${columns}, now() as now, t.name as "teamName", u.name as "invitedBy" from "Invite" i
         join "Team" t on t.id = i."teamId" left join "User" u on u.id = i."createdBy" where i."tokenHash" = $1`,
        [hashOf(token)],
      )
      if (!row) return null
      const { kind, role, email, teamName, invitedBy, expiresAt } = row
      return {
        ...{ kind, role, email, teamName, invitedBy },
        state: stateOf(row, row.now),
        expiresAt: expiresAt.getTime(),
      }
    },

    redeem: (token, userId) =>
      db.transaction(async (client) => {
        const { rows } = await client.query<Row & { now: Date }>(
          `select ${columns}, now() as now from "Invite" i where i."tokenHash" = $1 for update`,
          [hashOf(token)],
        )
        const row = rows[0]
        if (!row) throw inviteFault('unknown')
        const known = await client.query<{ disabled: boolean; email: string }>(
          `select coalesce(m.disabled, false) as disabled, u.email from "User" u left join "Member" m on m."userId" = u.id
           where u.id = $1 and m."userId" is not null`,
          [userId],
        )
        if (known.rows[0]?.disabled)
          throw new Fault(
            'forbidden',
            'Your account is disabled; an invitation does not change that.',
            'Ask an administrator to enable it.',
          )
        const state = stateOf(row, row.now)
        if (state !== 'open') throw inviteFault(state)
        if (known.rows[0])
          throw new Fault(
            'conflict',
            'You are a member of this team already.',
            'Open Baton; the link stays unused.',
          )
        if (row.kind === 'setup') {
          // Two links, or two processes, make one first owner.
          await client.query(`select 1 from "Team" where id = $1 for update`, [row.teamId])
          const { rows: members } = await client.query(`select 1 from "Member" limit 1`)
          if (members.length > 0) throw inviteFault('revoked')
        }
        await client.query(`update "Invite" set "usedAt" = now(), "usedBy" = $2 where id = $1`, [
          row.id,
          userId,
        ])
        await client.query(`insert into "Member" ("userId", "teamId", role) values ($1, $2, $3)`, [
          userId,
          row.teamId,
          row.role,
        ])
        await auditQuery(client, {
          ...{ actorId: userId, action: 'member.join', targetType: 'member', targetId: userId },
          details: { role: row.role, by: row.kind, inviteId: row.id },
        })
        const member = await memberOf(client, userId)
        if (!member) throw missing()
        return member
      }),
  }
}
