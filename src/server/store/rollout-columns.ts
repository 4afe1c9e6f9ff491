/**
 * The statement that reads a whole rollout as columns: what its skeleton is made of.
 */

import { safeJson } from './rollout-sql.ts'

/** Columns of a lane; `not null` of an idx holds for the lane's rows alone. */
const laneSql = (where: string, more: Record<string, string> = {}): string => {
  const columns: Record<string, string> = {
    idx: 'idx',
    at: 'at - first',
    durationMs: 'coalesce("durationMs", -1)',
    flag: 'flag',
    ...more,
  }
  const parts = Object.entries(columns).map(
    ([name, value]) => `'${name}', coalesce(json_agg(${value}) filter (where ${where}), '[]')`,
  )
  return `json_build_object(${parts.join(', ')})`
}

const stepColumns = ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning', 'retries', 'costMicros']

/** Of what is notable so many are named: the newest of each type. */
const notablesOfType = 60

/** $1 thread. One row with one JSON text: columns of numbers are parsed a hundred times sooner than rows. */
export const columnsSql = `with r as materialized (
    select idx, kind, name, status, "windowId", seq, coalesce("beganAt", at) as at, "durationMs",
      coalesce(input, 0) as input, coalesce("cachedInput", 0) as "cachedInput", coalesce("cacheWrite", 0) as "cacheWrite",
      coalesce(output, 0) as output, coalesce(reasoning, 0) as reasoning, coalesce(retries, 0) as retries,
      coalesce("costMicros", -1) as "costMicros",
      case when status = 'running' then 2 when status in ('failed', 'refused', 'interrupted') then 1 else 0 end as flag,
      case when name = 'hand_over' then 'hand_over'
        when name in ('approval.requested', 'input.requested') then 'wait'
        when name = 'server.restarted' then 'restart'
        when name in ('budget.warned', 'budget.stopped') then 'limit'
        when status = 'failed' and kind in ('step', 'turn', 'marker') then 'error' end as notable
    from "RolloutRow" where "threadId" = $1 order by idx),
  f as materialized (
    select coalesce(min(at), 0) as first, coalesce(max(at + coalesce("durationMs", 0)), 0) as last from r)
  select json_build_object(
    'firstAt', (select first from f), 'lastAt', (select last from f), 'columns', (select json_build_object(
      'errors', count(*) filter (where status = 'failed'),
      'notableTotal', count(*) filter (where notable is not null),
      'turns', ${laneSql(`kind = 'turn'`)},
      'steps', ${laneSql(`kind = 'step'`, Object.fromEntries(stepColumns.map((name) => [name, `"${name}"`])))},
      'tools', ${laneSql(`kind = 'tool'`)},
      'waits', ${laneSql(`kind = 'marker' and notable = 'wait'`)},
      'agents', ${laneSql(`kind = 'marker' and name = 'agent.spawned'`)}) from r, f),
    'kinds', (select coalesce(json_object_agg(kind, n), '{}') from (select kind, count(*) as n from r group by kind) k),
    'toolNames', (select coalesce(json_object_agg(name, n), '{}') from (select name, count(*) as n from r
      where kind = 'tool' group by name order by n desc, name limit 200) k),
    'windows', (select coalesce(json_agg(w order by w.idx), '[]') from (
      select g.*, (o.body->>'index')::float8 as index, o.body->>'reason' as reason, (o.body->>'tokens')::float8 as tokens,
        (c.body->>'tokens')::float8 as "endTokens"
      from (select "windowId", min(idx) as idx, min(seq) as seq, min(at) - min(f.first) as at,
          count(*) filter (where kind = 'step') as steps
          from r, f where kind in ('window', 'step', 'turn', 'record') group by "windowId") g
        left join lateral (select seq, "endSeq" from "RolloutRow" k
          where k."threadId" = $1 and k.key = g."windowId" limit 1) k on true
        left join lateral (select ${safeJson('e.body')} as body from "Event" e
          where e."threadId" = $1 and e.seq = k.seq and e.type = 'window.opened') o on true
        left join lateral (select ${safeJson('e.body')} as body from "Event" e
          where e."threadId" = $1 and e.seq = k."endSeq" and e.type = 'window.closed') c on true) w),
    'notable', (select coalesce(json_agg(json_build_object('idx', idx, 'type', notable) order by idx), '[]')
      from (select idx, notable, row_number() over (partition by notable order by idx desc) as place
        from r where notable is not null) p
      where place <= ${notablesOfType})
  )::text as columns`
