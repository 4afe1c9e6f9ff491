// What a hand-over to a new window costs in a long thread: real database, real runtime, a model and a sandbox in memory.
// The time is that of composing the new window, of the bounded reads behind it, and of its append with its commit.
// `--items N` gives the thread so many calls before (10,000 is the figure's, and the default).
import { parseArgs } from 'node:util'
import { figure, median, progress, quantile } from '../setup/figures.ts'
import { startTestRuntime } from '../setup/runtime.ts'
import { answers, calls, ends, type Script } from '../setup/scripted-provider.ts'

const { values: given } = parseArgs({ options: { items: { type: 'string', default: '10000' } } })
const items = Number(given.items)
const perStep = 20
const handOvers = 40
/** A thousand calls in a window are as much as a large model takes. */
const stepsPerWindow = 50

const times: number[] = []
const test = await startTestRuntime({
  interceptors: [
    {
      window: async (_context, next) => {
        const from = performance.now()
        const result = await next()
        times.push(performance.now() - from)
        return result
      },
    },
  ],
})
try {
  const threadId = await test.createThread()
  const look = (step: number): Script => [
    ...Array.from({ length: perStep }, (_, n) =>
      calls(`c${n}`, 'notes_search', { query: `q${step}.${n}` }, n),
    ).flat(),
    ...ends('tool_calls'),
  ]
  const plan = Array.from({ length: 30 }, (_, n) => ({
    step: `Sub-task ${n} of the long work`,
    status: n < 20 ? 'completed' : 'pending',
  }))
  const note = (n: number): Script => [
    ...calls('n', 'notes_write', { path: `notes/${n}.md`, text: `Fact ${n}.` }),
    ...ends('tool_calls'),
  ]
  const renew = (n: number): Script => [
    ...calls('p', 'update_plan', { plan, explanation: `After ${n}.` }),
    ...calls('r', 'new_context', {}, 1),
    ...ends('tool_calls'),
  ]
  const done: Script = answers('Done.')

  const steps = Math.ceil(items / perStep)
  progress(`${items} calls in ${Math.floor(steps / stepsPerWindow)} windows`)
  test.play([
    ...Array.from({ length: steps }, (_, step) =>
      step % stepsPerWindow === stepsPerWindow - 1 ? [look(step), renew(step)] : [look(step)],
    ).flat(),
    ...Array.from({ length: 30 }, (_, n) => note(n)),
    ...Array.from({ length: handOvers }, (_, n) => [renew(n), look(items + n)]).flat(),
    done,
  ])
  const from = performance.now()
  await test.say(threadId, 'Work through the whole list.')
  for (let ended = false; !ended; ) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    // Requests are of no interest here, and there are many.
    test.bodies.length = 0
    const row = await test.store.threads.get(threadId)
    ended = row.status === 'idle' || row.status === 'failed'
    if (row.lastError !== null) throw new Error(row.lastError.message)
  }
  progress(`${((performance.now() - from) / 1_000).toFixed(0)} s`)
  const { head } = await test.store.threads.get(threadId)
  const measured = times.slice(-handOvers)
  const method = `${handOvers} hand-overs in a thread of ${items} calls and ${head} events: bounded reads, composing, append and commit; PostgreSQL on the same machine`
  figure({
    name: 'handover',
    value: median(measured),
    unit: 'ms',
    goal: { atMost: 50 },
    method: `median of ${method}`,
  })
  figure({
    name: 'handover.p95',
    value: quantile(measured, 0.95),
    unit: 'ms',
    goal: { atMost: 50 },
    method: '95th percentile of the same',
  })
  const earlier = times.slice(1, -handOvers)
  figure({
    name: 'handover.large',
    value: median(earlier),
    unit: 'ms',
    method: `median of ${earlier.length} hand-overs out of windows of ${perStep * stepsPerWindow} calls`,
  })
} finally {
  await test.close()
}
