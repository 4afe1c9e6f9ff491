// What the harness adds to a tool round: the bare loop first, then the same rounds through the real runtime, a real
// database and a real container. `--quick` runs a fifth of the rounds.

import type { TimedRequest } from '../scripted-model/timed.ts'
import { figure, median, progress, quantile } from '../setup/figures.ts'
import { type ServerParts, startServerParts } from '../setup/server-parts.ts'
import { bareLoop } from './parts/bare-loop.ts'
import { startChild } from './parts/child.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 100 : 500
const threads = 20
const roundsEach = 25
const long = `rounds:${rounds}`
const short = `rounds:${roundsEach}`

/** Last byte of an answer to the head of the next request, per conversation, in order. */
const gapsOf = (times: TimedRequest[], say: string): number[] => {
  const own = times.filter(({ lastUser }) => lastUser === say)
  return own.slice(1).map(({ headAt }, at) => headAt - (own[at]?.sentAt ?? headAt))
}

type Series = { median: number; p95: number; growth: number }
const edge = rounds / 5
const seriesOf = (gaps: number[]): Series => ({
  median: median(gaps),
  p95: quantile(gaps, 0.95),
  growth: median(gaps.slice(-edge)) - median(gaps.slice(edge / 5, edge / 5 + edge)),
})

const together = async (work: (say: string, at: number) => Promise<void>): Promise<number> => {
  const from = performance.now()
  await Promise.all(Array.from({ length: threads }, (_, at) => work(`Thread ${at}`, at)))
  return (threads * roundsEach * 1_000) / (performance.now() - from)
}

const model = await startChild(new URL('../scripted-model/timed.ts', import.meta.url))
let parts: ServerParts | null = null
try {
  progress(`bare loop, ${rounds} rounds`)
  await bareLoop(model.url, 'rounds:20', 'Warm')
  await model.ask('times')
  await bareLoop(model.url, long, 'Bare')
  const bare = seriesOf(gapsOf(await model.ask<TimedRequest[]>('times'), 'Bare'))
  progress(`bare loop, ${threads} at once`)
  const bareRate = await together((say) => bareLoop(model.url, short, say))

  progress('sandboxes')
  const real = await startServerParts(model.url, ['rounds:1', 'rounds:20', long, short])
  parts = real
  const alone = await real.createThread('rounds:20')
  await real.turn(alone, 'Warm')
  await real.setModel(alone, long)
  await model.ask('times')
  progress(`real loop, ${rounds} rounds`)
  await real.turn(alone, 'Real')
  const own = seriesOf(gapsOf(await model.ask<TimedRequest[]>('times'), 'Real'))

  progress(`real loop, ${threads} at once`)
  const many: string[] = []
  for (let at = 0; at < threads; at += 1) {
    const threadId = await real.createThread('rounds:1')
    await real.turn(threadId, 'Warm')
    await real.setModel(threadId, short)
    many.push(threadId)
  }
  const rate = await together((say, at) => real.turn(many[at] ?? '', say))

  const method = `from the model's last byte to the next request's head, seen by the model's own process; bash -c 'echo rN' in a container, PostgreSQL log; n = ${rounds}, one after the other`
  const bareMethod = `the same for the bare loop in the same run: fetch, SSE parsed, whole history, spawn bash; n = ${rounds}`
  figure({ name: 'round.bare', value: bare.median, unit: 'ms', method: bareMethod })
  figure({ name: 'round.bare.p95', value: bare.p95, unit: 'ms', method: 'its 95th percentile' })
  figure({
    name: 'round',
    value: own.median,
    unit: 'ms',
    goal: { atMost: 1.5 * bare.median },
    method: `median ${method}; goal 1.5 × the bare loop`,
  })
  figure({
    name: 'round.p95',
    value: own.p95,
    unit: 'ms',
    goal: { atMost: 2 * bare.p95 },
    method: '95th percentile of the same; goal 2 × the bare loop’s',
  })
  figure({
    name: 'round.growth',
    value: own.growth,
    unit: 'ms',
    goal: { atMost: bare.growth + 1 },
    method: `median of the last ${edge} rounds less the median of the first ${edge} after warming up; goal the bare loop’s + 1 ms`,
  })
  figure({
    name: 'rounds.bare',
    value: bareRate,
    unit: '/s',
    method: `${threads} bare loops at once, ${roundsEach} rounds each`,
  })
  figure({
    name: 'rounds.many',
    value: rate,
    unit: '/s',
    goal: { atLeast: 0.4 * bareRate },
    method: `${threads} threads at once in ${threads} containers, ${roundsEach} rounds each, model and database on the same machine; goal 0.4 × the bare loop’s`,
  })
} finally {
  await parts?.close()
  await model.stop()
}
