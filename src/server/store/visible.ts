/**
 * Which threads somebody sees, as SQL: their own, those shared with them, those shared with the team. The rule is decided
 * in `access`; this only keeps lists from reading what nobody asked for.
 */

/** A condition on the thread `t`; `user` is a parameter, for example `$1`. A sub-agent's thread follows its root. */
export const visibleTo = (user: string): string => `(t."ownerId" = ${user}
  or exists (select 1 from "ThreadMember" sm where sm."threadId" = coalesce(t."rootThreadId", t.id) and sm."userId" = ${user})
  or t."rootThreadId" is null and t."teamRole" is not null
  or t."rootThreadId" is not null
    and exists (select 1 from "Thread" sr where sr.id = t."rootThreadId" and sr."teamRole" is not null))`

/** Of those the ones on which they may give a verdict: a viewer of a thread is not asked for one. */
export const judgedBy = (user: string): string => `(t."ownerId" = ${user}
  or exists (select 1 from "ThreadMember" sm where sm."threadId" = coalesce(t."rootThreadId", t.id)
    and sm."userId" = ${user} and sm.role <> 'viewer')
  or exists (select 1 from "Thread" sr where sr.id = coalesce(t."rootThreadId", t.id) and sr."teamRole" <> 'viewer'))`
