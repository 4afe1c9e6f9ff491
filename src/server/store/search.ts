/**
 * The index over what threads said and did, and how far it follows each log. How a search goes about finding is
 * `search-plan.ts`.
 */
import pLimit from 'p-limit'
import { Fault } from '../../protocol/error.ts'
import { shortLiteral } from '../../protocol/history.ts'
import { rootAgent } from '../../protocol/note.ts'
import { cleanText } from './append.ts'
import type { Db } from './db.ts'
import { countDocs, type Found, findDocs } from './search-plan.ts'
import type { PlanScope } from './search-slots.ts'
import type { Step } from './search-sql.ts'
import type { EventPlace, SearchDoc, SearchPlace, SearchQuery, SearchScope, SearchStore } from './types.ts'
import { visibleTo } from './visible.ts'

const tooShort = (): Fault =>
  new Fault(
    'bad_input',
    `Fewer than ${shortLiteral} characters are looked for in one thread at a time.`,
    'Search within a thread, or for more characters.',
  )

/** Walks of one search that are taken side by side. */
const walksAtOnce = 4

/** What several walks found, in the order of one; what lies behind where the first of them stopped is left for later. */
const inOneOrder = ({ scope, limit, recentFirst }: SearchQuery, found: Found[]): Found => {
  const [first] = found
  if (first && (found.length === 1 || scope.type === 'thread')) return first
  const direction = recentFirst ? -1 : 1
  const compare = (a: SearchPlace, b: SearchPlace): number =>
    direction *
    (a.at - b.at || (a.threadId === b.threadId ? a.seq - b.seq : a.threadId < b.threadId ? -1 : 1))
  const [stoppedAt = null] = found.flatMap((each) => each.stoppedAt ?? []).sort(compare)
  const docs = found
    .flatMap((each) => each.docs)
    .filter((doc) => stoppedAt === null || compare(doc, stoppedAt) <= 0)
    .sort(compare)
  return { docs: docs.slice(0, limit), stoppedAt }
}

const keyOf = ({ threadId, seq }: { threadId: string; seq: number | string }): string => `${threadId} ${seq}`

