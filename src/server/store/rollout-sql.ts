/**
 * The statement that derives rows of a rollout from a stretch of the log. A row begins with the first event that has its
 * key; of the others the last one that ends it tells the rest (before there is an end: the last one). So it makes no
 * difference in which stretches a log is read. Every number is made sane: nothing negative, nothing too large.
 */
import type { EventType } from '../../protocol/event.ts'

/** What the events of some types say, as SQL over `e` (the event), `b` (its body), `i` and `s` (an item and its state). */
type Facts = {
  types: EventType[]
  /** Null = each event is a row of its own. */
  key: string
  ends: string
  kind: string
  name: string
  status: string
}

const facts: Facts[] = [
  {
    types: ['item.started', 'item.completed'],
    key: 'coalesce(e."itemId", i.id)',
    ends: `e.type = 'item.completed'`,
    kind: `case when i.type = 'tool_call' then 'tool' when i.type in ('hand_over', 'notice') then 'marker' else 'message' end`,
    name: `case i.type when 'tool_call' then i.tool when 'notice' then i.kind else i.type end`,
    status: `case
      when i.type = 'tool_call' then case s.status when 'succeeded' then 'ok' when 'failed' then 'failed'
        when 'refused' then 'refused' when 'interrupted' then 'interrupted' else 'running' end
      when i.type = 'notice' and i.level = 'error' then 'failed'
      when i.cut then 'interrupted'
      when e.type = 'item.started' and i.type in ('agent_message', 'reasoning') then 'running'
      else 'none' end`,
  },
  {
    types: ['step.started', 'step.completed', 'step.cut', 'step.failed'],
    key: 'e."stepId"',
    ends: `e.type <> 'step.started'`,
    kind: `'step'`,
    name: `''`,
    status: `case e.type when 'step.started' then 'running' when 'step.completed' then 'ok'
      when 'step.cut' then 'interrupted' else 'failed' end`,
  },
  {
    types: ['turn.started', 'turn.completed', 'turn.interrupted', 'turn.failed', 'turn.limited'],
    key: 'e."turnId"',
    ends: `e.type <> 'turn.started'`,
    kind: `'turn'`,
    name: `''`,
    status: `case e.type when 'turn.started' then 'running' when 'turn.completed' then 'ok'
      when 'turn.interrupted' then 'interrupted' else 'failed' end`,
  },
  {
    types: ['window.opened', 'window.closed'],
    key: 'e."windowId"',
    ends: `e.type = 'window.closed'`,
    kind: `'window'`,
    name: 'b.reason',
    status: `'none'`,
  },
  {
    types: ['approval.requested', 'approval.resolved'],
    key: 'b."approvalId"',
    ends: `e.type = 'approval.resolved'`,
    kind: `'marker'`,
    name: `'approval.requested'`,
    status: `case when b.decision is null then 'running' when b.decision = 'allowed' then 'ok'
      when b.decision = 'refused' then 'refused' else 'interrupted' end`,
  },
  {
    types: ['input.requested', 'input.resolved'],
    key: `'input ' || b."itemId"`,
    ends: `e.type = 'input.resolved'`,
    kind: `'marker'`,
    name: `'input.requested'`,
    status: `case when e.type = 'input.requested' then 'running' when b.withdrawn then 'interrupted' else 'ok' end`,
  },
  {
    types: ['agent.spawned', 'agent.finished'],
    key: `'agent ' || b."childThreadId"`,
    ends: `e.type = 'agent.finished'`,
    kind: `'marker'`,
    name: `'agent.spawned'`,
    status: `case when e.type = 'agent.spawned' then 'running' when b.status = 'failed' then 'failed' else 'ok' end`,
  },
  {
    types: [
      ...([
        'thread.rewound',
        'thread.forked',
        'thread.closed',
        'thread.settings_changed',
        'window.warned',
      ] as const),
      ...([
        'window.pinned',
        'sandbox.ready',
        'sandbox.stopped',
        'sandbox.lost',
        'checkpoint.created',
      ] as const),
      ...([
        'checkpoint.failed',
        'egress.denied',
        'budget.warned',
        'budget.stopped',
        'server.restarted',
      ] as const),
      ...(['note.written', 'agent.message', 'step.retried', 'rollout.imported', 'rules.changed'] as const),
    ],
    key: 'null',
    ends: 'true',
    kind: `'marker'`,
    name: 'e.type',
    status: `case e.type when 'sandbox.lost' then 'failed' when 'checkpoint.failed' then 'failed'
      when 'budget.stopped' then 'failed' when 'egress.denied' then 'refused' else 'none' end`,
  },
  {
    types: ['record.kept'],
    key: 'null',
    ends: 'true',
    kind: `'record'`,
    name: 'b.kind',
    status: `case when b.why = 'unreadable' then 'failed' else 'none' end`,
  },
]

/** Events that a row begins or ends with. */
export const rowTypes: readonly EventType[] = facts.flatMap(({ types }) => types)

/**
 * A json value that PostgreSQL can look into: it refuses any look into one that holds a NUL or half of a surrogate pair
 * somewhere, which JavaScript stores without a word.
 */
export const safeJson = (value: string): string =>
  `case when strpos(${value}::text, '\\u0000') = 0 and strpos(lower(${value}::text), '\\ud') = 0 then ${value}
    else regexp_replace(${value}::text, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'gi')::json end`

const quoted = (values: string[]): string => values.map((value) => `'${value}'`).join(', ')

const byType = (value: (each: Facts) => string): string =>
  `case ${facts.map((each) => `when e.type in (${quoted(each.types)}) then ${value(each)}`).join('\n ')} end`

