/**
 * Who asks, and what for. Every door resolves an `Actor` anew and asks `assertCan(actor, action, resource)`.
 */
import type { TeamRole, ThreadRole, TokenScope, UserKind } from '../../protocol/access.ts'
import type { rules } from './rules.ts'

/** How somebody came in. */
export type Via =
  | { type: 'session'; sessionId: string }
  | { type: 'token'; tokenId: string; scopes: readonly TokenScope[] }

/** The person, or account of scripts, behind a request, as the database says now. */
export type Actor = {
  userId: string
  kind: UserKind
  role: TeamRole
  name: string
  email: string
  via: Via
}

/** Closed list; a door without an action here does not exist. */
export type Action = keyof typeof rules

/** `role`: the actor's own on this thread, as the database says now; null = none. */
export type ThreadResource = { type: 'thread'; threadId: string; ownerId: string; role: ThreadRole | null }

export type Resource = { type: 'team' } | { type: 'project'; projectId: string } | ThreadResource

/** Whoever history, search and hints are read for: a person, or the agent of a tree of threads. */
export type Reader = { type: 'person'; actor: Actor } | { type: 'agent'; rootThreadId: string }
