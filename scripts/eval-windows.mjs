// `npm run eval:windows [-- --json] [--tasks DIR] [--only TASK] [--strategy NAME]`: what each strategy keeps of facts
// that lie windows back, as a table or one JSON line for each task and strategy.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generate } from './lib/build.mjs'
import { closeAll, closeOnSignals, onClose } from './lib/closing.mjs'
import { prepare } from './lib/install.mjs'
import { startPostgres } from './lib/postgres.mjs'
import { pinnedNode, root } from './lib/run.mjs'
import { keepStdoutForResults, main, Stop, step } from './lib/say.mjs'
import { ownEnvironment, ownFolder, VENDOR_SETTINGS } from './lib/services.mjs'

const COLUMNS = [
  'strategy',
  'task',
  'windows',
  'facts',
  'first',
  'oneCall',
  'twoCalls',
  'lost',
  'tokens',
  'handoverMs',
]
/** Goals of the strategy `windows`. */
const GOAL = { lost: 0, reachableShare: 0.9, handoverMs: 50, itemsTask: 'after-ten-thousand-items' }

/** Options for the evaluation, `--name value` and `--name=value` alike. Throws a Stop for what it does not know. */
function optionsOf(given) {
  const options = []
  for (let at = 0; at < given.length; at++) {
    const [, name, inline] = /^--(tasks|only|strategy)(?:=(.+))?$/.exec(given[at]) ?? []
    if (given[at] === '--json') continue
    const value = inline ?? given[++at]
    if (name === undefined || value === undefined)
      throw new Stop(
        'npm run eval:windows -- [--json] [--tasks DIR] [--only TASK] [--strategy windows|handoff|layers]',
      )
    if (name === 'tasks' && !existsSync(value)) throw new Stop(`There is no folder ${value}.`)
    options.push(`--${name}=${name === 'tasks' ? resolve(value) : value}`)
  }
  return options
}

/** One JSON line per task and strategy from stdout; everything else goes to stderr. */
function runEvaluation(options, env, onOutcome) {
  return new Promise((done, reject) => {
    const args = ['--disable-warning=ExperimentalWarning', join(root, 'test/eval/main.ts'), ...options]
    const child = spawn(pinnedNode, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    onClose('evaluation', () => child.kill())
    let rest = ''
    child.stdout.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) if (line.startsWith('{')) onOutcome(JSON.parse(line))
    })
    child.on('error', reject)
    child.on('close', (code) => done(code ?? 1))
  })
}

function printTable(outcomes) {
  const rows = [COLUMNS, ...outcomes.map((each) => COLUMNS.map((column) => String(each[column])))]
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at].length)))
  for (const row of rows)
    console.log(
      row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
    )
}

const sum = (outcomes, column) => outcomes.reduce((total, each) => total + each[column], 0)

/** Totals of each strategy, then the goals; true when all of them are met. */
function printTotals(outcomes) {
  console.log('')
  for (const strategy of new Set(outcomes.map((each) => each.strategy))) {
    const own = outcomes.filter((each) => each.strategy === strategy)
    const [first, one, two, lost] = ['first', 'oneCall', 'twoCalls', 'lost'].map((column) => sum(own, column))
    console.log(
      `${strategy}: ${sum(own, 'facts')} facts, ${first} in the first request, ${one} by one call, ${two} by two, ${lost} lost; ${sum(own, 'tokens')} tokens`,
    )
  }
  // Figures of real models stand in the table; the goals are about the mechanism.
  const scripted = outcomes.filter((each) => each.strategy === 'windows' && !each.task.includes(' '))
  if (scripted.length === 0) return true
  const share = (sum(scripted, 'first') + sum(scripted, 'oneCall')) / sum(scripted, 'facts')
  const late = scripted.find((each) => each.task === GOAL.itemsTask)
  const goals = [
    [sum(scripted, 'lost') === GOAL.lost, `${sum(scripted, 'lost')} facts lost (goal ${GOAL.lost})`],
    [
      share >= GOAL.reachableShare,
      `${(share * 100).toFixed(0)} % reachable in at most one call (goal ≥ ${GOAL.reachableShare * 100} %)`,
    ],
  ]
  if (late !== undefined)
    goals.push([
      late.handoverMs <= GOAL.handoverMs,
      `hand-over at 10,000 items ${late.handoverMs} ms (goal ≤ ${GOAL.handoverMs} ms)`,
    ])
  for (const [ok, words] of goals) console.log(`${ok ? '✓' : '✗'} windows: ${words}`)
  return goals.every(([ok]) => ok)
}

await main(async () => {
  const given = process.argv.slice(2)
  const json = given.includes('--json')
  if (json) keepStdoutForResults()
  const options = optionsOf(given)
  await prepare()
  await generate()
  closeOnSignals(() => 130)
  try {
    const folder = ownFolder('baton-eval-')
    const env = { ...ownEnvironment(folder), NODE_ENV: 'test' }
    // With a key of the person's own it runs on a real model too.
    for (const name of VENDOR_SETTINGS) if (process.env[name]) env[name] = process.env[name]
    const database = await step('a PostgreSQL of its own', () => startPostgres(folder, { durable: true }))
    onClose('PostgreSQL', () => database.stop())
    env.DATABASE_URL = database.url
    const outcomes = []
    const ended = await runEvaluation(options, env, (outcome) => {
      outcomes.push(outcome)
      if (json) console.log(JSON.stringify(outcome))
    })
    if (json) return ended
    printTable(outcomes)
    const met = printTotals(outcomes)
    return ended === 0 && met ? 0 : 1
  } finally {
    await closeAll()
  }
})