/** `greatest` takes no notice of nulls, so they are kept apart. */
const within = (value: string, most: string, type: string): string =>
  `case when ${value} is not null then least(greatest(${value}, 0), ${most})::${type} end`
const count = (value: string): string => within(value, '2147483647', 'int4')
const large = (value: string): string => within(value, '9e15', 'int8')

const used = ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning']
const told = `"costMicros", ${used.map((name) => `"${name}"`).join(', ')}, retries`
const toldOf = (alias: string): string =>
  told
    .split(', ')
    .map((name) => `${alias}.${name}`)
    .join(', ')

/** A span ends where its last event says, or at that event's own time; what has one event takes no time. */
const durationOf = (seq: string, seen: string): string =>
  `case when k.ends then coalesce(k."durationMs",
    case when k.seq <> ${seq} then ${count(`(k.seen - ${seen})::float8`)} end) end`

/**
 * $1 thread, $2 and $3 the stretch (from, to], $4 and $5 rows and steps before it. Answers with one row: how many rows
 * and steps were added. `isPlain` is quicker, and refused by PostgreSQL (22P05, 22P02) for texts with a NUL or half of
 * a surrogate pair.
 *
 * A thread that is new to the database's statistics counts as nearly empty there, and a join by that would take minutes:
 * rows are looked up one by one by key, those that change by a list of their numbers, and nothing is joined to itself.
 */
export const deriveSql = (isPlain: boolean): string => {
  const body = isPlain ? 'e.body' : safeJson('e.body')
  return `with f as materialized (
    select e.seq, e."windowId", e."turnId", ${byType(({ key }) => key)} as key, ${byType(({ ends }) => ends)} as ends,
      ${byType(({ kind }) => kind)} as kind, left(coalesce(${byType(({ name }) => name)}, ''), 100) as name,
      ${byType(({ status }) => status)} as status,
      (extract(epoch from e.at) * 1000)::int8 as seen, ${large('s."startedAt"')} as at,
      ${count(`case when i.type = 'tool_call' then case when e.type = 'item.completed'
        then coalesce(s."endedAt" - s."startedAt", 0) end
        when e.type like 'step.%' then b."totalMs" else b."durationMs" end`)} as "durationMs",
      ${large('b."costMicros"')} as "costMicros",
      ${used.map((name) => `${count(`case when e.type like 'step.%' then u."${name}" end`)} as "${name}"`).join(', ')},
      ${count('b.retries')} as retries
    from "Event" e
      cross join lateral json_to_record(${body}) b(item json, usage json, "costMicros" float8, "totalMs" float8,
        retries float8, "durationMs" float8, reason text, "approvalId" text, decision text, "itemId" text,
        withdrawn bool, "childThreadId" text, status text, kind text, why text)
      left join lateral json_to_record(b.item) i(id text, type text, tool text, kind text, level text, cut bool,
        state json) on b.item is not null
      left join lateral json_to_record(i.state) s(status text, "startedAt" float8, "endedAt" float8)
        on i.type = 'tool_call'
      left join lateral json_to_record(b.usage) u(input float8, "cachedInput" float8, "cacheWrite" float8,
        output float8, reasoning float8) on b.usage is not null
    where e."threadId" = $1 and e.seq > $2 and e.seq <= $3
      and e.type = any('{${rowTypes.join(',')}}'::text[])),
  p as materialized (
    select distinct on (place) *, min(seq) over w as first, first_value(seen) over w as "firstSeen",
      first_value("windowId") over w as "firstWindow", first_value("turnId") over w as "firstTurn",
      first_value(kind) over w as "firstKind", first_value(name) over w as "firstName"
    from (select *, coalesce(key, seq::text) as place from f) f
    window w as (partition by place order by seq) order by place, ends desc, seq desc),
  k as materialized (
    select p.*, r.known, r.ended as "knownEnded" from p left join lateral (
      select r.idx as known, r.ended from "RolloutRow" r where r."threadId" = $1 and r.key = p.key limit 1) r on true),
  c as materialized (select * from k where known is not null and (ends or not "knownEnded")),
  changed as (
    update "RolloutRow" r set "endSeq" = k.seq, ended = k.ends, status = k.status, "beganAt" = k.at,
      "durationMs" = ${durationOf('r.seq', 'r.at')}, "costMicros" = k."costMicros", input = k.input,
      "cachedInput" = k."cachedInput", "cacheWrite" = k."cacheWrite", output = k.output, reasoning = k.reasoning,
      retries = k.retries
    from c k where r."threadId" = $1 and r.idx = any(array(select known from c)) and r.idx = k.known
    returning 1),
  added as (
    insert into "RolloutRow" ("threadId", idx, seq, "endSeq", key, ended, "windowId", "turnId", kind, name, status, at,
      "beganAt", "durationMs", step, ${told})
    select $1, $4::int4 - 1 + row_number() over (order by k.first), k.first, k.seq, k.key, k.ends, k."firstWindow",
      k."firstTurn", k."firstKind", k."firstName", k.status, k."firstSeen", case when k.key is not null then k.at end,
      ${durationOf('k.first', 'k."firstSeen"')},
      case when k."firstKind" = 'step'
        then $5::int4 + count(*) filter (where k."firstKind" = 'step') over (order by k.first) end,
      ${toldOf('k')}
    from k where k.known is null returning kind)
  select count(*)::int4 as rows, (count(*) filter (where kind = 'step'))::int4 as steps,
    (select json_object_agg(type, n) from (select type, count(*) as n from "Event"
      where "threadId" = $1 and seq > $2 and seq <= $3 group by type) t) as events
  from added`
}
