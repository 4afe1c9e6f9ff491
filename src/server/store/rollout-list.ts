/**
 * The list of rollouts: one line per thread with its figures, its verdict and labels, the ones changed last first.
 */
import type { RolloutSummary } from '../../protocol/rollout.ts'
import type { Db } from './db.ts'
import type { RolloutListQuery } from './rollout-types.ts'
import { visibleTo } from './visible.ts'

const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`

/** The newest verdict of anybody who reviewed it. */
const newestVerdict = `(select r.verdict from "Review" r where r."threadId" = t.id and r.newest and r.verdict is not null
  order by r.at desc, r.id desc limit 1)`

/**
 * Threads under way and threads read from files alike; those that a file is still being read into are left out. Figures
 * that the projection keeps as JSON are cast with care: it never holds what a person or a model wrote.
 */
const listSql = `select t.id as "threadId", t.title, pr.name as "projectName", t."ownerId",
    t.imported->>'format' as imported, p.status, p.state->'usage' as usage,
    (p.state->>'turns')::int4 as turns, (p.state->>'steps')::int4 as steps,
    (p.state->>'windowIndex')::int4 + 1 as windows, (p.state->>'costMicros')::float8 as "costMicros",
    (select count(*)::int4 from "RolloutRow" f where f."threadId" = t.id
      and f.status in ('failed', 'refused', 'interrupted') and f.status = 'failed') as errors,
    coalesce((select array_agg(m.model order by m.first) from (select s.model, min(s."startedAt") as first
      from "Window" w join "Step" s on s."windowId" = w.id where w."threadId" = t.id group by s.model limit 20) m),
      array_remove(array[p.state->'settings'->'model'->>'model'], null)) as models,
    (extract(epoch from t."createdAt") * 1000)::float8 as "createdAt",
    (extract(epoch from p."updatedAt") * 1000)::float8 as "updatedAt",
    ${newestVerdict} as verdict,
    coalesce((select array_agg(l.name order by k.at) from "ThreadLabel" k join "Label" l on l.id = k."labelId"
      where k."threadId" = t.id), '{}') as labels
  from (select t.id from "Thread" t join "ThreadProjection" p on p."threadId" = t.id
    where ${visibleTo('$1')} and not t.importing and not t.archived
      and ($2::text is null or t."projectId" = $2)
      and ($3::bool is null or (t.imported is not null) = $3)
      and ($4::text is null or p.status = $4)
      and ($5::text is null or ${newestVerdict} = $5)
      and ($6::text is null or exists (select 1 from "ThreadLabel" k where k."threadId" = t.id and k."labelId" = $6))
      and ($7::text is null or t.title ilike $7)
      and ($8::float8 is null or (p."updatedAt", t.id) < (to_timestamp($8 / 1000), $9))
    order by p."updatedAt" desc, t.id desc limit $10) page
  join "Thread" t on t.id = page.id join "ThreadProjection" p on p."threadId" = t.id
  join "Project" pr on pr.id = t."projectId"
  order by p."updatedAt" desc, t.id desc`

type Row = Omit<RolloutSummary, 'createdAt' | 'updatedAt'> & { createdAt: number; updatedAt: number }

export const listRollouts =
  (db: Db) =>
  async (query: RolloutListQuery): Promise<RolloutSummary[]> => {
    const { visibleTo: reader, projectId, imported, status, verdict, labelId, text, after, limit } = query
    const rows = await db.query<Row>(listSql, [
      ...[reader, projectId ?? null, imported ?? null, status ?? null, verdict ?? null, labelId ?? null],
      ...[
        text === undefined ? null : likePattern(text),
        after?.updatedAt ?? null,
        after?.threadId ?? '',
        limit,
      ],
    ])
    return rows.map((row) => ({
      ...row,
      createdAt: Math.round(row.createdAt),
      updatedAt: Math.round(row.updatedAt),
    }))
  }
