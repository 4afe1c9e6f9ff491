/**
 * The words of who may do what: roles in the team and on a thread, scopes of tokens, and the shapes in which people,
 * invitations, sessions, tokens, audit rows and presence travel.
 */
import { z } from 'zod'
import { UserId } from './ids.ts'

/** From most to least. */
export const teamRoles = ['owner', 'admin', 'member', 'viewer'] as const
export const TeamRole = z.enum(teamRoles)
export type TeamRole = z.infer<typeof TeamRole>

/** From least to most. A thread has one owner; the others are given by sharing it. */
export const threadRoles = ['viewer', 'commenter', 'driver', 'owner'] as const
export const ThreadRole = z.enum(threadRoles)
export type ThreadRole = z.infer<typeof ThreadRole>

/** What sharing may give; `owner` is handed over. */
export const SharedRole = ThreadRole.exclude(['owner'])
export type SharedRole = z.infer<typeof SharedRole>

/** Whether a role is at least another; null is no role. */
export const isAtLeast = (role: ThreadRole | null, least: ThreadRole): boolean =>
  role !== null && threadRoles.indexOf(role) >= threadRoles.indexOf(least)

/** What a token may be used for. What no scope names, no token may do. */
export const tokenScopes = [
  'projects:read',
  'projects:write',
  'threads:read',
  'threads:write',
  'threads:delete',
  'threads:share',
  'rollouts:import',
  'reviews:write',
  'automation:read',
  'automation:write',
  'usage:read',
  'settings:read',
  'settings:write',
  'members:read',
  'audit:read',
] as const
export const TokenScope = z.enum(tokenScopes)
export type TokenScope = z.infer<typeof TokenScope>

/** Somebody with a password or a provider's sign-in, or an account of scripts that has tokens alone. */
export const userKinds = ['person', 'service'] as const
export const UserKind = z.enum(userKinds)
export type UserKind = z.infer<typeof UserKind>

/** A name beside what somebody did; stays readable when they are gone. */
export const PersonName = z.object({ id: UserId, name: z.string(), kind: UserKind })
export type PersonName = z.infer<typeof PersonName>

export const TeamMember = z.object({
  userId: UserId,
  kind: UserKind,
  name: z.string(),
  /** Empty for an account of scripts. */
  email: z.string(),
  role: TeamRole,
  disabled: z.boolean(),
  joinedAt: z.int(),
  /** Of a session or a token, to some minutes; null = never. */
  lastSeenAt: z.int().nullable(),
})
export type TeamMember = z.infer<typeof TeamMember>

export const inviteStates = ['open', 'used', 'expired', 'revoked'] as const
export type InviteState = (typeof inviteStates)[number]

export type Invite = {
  id: string
  /** Null = whoever has the link. */
  email: string | null
  role: TeamRole
  state: InviteState
  expiresAt: number
  createdAt: number
  createdBy: string | null
  usedAt: number | null
  usedBy: string | null
}

/** What the holder of a link is told before accepting. */
export type InviteLook = {
  state: InviteState
  role: TeamRole
  email: string | null
  teamName: string
  invitedBy: string | null
  expiresAt: number
}

/** An open sign-in. Its secret is in the browser's cookie alone. */
export type SessionInfo = {
  id: string
  createdAt: number
  /** To a day. */
  lastSeenAt: number
  expiresAt: number
  address: string | null
  userAgent: string | null
  /** The one that asks. */
  current: boolean
}

export type ApiToken = {
  id: string
  userId: string
  name: string
  /** The last four characters, to tell one from another. */
  hint: string
  scopes: TokenScope[]
  createdAt: number
  createdBy: string
  /** Null = until it is revoked. */
  expiresAt: number | null
  /** To some minutes; null = never. */
  lastUsedAt: number | null
  revokedAt: number | null
}

/** Who sees a thread, the owner first. */
export type ThreadPerson = { userId: string; name: string; kind: UserKind; email: string; role: ThreadRole }

export type ThreadSharing = {
  threadId: string
  ownerId: string
  people: ThreadPerson[]
  /** What every member of the team gets; null = nothing. */
  teamRole: SharedRole | null
  /** The caller's own. */
  role: ThreadRole
}

export type PresentPerson = { userId: string; name: string; typing: boolean; since: number }

/** What a tab that shows a thread hears of the people around it. */
export type ThreadPeopleChange =
  | { type: 'sharing'; sharing: ThreadSharing }
  | { type: 'presence'; people: PresentPerson[] }

export const AuditQuery = z.object({
  actorId: z.string().max(100).optional(),
  /** An action, or its first part, for example `thread`. */
  action: z
    .string()
    .regex(/^[a-z_]+(\.[a-z_]+)?$/)
    .max(100)
    .optional(),
  targetType: z.string().max(50).optional(),
  targetId: z.string().max(200).optional(),
  from: z.int().min(0).optional(),
  to: z.int().min(0).optional(),
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'was not given out here')
    .optional(),
  limit: z.int().min(1).max(200).default(100),
})
export type AuditQuery = z.infer<typeof AuditQuery>

export type AuditRow = {
  id: string
  at: number
  actorId: string
  /** Null for the server itself. */
  actorName: string | null
  action: string
  targetType: string
  targetId: string
  details: Record<string, unknown>
  /** By which session or token it was done; null = by the server, or before this was kept. */
  via: { type: 'session' | 'token'; id: string } | null
}
