/**
 * Who asks, and what for. Every door resolves an `Actor` anew and asks `assertCan(actor, action, resource)`.
 */
export type Role = 'owner' | 'admin' | 'member' | 'viewer'

/** The person behind a request, as the database says now. */
export type Actor = { userId: string; role: Role; name: string; email: string; sessionId: string }

/** Closed list; a door without an action here does not exist. */
export type Action =
  | 'team.read'
  | 'team.settings'
  | 'provider.read'
  | 'provider.write'
  | 'project.read'
  | 'project.create'
  | 'project.write'
  | 'project.delete'
  | 'thread.list'
  | 'thread.create'
  | 'thread.read'
  | 'thread.op'
  | 'thread.write'
  | 'thread.delete'
  | 'thread.fork'
  | 'rollout.import'
  | 'review.list'
  | 'review.read'
  | 'review.write'
  | 'label.write'

export type Resource =
  | { type: 'team' }
  | { type: 'project'; projectId: string }
  | { type: 'thread'; threadId: string; ownerId: string }

/** Whoever history, search and hints are read for: a person, or the agent of a tree of threads. */
export type Reader = { type: 'person'; actor: Actor } | { type: 'agent'; rootThreadId: string }
