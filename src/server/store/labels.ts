/**
 * The team's vocabulary of labels, and which rollout bears which. A removed word stays where it is; who put it on or
 * took it off is kept.
 */
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { type Label, type ReviewChange, reviewLimits, type ThreadLabelChange } from '../../protocol/review.ts'
import { cleanText } from './append.ts'
import { auditQuery } from './audit.ts'
import { inOrder } from './comments.ts'
import type { Db, Queryable } from './db.ts'
import type { ReviewStore } from './review-types.ts'

const columns = `l.id, l.name, l.colour, l.description, l."createdBy",
  (extract(epoch from l."createdAt") * 1000)::float8 as "createdAt",
  (extract(epoch from l."removedAt") * 1000)::float8 as "removedAt",
  (select count(*)::int4 from "ThreadLabel" t where t."labelId" = l.id) as used`

const toLabel = (row: Label): Label => ({
  ...row,
  createdAt: Math.round(row.createdAt),
  removedAt: row.removedAt === null ? null : Math.round(row.removedAt),
})

const missing = (): Fault =>
  new Fault('not_found', 'There is no such label.', 'Reload the page; it may have been removed.')

const taken = (name: string): Fault =>
  new Fault(
    'conflict',
    `There is a label ${JSON.stringify(name)} already.`,
    'Choose another name, or use that one.',
  )

type LabelStore = Pick<ReviewStore, 'vocabulary' | 'createLabel' | 'changeLabel' | 'label' | 'labelChanges'>

export const createLabelStore = (
  db: Db,
  teamId: () => Promise<string>,
  tell: (change: ReviewChange) => void,
): LabelStore => {
  const read = async (client: Queryable, team: string, labelId: string): Promise<Label> => {
    const { rows } = await client.query<Label>(
      `select ${columns} from "Label" l where l.id = $1 and l."teamId" = $2`,
      [labelId, team],
    )
    if (!rows[0]) throw missing()
    return toLabel(rows[0])
  }

  /** One change of the vocabulary after the other, so that a name is given once. */
  const inVocabulary = async <T>(work: (client: Queryable, team: string) => Promise<T>): Promise<T> => {
    const team = await teamId()
    const result = await db.transaction(async (client) => {
      await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`labels ${team}`])
      return work(client, team)
    })
    tell({ type: 'vocabulary' })
    return result
  }

  const checkFree = async (client: Queryable, team: string, name: string, but: string): Promise<void> => {
    const { rows } = await client.query(
      `select 1 from "Label" where "teamId" = $1 and lower(name) = lower($2) and "removedAt" is null and id <> $3`,
      [team, name, but],
    )
    if (rows.length > 0) throw taken(name)
  }

  return {
    vocabulary: async () => {
      const rows = await db.query<Label>(
        `select ${columns} from "Label" l where l."teamId" = $1 order by lower(l.name), l.id`,
        [await teamId()],
      )
      return rows.map(toLabel)
    },

    createLabel: ({ name, colour, description }, actorId) =>
      inVocabulary(async (client, team) => {
        await checkFree(client, team, name, '')
        const { rows } = await client.query<{ total: number }>(
          `select count(*)::int4 as total from "Label" where "teamId" = $1 and "removedAt" is null`,
          [team],
        )
        if ((rows[0]?.total ?? 0) >= reviewLimits.labels)
          throw new Fault(
            'limit_reached',
            `The team has ${reviewLimits.labels} labels, which is the most.`,
            'Remove one that nobody needs.',
          )
        const id = newId('lbl')
        await client.query(
          `insert into "Label" (id, "teamId", name, colour, description, "createdBy") values ($1, $2, $3, $4, $5, $6)`,
          [id, team, cleanText(name), colour, cleanText(description), actorId],
        )
        await auditQuery(client, {
          actorId,
          action: 'label.create',
          targetType: 'label',
          targetId: id,
          details: { name, colour },
        })
        return read(client, team, id)
      }),

    changeLabel: (labelId, change, actorId) =>
      inVocabulary(async (client, team) => {
        const before = await read(client, team, labelId)
        const after = { ...before, ...change }
        const removed = change.removed ?? before.removedAt !== null
        if (!removed) await checkFree(client, team, after.name, labelId)
        await client.query(
          `update "Label" set name = $2, colour = $3, description = $4,
             "removedAt" = case when $5 then coalesce("removedAt", clock_timestamp()) end where id = $1`,
          [labelId, cleanText(after.name), after.colour, cleanText(after.description), removed],
        )
        await auditQuery(client, {
          actorId,
          action: 'label.change',
          targetType: 'label',
          targetId: labelId,
          details: { ...change, was: before.name },
        })
        return read(client, team, labelId)
      }),

    label: async (threadId, add, remove, actorId) => {
      const team = await teamId()
      const changed = await db.transaction(async (client) => {
        await inOrder(client, threadId)
        const { rows: known } = await client.query<{ id: string; removed: boolean }>(
          `select id, "removedAt" is not null as removed from "Label" where "teamId" = $1 and id = any($2)`,
          [team, add],
        )
        if (known.length < new Set(add).size || known.some(({ removed }) => removed)) throw missing()
        const { rows: on } = await client.query<{ labelId: string }>(
          `insert into "ThreadLabel" ("threadId", "labelId", "actorId", at)
           select $1, l, $3, clock_timestamp() from unnest($2::text[]) l on conflict do nothing returning "labelId"`,
          [threadId, [...new Set(add)], actorId],
        )
        const { rows: off } = await client.query<{ labelId: string }>(
          `delete from "ThreadLabel" where "threadId" = $1 and "labelId" = any($2) returning "labelId"`,
          [threadId, remove],
        )
        const { rows: count } = await client.query<{ total: number }>(
          `select count(*)::int4 as total from "ThreadLabel" where "threadId" = $1`,
          [threadId],
        )
        if (on.length > 0 && (count[0]?.total ?? 0) > reviewLimits.labelsOfThread)
          throw new Fault(
            'limit_reached',
            `A rollout may have ${reviewLimits.labelsOfThread} labels.`,
            'Take one off first.',
          )
        const changes = [
          ...on.map(({ labelId }) => ({ labelId, action: 'added' })),
          ...off.map(({ labelId }) => ({ labelId, action: 'removed' })),
        ]
        for (const { labelId, action } of changes) {
          await client.query(
            `insert into "ThreadLabelChange" ("threadId", "labelId", action, "actorId", at)
             values ($1, $2, $3, $4, clock_timestamp())`,
            [threadId, labelId, action, actorId],
          )
          await auditQuery(client, {
            actorId,
            action: `review.label_${action}`,
            targetType: 'thread',
            targetId: threadId,
            details: { labelId },
          })
        }
        return changes.length > 0
      })
      if (changed) tell({ type: 'thread', threadId, what: 'labels' })
    },

    labelChanges: async (threadId) => {
      const rows = await db.query<ThreadLabelChange>(
        `select "labelId", action, "actorId", (extract(epoch from at) * 1000)::float8 as at
         from "ThreadLabelChange" where "threadId" = $1 order by id desc limit 1000`,
        [threadId],
      )
      return rows.map((row) => ({ ...row, at: Math.round(row.at) }))
    },
  }
}
