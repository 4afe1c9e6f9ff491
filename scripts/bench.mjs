// `npm run bench -- <name>… [--json] [--option value | --option=value]…`: runs test/bench/<name>.ts with everything it
// needs, shows figures against goals. Names come first; every option but `--json` goes to each benchmark as it is, and
// the head of its file says which it knows, for example `npm run bench -- search --events 1000000`.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './lib/build.mjs'
import { closeAll, closeOnSignals } from './lib/closing.mjs'
import { prepare } from './lib/install.mjs'
import { pinnedNode, root } from './lib/run.mjs'
import { keepStdoutForResults, main, Stop } from './lib/say.mjs'
import { browser, database, engine, ownEnvironment, ownFolder } from './lib/services.mjs'

const benches = join(root, 'test/bench')
const names = () =>
  existsSync(benches)
    ? readdirSync(benches)
        .filter((file) => file.endsWith('.ts'))
        .map((file) => file.slice(0, -3))
    : []

/** These need a database alone: no Docker engine, no browser, no build of the pages. */
const DATABASE_ONLY = ['handover', 'import', 'search']

/** What was asked for: names, then options with their values. Throws a Stop that says how it is written. */
function askedFor(given) {
  const rest = given.filter((each) => each !== '--json')
  const first = rest.findIndex((each) => each.startsWith('-'))
  const wanted = first < 0 ? rest : rest.slice(0, first)
  const unknown = wanted.find((name) => !names().includes(name))
  if (wanted.length === 0 || unknown !== undefined)
    throw new Stop(
      `npm run bench -- <name>… [--json] [options], where <name> is one of: ${names().join(', ')}. Names come first; options such as "--events 1000000" go to each benchmark, and the head of test/bench/<name>.ts says which it knows.`,
    )
  return { wanted, options: first < 0 ? [] : rest.slice(first), json: rest.length < given.length }
}

/** Runs one benchmark; it writes one JSON line per figure to stdout, everything else to stderr. */
function runBench(name, options, env, onFigure) {
  return new Promise((resolve, reject) => {
    const flags = ['--disable-warning=ExperimentalWarning', '--expose-gc']
    const child = spawn(pinnedNode, [...flags, join(benches, `${name}.ts`), ...options], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let rest = ''
    child.stdout.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) if (line.startsWith('{')) onFigure(JSON.parse(line))
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function printTable(figures) {
  const rows = [
    ['', 'figure', 'value', 'goal', 'how it was measured'],
    ...figures.map(({ name, value, unit, goal, ok, method }) => [
      ok === null ? ' ' : ok ? '✓' : '✗',
      name,
      `${Number(value.toPrecision(4))} ${unit}`,
      String(goal ?? ''),
      method,
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column].length)))
  for (const row of rows)
    console.log(row.map((cell, column) => (column < 4 ? cell.padEnd(widths[column]) : cell)).join('  '))
}

await main(async () => {
  const { wanted, options, json } = askedFor(process.argv.slice(2))
  if (json) keepStdoutForResults()
  await prepare()
  closeOnSignals(() => 130)
  let code = 0
  try {
    const folder = ownFolder('baton-bench-')
    const env = { ...ownEnvironment(folder), NODE_ENV: 'production' }
    await database(folder, env, { durable: true })
    if (wanted.some((name) => !DATABASE_ONLY.includes(name))) {
      await browser(env)
      await engine(env)
      await ensureBuilt()
    }
    for (const name of wanted) {
      const figures = []
      const ended = await runBench(name, options, env, (figure) => {
        figures.push(figure)
        if (json) console.log(JSON.stringify(figure))
      })
      if (!json) printTable(figures)
      if (ended !== 0) code = 1
    }
  } finally {
    await closeAll()
  }
  return code
})
