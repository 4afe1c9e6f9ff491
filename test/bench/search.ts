// Search over many events: the newest twenty of a common word, a rare one, two words, a phrase, a literal, in all threads
// of one person and in one thread. `--events N` seeds so many (1,000,000 is the figure's; less is said in the method).
import pg from 'pg'
import { newId } from '../../src/protocol/ids.ts'
import type { SearchQuery } from '../../src/server/store/types.ts'
import { figure, median, progress, quantile } from '../setup/figures.ts'
import { openTestStore } from '../setup/store.ts'

const given = process.argv.indexOf('--events')
const events = given < 0 ? 200_000 : Number(process.argv[given + 1])
const threads = 200
const perThread = Math.ceil(events / threads)
const wordsInDoc = 150
const rounds = 40

const base = await openTestStore()
const client = new pg.Client({ connectionString: base.url })
await client.connect()
try {
  const { store } = base
  const ownerId = newId('usr')
  const project = await store.projects.create({ name: 'Search' }, ownerId)
  const ids = Array.from({ length: threads }, () => newId('thr'))
  await client.query(
    `insert into "Thread" (id, "projectId", "ownerId", title) select id, $2, $3, 'Searched' from unnest($1::text[]) id`,
    [ids, project.id, ownerId],
  )

  progress(`${perThread * threads} documents of about ${wordsInDoc * 6} bytes`)
  const from = performance.now()
  // Words as they are in texts: the n-th most common one is about n times as rare as the first. Seeded like this, not
  // through the log, since what is measured is the index.
  const indexes = ['words', 'literals'].map((name) => `SearchDoc_${name}`)
  const { rows: made } = await client.query<{ indexdef: string }>(
    'select indexdef from pg_indexes where indexname = any($1)',
    [indexes],
  )
  for (const name of indexes) await client.query(`drop index "${name}"`)
  for (const [index, id] of ids.entries()) {
    await client.query(
      `insert into "SearchDoc" ("threadId", seq, part, "itemId", "windowId", "agentPath", role, kind, "actorId", at, "offset", text)
       select $1, s, 0, 'itm_' || $1 || s, 'win', '/root', 'assistant', 'agent_message', 'agent',
         timestamptz '2027-01-01' + (s * $4::int4 + $2::int4) * interval '1 second', 0,
         (select string_agg('w' || floor(exp(random() * ln(50000)))::int4, ' ') from generate_series(1, ${wordsInDoc}) where s > 0)
           || case when random() < 0.0002 then ' /srv/app/port-' || s || '.conf' else '' end
       from generate_series(1, $3::int4) s`,
      [id, index, perThread, threads],
    )
    if (index % 50 === 49) progress(`${index + 1} threads`)
  }
  progress('indexes')
  await client.query(`set maintenance_work_mem = '512MB'`)
  for (const { indexdef } of made) await client.query(indexdef)
  const seedS = (performance.now() - from) / 1_000
  await client.query('vacuum analyze "SearchDoc"')

  const kinds: Record<string, (n: number) => Pick<SearchQuery, 'mode' | 'text'>> = {
    'common word': (n) => ({ mode: 'words', text: `w${1 + (n % 10)}` }),
    'rare word': (n) => ({ mode: 'words', text: `w${20_000 + n * 311}` }),
    'two words': (n) => ({ mode: 'words', text: `w${30 + n} w${400 + n * 7}` }),
    phrase: (n) => ({ mode: 'words', text: `"w${5 + (n % 20)} w${9 + n}"` }),
    literal: (n) => ({ mode: 'literal', text: `port-${n * 13}` }),
    'literal of three': (n) => ({ mode: 'literal', text: `t-${(n % 90) + 10}`.slice(0, 3) }),
  }
  const method = `newest 20 of ${perThread * threads} documents in ${threads} threads, seeded in ${seedS.toFixed(0)} s; n = ${rounds} for each kind`
  const scopes: SearchQuery['scope'][] = [
    { type: 'owner', ownerId },
    { type: 'thread', threadId: ids[7] ?? '' },
  ]
  for (const scope of scopes) {
    const all: number[] = []
    for (const [kind, make] of Object.entries(kinds)) {
      const times: number[] = []
      let hits = 0
      for (let n = 0; n < rounds; n += 1) {
        const started = performance.now()
        const found = await store.search.find({
          ...make(n),
          scope,
          limit: 20,
          recentFirst: true,
          after: null,
        })
        times.push(performance.now() - started)
        hits += found.length
      }
      all.push(...times)
      const name = `search.${scope.type}.${kind.replaceAll(' ', '-')}`
      const words = `${method}; ${(hits / rounds).toFixed(1)} hits on average`
      figure({ name, value: median(times), unit: 'ms', method: words })
      figure({ name: `${name}.p95`, value: quantile(times, 0.95), unit: 'ms', method: words })
    }
    const value = quantile(all, 0.95)
    figure({ name: `search.${scope.type}.p95`, value, unit: 'ms', goal: { atMost: 100 }, method })
  }
} finally {
  await client.end()
  await base.close()
}
