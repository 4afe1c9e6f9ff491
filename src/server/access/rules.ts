/**
 * The whole table of who may do what: for each action the roles in the team, the least role on the thread it is done to,
 * and the scope that a token needs. What is not in it nobody may. Nothing is decided here; `can` reads it.
 */
import type { TeamRole, ThreadRole, TokenScope } from '../../protocol/access.ts'

export type Rule = {
  /** Roles in the team that may, if the rest holds too. */
  team: readonly TeamRole[]
  /** The least role on the thread; absent = the action is not done to a thread. */
  thread?: ThreadRole
  /** What a token must have; `any` = every token may, null = no token may, only who signed in. */
  scope: TokenScope | 'any' | null
}

const everyone: readonly TeamRole[] = ['owner', 'admin', 'member', 'viewer']
const workers: readonly TeamRole[] = ['owner', 'admin', 'member']
const keepers: readonly TeamRole[] = ['owner', 'admin']

export const rules = {
  // ---- the team and its settings
  'team.read': { team: everyone, scope: 'any' },
  'team.settings': { team: keepers, scope: 'settings:write' },
  'provider.read': { team: everyone, scope: 'settings:read' },
  'provider.write': { team: keepers, scope: 'settings:write' },
  /** Keys of one's own, for one's own threads. */
  'provider.own': { team: workers, scope: null },
  /** All keys are encrypted anew. */
  'provider.rotate': { team: keepers, scope: null },
  'project.read': { team: everyone, scope: 'projects:read' },
  'project.create': { team: workers, scope: 'projects:write' },
  'project.write': { team: workers, scope: 'projects:write' },
  'project.delete': { team: keepers, scope: 'projects:write' },

  // ---- people; a token never lets anybody in and never raises anybody
  'member.list': { team: everyone, scope: 'members:read' },
  'member.write': { team: keepers, scope: null },
  'member.leave': { team: everyone, scope: null },
  'invite.list': { team: keepers, scope: 'members:read' },
  'invite.write': { team: keepers, scope: null },
  /** Accounts of scripts and their tokens. */
  'service.write': { team: keepers, scope: null },
  'token.own': { team: everyone, scope: null },
  'session.own': { team: everyone, scope: null },
  /** Ends all sessions of another person. */
  'session.end': { team: keepers, scope: null },
  'account.password': { team: everyone, scope: null },
  'audit.read': { team: keepers, scope: 'audit:read' },

  // ---- money
  'usage.own': { team: everyone, scope: 'usage:read' },
  'usage.team': { team: keepers, scope: 'usage:read' },
  'budget.read': { team: everyone, scope: 'usage:read' },
  'budget.write': { team: keepers, scope: 'settings:write' },

  // ---- what runs by itself, and what tells people
  'notification.own': { team: everyone, scope: 'any' },
  'schedule.read': { team: workers, scope: 'automation:read' },
  'schedule.write': { team: workers, scope: 'automation:write' },
  /** Schedules of others. */
  'schedule.all': { team: keepers, scope: 'automation:write' },
  'webhook.read': { team: keepers, scope: 'automation:read' },
  'webhook.write': { team: keepers, scope: 'automation:write' },

  // ---- threads as a whole
  'thread.list': { team: everyone, scope: 'threads:read' },
  'thread.create': { team: workers, scope: 'threads:write' },
  'rollout.import': { team: workers, scope: 'rollouts:import' },
  'review.list': { team: everyone, scope: 'threads:read' },
  'label.write': { team: workers, scope: 'reviews:write' },

  // ---- one thread
  'thread.read': { team: everyone, thread: 'viewer', scope: 'threads:read' },
  'thread.export': { team: everyone, thread: 'viewer', scope: 'threads:read' },
  'thread.comment': { team: everyone, thread: 'commenter', scope: 'reviews:write' },
  'review.read': { team: everyone, thread: 'viewer', scope: 'threads:read' },
  'review.write': { team: everyone, thread: 'commenter', scope: 'reviews:write' },
  /** Says, stops, answers, edits the queue, writes notes, changes settings, rewinds. */
  'thread.op': { team: workers, thread: 'driver', scope: 'threads:write' },
  /** A workspace of one's own with these files. */
  'thread.fork': { team: workers, thread: 'driver', scope: 'threads:write' },
  'thread.write': { team: workers, thread: 'owner', scope: 'threads:write' },
  'thread.delete': { team: workers, thread: 'owner', scope: 'threads:delete' },
  'thread.share': { team: workers, thread: 'owner', scope: 'threads:share' },
  /** Takes oneself off a thread that somebody shared. */
  'thread.leave': { team: everyone, thread: 'viewer', scope: 'threads:share' },
  'usage.thread': { team: everyone, thread: 'viewer', scope: 'usage:read' },
  'budget.thread': { team: workers, thread: 'owner', scope: 'threads:write' },
  'notification.thread': { team: everyone, thread: 'viewer', scope: 'any' },

  // ---- public links: to a thread by its owner, over all of them by who keeps the team
  'link.read': { team: everyone, thread: 'driver', scope: 'threads:read' },
  'link.create': { team: workers, thread: 'owner', scope: 'threads:share' },
  'link.revoke': { team: everyone, thread: 'owner', scope: 'threads:share' },
  'link.list': { team: everyone, scope: 'threads:read' },
  /** Ends what one made oneself, whoever owns the thread by now. */
  'link.own': { team: everyone, scope: 'threads:share' },
  'link.all': { team: keepers, scope: 'audit:read' },
  'link.end': { team: keepers, scope: null },

  // ---- threads whose owner is gone: handed on unread
  'thread.adopt': { team: keepers, scope: null },
} as const satisfies Record<string, Rule>
