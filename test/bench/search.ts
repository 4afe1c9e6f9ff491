// Search over many events: the newest twenty of what people and agents look for, in all threads of one person, in a
// thread with a third of them and in a small one. `--events N`: so many documents (1,000,000 is the figure's, and the
// default; seeding that takes three minutes); `--rounds N`: searches of each kind and scope (default 40).
import { parseArgs } from 'node:util'
import { newId } from '../../src/protocol/ids.ts'
import { type SearchRequest, search } from '../../src/server/search/search.ts'
import { figure, median, progress, quantile } from '../setup/figures.ts'
import { openTestStore } from '../setup/store.ts'
import { seedSearch, wordOf } from './parts/search-seed.ts'

const { values: given } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '40' } },
})
const events = Number(given.events)
const rounds = Number(given.rounds)
if (!(events >= 1_000 && rounds >= 1)) throw new Error('--events from 1,000, --rounds from 1.')

type Asked = Pick<SearchRequest, 'mode' | 'text'> & Partial<SearchRequest>
const words = (text: string, more: Partial<SearchRequest> = {}): Asked => ({ mode: 'words', text, ...more })
const literal = (text: string): Asked => ({ mode: 'literal', text })
const range = (n: number, from: number, step: number): string => wordOf(from + n * step)

/** The kinds of the figure's goal. */
const kinds: Record<string, (n: number) => Asked> = {
  'common word': (n) => words(range(n, 1, 1)),
  'rare word': (n) => words(range(n, 20_000, 311)),
  'two words': (n) => words(`${range(n, 30, 1)} ${range(n, 400, 7)}`),
  phrase: (n) => words(`"${range(n % 20, 5, 1)} ${range(n, 9, 1)}"`),
  literal: (n) => literal(`port-${17 + 5_000 * ((n * 13) % Math.ceil(events / 5_000))}`),
  'literal of three': (n) => literal(`${range(n, 40, 9)} ${wordOf(n + 3)}`.slice(-7, -4)),
}
/** Harder ones and other doors, without a goal. */
const others: Record<string, (n: number) => Asked> = {
  'word in between': (n) => words(range(n, 200, 200)),
  'phrase that is rare': (n) => words(`"${range(n, 60, 5)} ${range(n, 90, 4)}"`),
  'phrase of three': (n) => words(`"${range(n, 2, 1)} ${range(n, 3, 1)} ${range(n, 1, 1)}"`),
  'literal of two words': (n) => literal(`${range(n, 10, 3)} ${range(n, 20, 4)}`),
  'nothing at all': (n) => words(`"${range(n, 9, 7)} nowhere${n}"`),
  'best of a common word': (n) => words(range(n, 1, 1), { order: 'best' }),
  'counted word': (n) => words(range(n, 20, 90), { count: true }),
}

const base = await openTestStore()
try {
  const { store } = base
  const project = await store.projects.create({ name: 'Search' }, newId('usr'))
  progress(`${events} documents`)
  const seeded = await seedSearch(base.url, project.id, { events, threads: 400 })
  const method = `newest 20 of ${events} documents in ${seeded.threads} threads, and a tenth more of other people; seeded in ${seeded.seconds.toFixed(0)} s; n = ${rounds} for each kind`
  const scopes: Record<string, SearchRequest['scope']> = {
    'all-threads': { type: 'reader', userId: seeded.ownerId },
    'huge-thread': { type: 'thread', threadId: seeded.hugeThreadId },
    'small-thread': { type: 'thread', threadId: seeded.smallThreadId },
  }
  const everybody = async (ids: string[]) => new Set(ids)
  for (const [scopeName, scope] of Object.entries(scopes)) {
    const all: number[] = []
    for (const [kind, make] of Object.entries({ ...kinds, ...others })) {
      const times: number[] = []
      let hits = 0
      let cut = 0
      for (let n = 0; n < rounds; n += 1) {
        const request: SearchRequest = { order: 'newest', ...make(n), scope, limit: 20 }
        const from = performance.now()
        const found = await search(store, everybody, request)
        times.push(performance.now() - from)
        hits += found.entries.length
        if (found.incomplete) cut += 1
      }
      const isGoal = kinds[kind] !== undefined
      if (isGoal) all.push(...times)
      const name = `search.${scopeName}.${kind.replaceAll(' ', '-')}`
      const how = `${method}; ${(hits / rounds).toFixed(1)} hits on average${cut > 0 ? `; ${cut} looked only so far` : ''}`
      figure({ name, value: median(times), unit: 'ms', method: how })
      const p95 = { name: `${name}.p95`, value: quantile(times, 0.95), unit: 'ms', method: how }
      figure(isGoal ? { ...p95, goal: { atMost: 100 } } : p95)
    }
    const name = `search.${scopeName}.p95`
    figure({ name, value: quantile(all, 0.95), unit: 'ms', goal: { atMost: 100 }, method })
  }
} finally {
  await base.close()
}
