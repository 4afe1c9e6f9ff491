/**
 * What the rest of the server may ask of the database about people: members, invitations, sessions, tokens, who a thread
 * is shared with, and the audit log. Whether somebody may is asked before.
 */
import type {
  ApiToken,
  AuditQuery,
  AuditRow,
  Invite,
  InviteLook,
  PersonName,
  SessionInfo,
  SharedRole,
  TeamMember,
  TeamRole,
  ThreadPerson,
  ThreadRole,
  TokenScope,
  UserKind,
} from '../../protocol/access.ts'

export type Member = {
  userId: string
  kind: UserKind
  name: string
  email: string
  role: TeamRole
  disabled: boolean
}

export type MemberStore = {
  /** The installation's one team; made at the first call. */
  team(): Promise<{ id: string; name: string }>
  /** Null when the user does not exist, is no member or is disabled. */
  get(userId: string): Promise<Member | null>
  /** Disabled or not; null when the user is no member. */
  find(userId: string): Promise<Member | null>
  /** Who owns threads and is no member any more. */
  gone(): Promise<{ userId: string; name: string; threads: number }[]>
  /** In the order in which they came. */
  list(): Promise<TeamMember[]>
  /** Names of users, of those who left too. */
  names(userIds: string[]): Promise<PersonName[]>
  /** Members behind sessions that are valid now, by session id; ended sessions and disabled members are absent. */
  ofSessions(sessionIds: string[]): Promise<Map<string, Member>>
  /** How many there are, disabled or not. */
  count(): Promise<number>
  add(userId: string, role: TeamRole): Promise<Member>
  /**
   * Somebody who came by the company's sign-in; null when they left or were removed before, or are a member already.
   */
  join(userId: string, role: TeamRole, by: string): Promise<Member | null>
  /** A one-time link for the first owner: only its SHA-256 is kept. Replaces an unused one. */
  makeInvite(kind: 'setup', role: TeamRole, expiresInMs: number): Promise<{ token: string }>

  /** The functions below reject with Fault `conflict` when no owner who can sign in would be left. */
  setRole(userId: string, role: TeamRole, actorId: string): Promise<Member>
  /** Ends the sessions of who is disabled. */
  setDisabled(userId: string, disabled: boolean, actorId: string): Promise<Member>
  /** Ends sessions, revokes tokens, takes shared threads away; what they wrote and own stays. */
  remove(userId: string, actorId: string): Promise<void>

  /** An account of scripts: a user without a password. */
  createService(input: { name: string; role: TeamRole }, actorId: string): Promise<Member>
}

export type InviteStore = {
  /** The secret of a link: only its SHA-256 is kept. */
  create(
    input: { email: string | null; role: TeamRole; expiresInMs: number },
    actorId: string,
  ): Promise<{ invite: Invite; token: string }>
  /** Newest first, at most 500. */
  list(): Promise<Invite[]>
  revoke(inviteId: string, actorId: string): Promise<Invite>
  /** Null when there is no such link. */
  look(token: string): Promise<(InviteLook & { kind: 'setup' | 'member' }) | null>
  /**
   * Uses the link up and makes the user a member, in one transaction. Fault `forbidden` when it is not valid any more or
   * the account is disabled, `conflict` when it was used or the user is a member already (it stays unused then).
   */
  redeem(token: string, userId: string): Promise<Member>
}

export type SessionStore = {
  /** The address of whoever it belongs to, member or not; null when it ended. */
  email(sessionId: string): Promise<string | null>
  /** Valid ones, the one used last comes first. */
  list(userId: string): Promise<Omit<SessionInfo, 'current'>[]>
  /** Fault `not_found` when the user has no such session. */
  end(sessionId: string, userId: string, actorId: string): Promise<void>
  /** All but one, and how many they were. */
  endAll(userId: string, except: string | null, actorId: string): Promise<number>
}

export type TokenUse = { tokenId: string; scopes: TokenScope[]; member: Member }

export type TokenStore = {
  create(
    input: { userId: string; name: string; scopes: TokenScope[]; expiresInMs: number | null },
    actorId: string,
  ): Promise<{ token: ApiToken; secret: string }>
  /** Newest first; revoked ones too. */
  list(userId: string): Promise<ApiToken[]>
  /** Fault `not_found` when the user has no such token. */
  revoke(tokenId: string, userId: string, actorId: string): Promise<ApiToken>
  /** Who comes with this secret; null when it is revoked, expired, unknown, or its member is disabled. */
  use(secret: string): Promise<TokenUse | null>
  /** Of these tokens the ones that are valid now. */
  alive(tokenIds: string[]): Promise<Map<string, TokenUse>>
}

/** What somebody is on a thread: that of its root. */
export type ThreadAccess = {
  threadId: string
  rootThreadId: string
  ownerId: string
  role: ThreadRole | null
}

/** Everybody who sees a thread. */
export type ThreadAudience = {
  threadId: string
  rootThreadId: string
  ownerId: string
  teamRole: SharedRole | null
  members: Map<string, SharedRole>
}

/** Thread ids are those of roots: a sub-agent's thread follows its root. */
export type SharingStore = {
  /** Who sees these threads; unknown ones, and those that are being imported, are absent. */
  audiences(threadIds: string[]): Promise<Map<string, ThreadAudience>>
  /** What a user is on these threads, in one query; unknown ones are absent. */
  access(threadIds: string[], userId: string): Promise<Map<string, ThreadAccess>>
  /** The owner first, then by name; those who are no members any more are left out. */
  people(threadId: string): Promise<ThreadPerson[]>
  /** Null takes the thread away. Fault `not_found` for who is no member, `conflict` for the owner. */
  share(threadId: string, userId: string, role: SharedRole | null, actorId: string): Promise<void>
  shareWithTeam(threadId: string, role: SharedRole | null, actorId: string): Promise<void>
  /** `keep`: what the owner of before stays. Fault `not_found` for who is no member, `forbidden` for a viewer of the team. */
  handOver(threadId: string, toUserId: string, keep: SharedRole | null, actorId: string): Promise<void>
  /** All threads of somebody; answers with how many. */
  handOverAll(fromUserId: string, toUserId: string, actorId: string): Promise<number>
  /** How many threads these users own. */
  owned(userIds: string[]): Promise<Map<string, number>>
}

export type AuditStore = {
  /** Newest first; `cursor` = where to go on, null at the end. */
  list(query: AuditQuery): Promise<{ rows: AuditRow[]; cursor: string | null }>
}