export const createSearchStore = (db: Db): SearchStore => {
  /** Words of which the dictionary keeps none (signs, for example) are looked for as they are written. */
  const hasWords = async (text: string): Promise<boolean> => {
    const rows = await db.query<{ nodes: number }>(
      `select numnode(websearch_to_tsquery('simple', $1)) as nodes`,
      [text],
    )
    return (rows[0]?.nodes ?? 0) > 0
  }

  /** The walks that a search takes: one per owner whose threads the reader sees, so that each follows an index. */
  const scopesOf = async (scope: SearchScope): Promise<PlanScope[]> => {
    if (scope.type === 'thread') return [scope]
    const others = await db.query<{ ownerId: string; threadIds: string[] }>(
      `select t."ownerId", array_agg(t.id) as "threadIds" from "Thread" t
       where t."ownerId" <> $1 and not t.importing and ${visibleTo('$1')} group by t."ownerId" order by t."ownerId"`,
      [scope.userId],
    )
    return [
      { type: 'owner', ownerId: scope.userId },
      ...others.map((owner): PlanScope => ({ type: 'owner', ...owner })),
    ]
  }

  const prepared = async (query: SearchQuery): Promise<Step[]> => {
    const text = cleanText(query.text)
    const isLiteral = query.mode === 'literal' || !(await hasWords(text))
    const isShort = isLiteral && [...text].length < shortLiteral
    if (isShort && query.scope.type === 'reader') throw tooShort()
    return (await scopesOf(query.scope)).map((scope) => ({ ...query, scope, text, isLiteral, isShort }))
  }

  return {
    mark: async (threadId) => {
      const rows = await db.query<{ seq: string }>(`select seq from "SearchMark" where "threadId" = $1`, [
        threadId,
      ])
      return Number(rows[0]?.seq ?? 0)
    },

    behind: async (userId) => {
      const rows = await db.query<{ threadId: string; mark: string }>(
        `select p."threadId", coalesce(m.seq, 0) as mark from "ThreadProjection" p
         join "Thread" t on t.id = p."threadId" and not t.importing left join "SearchMark" m on m."threadId" = p."threadId"
         where p.head > coalesce(m.seq, 0) and ($1::text is null or ${visibleTo('$1')})
         order by p."updatedAt" desc`,
        [userId ?? null],
      )
      return rows.map(({ threadId, mark }) => ({ threadId, mark: Number(mark) }))
    },

    add: (threadId, from, to, docs) =>
      db.transaction(async (client) => {
        await client.query(
          `insert into "SearchMark" ("threadId", seq) select id, 0 from "Thread" where id = $1 on conflict do nothing`,
          [threadId],
        )
        const { rowCount } = await client.query(
          `update "SearchMark" set seq = $3 where "threadId" = $1 and seq = $2`,
          [threadId, from, to],
        )
        if (rowCount !== 1) return false
        const column = (name: keyof SearchDoc): unknown[] => docs.map((doc) => doc[name])
        if (docs.length > 0)
          await client.query(
            `insert into "SearchDoc" ("threadId", "ownerId", seq, part, "itemId", "windowId", "agentPath", role, kind, tool, status,
               "actorId", at, "offset", text)
             select t.id, t."ownerId", u.seq, u.part, u."itemId", u."windowId", u."agentPath", u.role, u.kind, u.tool, u.status,
               u."actorId", to_timestamp(u.at / 1000), u."offset", u.text
             from unnest($2::int8[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
               $10::text[], $11::text[], $12::float8[], $13::int8[], $14::text[])
               as u(seq, part, "itemId", "windowId", "agentPath", role, kind, tool, status, "actorId", at, "offset", text)
             join "Thread" t on t.id = $1
             on conflict do nothing`,
            [
              threadId,
              ...(['seq', 'part', 'itemId', 'windowId', 'agentPath', 'role', 'kind'] as const).map(column),
              ...(['tool', 'status', 'actorId', 'at', 'offset'] as const).map(column),
              docs.map(({ text }) => cleanText(text)),
            ],
          )
        return true
      }),

    find: async (query) => {
      const limit = pLimit(walksAtOnce)
      const steps = await prepared(query)
      return inOneOrder(query, await Promise.all(steps.map((step) => limit(() => findDocs(db, step)))))
    },

    count: async (query, most, marks) => {
      const limit = pLimit(walksAtOnce)
      const steps = await prepared(query)
      const counted = await Promise.all(steps.map((step) => limit(() => countDocs(db, step, most))))
      const events = counted.flatMap((each) => each.events)
      const threads = new Map<string, number>()
      for (const { threadId, seq } of events) {
        if (seq > (marks.get(threadId) ?? Number.POSITIVE_INFINITY)) continue
        threads.set(threadId, (threads.get(threadId) ?? 0) + 1)
      }
      return { threads, more: counted.some(({ more }) => more) }
    },

    rank: async (words, docs) => {
      if (!(await hasWords(cleanText(words)))) return docs
      // What the index has is ranked from there; the others' texts are sent.
      const rows = await db.query<{ place: number; rank: number }>(
        `select u.place::int4 as place, ts_rank_cd(coalesce(d.tsv, to_tsvector('simple', u.text)),
           websearch_to_tsquery('simple', $1), 1) as rank
         from unnest($2::text[], $3::int8[], $4::int4[], $5::text[]) with ordinality
           as u("threadId", seq, part, text, place)
         left join "SearchDoc" d using ("threadId", seq, part)
         order by rank desc, u.place`,
        [
          cleanText(words),
          docs.map(({ threadId }) => threadId),
          docs.map(({ seq }) => seq),
          docs.map(({ part }) => part),
          docs.map(({ text }) => cleanText(text)),
        ],
      )
      return rows.flatMap(({ place }) => docs[place - 1] ?? [])
    },

    events: async (places) => {
      const rows = await db.query<EventPlace & { threadId: string; seq: string }>(
        `select u."threadId", u.seq, t.title as "threadTitle", coalesce(t."agentPath", '${rootAgent}') as "agentPath",
           e."turnId", e."stepId"
         from unnest($1::text[], $2::int8[]) as u("threadId", seq) join "Thread" t on t.id = u."threadId"
         left join "Event" e on e."threadId" = u."threadId" and e.seq = u.seq`,
        [places.map(({ threadId }) => threadId), places.map(({ seq }) => seq)],
      )
      return new Map(rows.map(({ threadId, seq, ...place }) => [keyOf({ threadId, seq }), place]))
    },

    matches: async (asked, texts) => {
      const words = cleanText(asked)
      if (!(await hasWords(words))) return texts.map((text) => text.includes(words))
      const rows = await db.query<{ fits: boolean }>(
        `select to_tsvector('simple', u.text) @@ websearch_to_tsquery('simple', $1) as fits
         from unnest($2::text[]) with ordinality as u(text, place) order by u.place`,
        [words, texts.map(cleanText)],
      )
      return rows.map(({ fits }) => fits)
    },
  }
}
