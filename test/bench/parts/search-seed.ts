/**
 * Documents of a search index, as many as asked, in a minute for a million: texts are cut in the database out of a pool
 * that is made here. Words are as common as in texts (the n-th is about n times as rare as the first), lengths
 * log-normal with some whole pieces of long outputs, threads interleaved in time, one of them with a third of all.
 */
import pg from 'pg'
import { newId } from '../../../src/protocol/ids.ts'
import { progress } from '../../setup/figures.ts'
import { numbersOf } from '../../setup/random.ts'

const vocabulary = 50_000
const poolRows = 4_000
/** Fits into a page of the database as it is, so that cutting a text out of it is cheap. */
const poolChars = 7_500
const connections = 2
const syllables = [
  ...['ra', 'ne', 'to', 'li', 'su', 'ka', 'per', 'mo', 'de', 'vi', 'con', 'sta', 'ger', 'ul', 'fo', 'ba'],
  ...['en', 'tri', 'ma', 'sol', 'pre', 'ex', 'or', 'qua', 'hy', 'je', 'wo', 'zin', 'al', 'cur', 'ti', 'ob'],
]

/** The word of a rank from 1: short when it is common, each with its own letters. */
export const wordOf = (rank: number): string => {
  let word = ''
  for (let rest = rank; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length]
  return word
}

const poolTexts = (): string[] => {
  const random = numbersOf(7)
  const gaps = [' ', ' ', ' ', ' ', ' ', ' ', ', ', '. ', '\n', '/', '-', ' = ']
  return Array.from({ length: poolRows }, () => {
    let text = ''
    while (text.length < poolChars - 40) {
      const rank = Math.floor(vocabulary ** random())
      text += wordOf(rank) + (gaps[Math.floor(random() * gaps.length)] ?? ' ')
    }
    return text
  })
}

export type Seeded = {
  ownerId: string
  /** The thread with a third of the documents, and one with few hundred. */
  hugeThreadId: string
  smallThreadId: string
  threads: number
  seconds: number
}

/** Fills the index for one person with `events` documents, and for colleagues with a tenth of that. */
export const seedSearch = async (
  url: string,
  projectId: string,
  { events, threads }: { events: number; threads: number },
): Promise<Seeded> => {
  const from = performance.now()
  const pool = new pg.Pool({ connectionString: url, max: connections })
  const [ownerId, colleagueId] = [newId('usr'), newId('usr')]
  const ids = Array.from({ length: threads }, () => newId('thr'))
  const others = Array.from({ length: 20 }, () => newId('thr'))
  try {
    for (const [owner, mine] of [
      [ownerId, ids],
      [colleagueId, others],
    ] as const)
      await pool.query(
        `insert into "Thread" (id, "projectId", "ownerId", title) select id, $2, $3, 'Searched' from unnest($1::text[]) id`,
        [mine, projectId, owner],
      )
    // Seeded like this, not through the log, since what is measured is the index. Its inverted indexes are made last.
    const { rows: made } = await pool.query<{ indexname: string; indexdef: string }>(
      `select indexname, indexdef from pg_indexes where tablename = 'SearchDoc' and indexdef like '%USING gin%'`,
    )
    for (const { indexname } of made) await pool.query(`drop index "${indexname}"`)

    await pool.query(`create unlogged table bench_pool (id int4 primary key, text text storage plain)`)
    await pool.query(
      `insert into bench_pool select place - 1, text from unnest($1::text[]) with ordinality as u(text, place)`,
      [poolTexts()],
    )
    // Threads interleave: the first has a third, of the rest the n-th about n times less than the second, colleagues a
    // tenth. Every third event is a document.
    await pool.query(
      `create unlogged table bench_plan (i int4 primary key, "threadId" text, "ownerId" text, seq int8)`,
    )
    await pool.query(
      `insert into bench_plan
       select i, t, o, row_number() over (partition by t order by i) * 3 from (
         select i, case when k > 0 then ($1::text[])[k] else ($2::text[])[1 + i % 20] end as t,
           case when k > 0 then $3 else $4 end as o
         from (select i, case when i % 11 = 10 then 0 when random() < 0.33 then 1
             else 1 + ceil(power($5::float8 - 1, random()))::int4 end as k
           from generate_series(1, $6::int4) i) picked) placed`,
      [ids, others, ownerId, colleagueId, threads, Math.ceil(events * 1.1)],
    )
    const slice = 25_000
    const total = Math.ceil(events * 1.1)
    let next = 0
    const work = async (): Promise<void> => {
      while (next < total) {
        const at = next
        next += slice
        await pool.query(slices, [at, at + slice, poolRows])
        if (at % 200_000 === 0) progress(`${at} documents`)
      }
    }
    await Promise.all(Array.from({ length: connections }, work))
    await pool.query('drop table bench_pool, bench_plan')
    progress('indexes')
    const builds = made.map(async ({ indexdef }) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`set maintenance_work_mem = '512MB'`)
      await client.query(indexdef)
      await client.end()
    })
    await Promise.all(builds)
    await pool.query('vacuum (analyze) "SearchDoc"')
    return {
      ownerId,
      threads,
      hugeThreadId: ids[0] ?? '',
      smallThreadId: ids[threads - 1] ?? '',
      seconds: (performance.now() - from) / 1_000,
    }
  } finally {
    await pool.end()
  }
}

/** One document in fifty is a whole piece of a long output; one in five thousand names a file of its own. */
const slices = `
  insert into "SearchDoc" ("threadId", "ownerId", seq, part, "itemId", "windowId", "agentPath", role, kind, tool, "actorId", at,
    "offset", text)
  select p."threadId", p."ownerId", p.seq, 0, 'itm_' || p.i, 'win_' || p.seq / 3000, '/root',
    case when p.k < 0.1 then 'user' when p.k < 0.35 then 'assistant' else 'tool' end,
    case when p.k < 0.1 then 'user_message' when p.k < 0.35 then 'agent_message' else 'tool_call' end,
    case when p.k >= 0.35 then 'exec_command' end, 'agent',
    timestamptz '2027-01-01' + p.i * interval '10 seconds', 0,
    case when p.long then b.text || c.text else substr(b.text, 1 + floor(p.r * (7000 - p.chars))::int4, p.chars) end
      || case when p.i % 5000 = 17 then ' /srv/app/port-' || p.i || '.conf' else '' end
  from (
    select *, random() as k, random() as r, random() < 0.02 as long, floor(random() * $3)::int4 as row,
      floor(random() * $3)::int4 as second, least(6900, 20 + exp(random_normal(5.7, 1.1)))::int4 as chars
    from bench_plan where i > $1 and i <= $2
  ) p join bench_pool b on b.id = p.row join bench_pool c on c.id = p.second
  order by p.i`
