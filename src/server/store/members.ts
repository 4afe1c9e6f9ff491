/**
 * The team, its members, and the one-time links that let somebody in. Users themselves belong to the sign-in library.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { auditRow } from './audit.ts'
import { type Client, guarded } from './prisma.ts'
import type { Member, MemberRole, MemberStore } from './types.ts'

/** A fixed id makes "the one team" one row, however many processes start at once. */
const teamId = 'team_00000000-0000-7000-8000-000000000001'

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

type MemberRow = {
  userId: string
  role: string
  disabled: boolean
  user: { name: string; email: string }
}
const withUser = { user: { select: { name: true, email: true } } } as const

const toMember = (row: MemberRow): Member => ({
  userId: row.userId,
  name: row.user.name,
  email: row.user.email,
  role: row.role as MemberRole,
  disabled: row.disabled,
})

const invalid = (): Fault =>
  new Fault(
    'forbidden',
    'This link is not valid any more.',
    'Ask for a new link; it works once and for a limited time.',
  )

export const createMemberStore = (client: Client): MemberStore => {
  const team = () =>
    guarded('team', async () => {
      const known = await client.team.findUnique({ where: { id: teamId } })
      if (known) return known
      await client.team.createMany({ data: [{ id: teamId, name: 'Team' }], skipDuplicates: true })
      return client.team.findUniqueOrThrow({ where: { id: teamId } })
    })

  return {
    team: async () => {
      const { id, name } = await team()
      return { id, name }
    },

    get: (userId) =>
      guarded('member', async () => {
        const row = await client.member.findUnique({ where: { userId }, include: withUser })
        return row && !row.disabled ? toMember(row) : null
      }),

    list: () =>
      guarded('member', async () => {
        const rows = await client.member.findMany({ include: withUser, orderBy: { createdAt: 'asc' } })
        return rows.map(toMember)
      }),

    ofSessions: (sessionIds) =>
      guarded('member', async () => {
        const rows = await client.session.findMany({
          where: { id: { in: sessionIds }, expiresAt: { gt: new Date() } },
          select: { id: true, user: { select: { name: true, email: true, member: true } } },
        })
        return new Map(
          rows.flatMap(({ id, user }) =>
            user.member && !user.member.disabled ? [[id, toMember({ ...user.member, user })] as const] : [],
          ),
        )
      }),

    count: () => guarded('member', () => client.member.count()),

    add: async (userId, role) => {
      const { id } = await team()
      return guarded('user', async () =>
        toMember(
          await client.member.upsert({
            where: { userId },
            create: { userId, role, teamId: id },
            update: { role, disabled: false },
            include: withUser,
          }),
        ),
      )
    },

    makeInvite: async (kind, role, expiresInMs) => {
      const { id } = await team()
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(Date.now() + expiresInMs)
      await guarded('invite', () =>
        client.$transaction([
          client.invite.deleteMany({ where: { kind, role, usedAt: null } }),
          client.invite.create({
            data: { id: newId('inv'), teamId: id, kind, role, tokenHash: hashOf(token), expiresAt },
          }),
        ]),
      )
      return { token }
    },

    checkInvite: (token) =>
      guarded('invite', async () => {
        const row = await client.invite.findUnique({ where: { tokenHash: hashOf(token) } })
        if (!row || row.usedAt !== null || row.expiresAt.getTime() < Date.now()) return null
        return { kind: row.kind as 'setup' | 'member', role: row.role as MemberRole }
      }),

    redeemInvite: (token, userId) =>
      guarded('user', () =>
        client.$transaction(async (tx) => {
          const tokenHash = hashOf(token)
          const used = await tx.invite.updateMany({
            where: { tokenHash, usedAt: null, expiresAt: { gt: new Date() } },
            data: { usedAt: new Date(), usedBy: userId },
          })
          if (used.count !== 1) throw invalid()
          const invite = await tx.invite.findUniqueOrThrow({ where: { tokenHash } })
          if (invite.kind === 'setup' && (await tx.member.count()) > 0) throw invalid()
          const member = await tx.member.create({
            data: { userId, role: invite.role, teamId: invite.teamId },
            include: withUser,
          })
          await auditRow(tx, {
            actorId: userId,
            action: 'member.join',
            targetType: 'member',
            targetId: userId,
            details: { role: invite.role, by: invite.kind },
          })
          return toMember(member)
        }),
      ),
  }
}
