// `npm test`: sets up what the tests need on a machine where nothing is installed, runs all of them, says the totals.
// Has a data folder, an installation id and a database of its own, so that it never touches a running server.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, forgetBuiltTypes, generate } from './lib/build.mjs'
import { closeAll, closeOnSignals } from './lib/closing.mjs'
import { prepare } from './lib/install.mjs'
import { ensurePrograms } from './lib/packages.mjs'
import { plain, printResults, readPlaywright, readVitest } from './lib/report.mjs'
import { pinnedNode, root, run, tail } from './lib/run.mjs'
import { main, Stop, step } from './lib/say.mjs'
import { browser, ownEnvironment, ownFolder, services } from './lib/services.mjs'

const PARTS = ['sources', 'unit', 'integration', 'build', 'e2e']
const MINUTE = 60_000
/** More files than this failing is no hiccup; they are not run again. */
const MOST_RUN_AGAIN = 6

const RUN_AGAIN_WITHIN_MS = 5 * MINUTE
const RUN_ITSELF = 'the run itself'

const results = []
const add = (found) => results.push(...found)

function bin(name) {
  return [join(root, 'node_modules/.bin', name)]
}

/** One check that has no tests of its own. */
async function check(name, args, env, timeoutMs = 5 * MINUTE) {
  const { code, output, timedOut } = await step(name, (note) =>
    run(pinnedNode, args, { env, note, timeoutMs }),
  )
  const words = `${timedOut ? `it took longer than ${timeoutMs / MINUTE} minutes\n` : ''}${tail(output, 200)}`
  add([{ file: 'sources', name, status: code === 0 ? 'passed' : 'failed', words }])
}

async function vitestOnce(project, filters, reportPath, env, note, timeoutMs) {
  rmSync(reportPath, { force: true })
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${reportPath}`]
  const args = [...bin('vitest'), 'run', '--project', project, '--passWithNoTests', ...reporters, ...filters]
  const outcome = await run(pinnedNode, args, { env, note: (line) => note(plain(line)), timeoutMs })
  const found = readVitest(reportPath)
  if (found === undefined) {
    const why = outcome.timedOut ? `was not done after ${timeoutMs / MINUTE} minutes` : 'left no report'
    return [
      {
        file: project,
        name: RUN_ITSELF,
        status: 'failed',
        words: `${why}\n${tail(outcome.output, 120)}`,
      },
    ]
  }
  // An error outside of any test ends the runner with a code, though every test passed.
  const failed = found.some(({ status }) => status === 'failed')
  if ((outcome.code !== 0 && !failed) || /Unhandled (Rejection|Error)/.test(outcome.output)) {
    found.push({ file: project, name: RUN_ITSELF, status: 'failed', words: tail(outcome.output, 120) })
  }
  return found
}

/** Runs one project of vitest; what failed is run once more, file by file, each in a process of its own. */
async function vitest(project, filters, folder, env, timeoutMs) {
  const report = join(folder, `${project}.json`)
  const began = performance.now()
  const found = await step(`${project} tests`, (note) =>
    vitestOnce(project, filters, report, env, note, timeoutMs),
  )
  const took = performance.now() - began
  const lost = found.find(({ name }) => name === RUN_ITSELF)
  if (lost !== undefined && took < RUN_AGAIN_WITHIN_MS) {
    const second = await step(`${project} tests once more`, (note) =>
      vitestOnce(project, filters, report, env, note, timeoutMs),
    )
    if (second.every(({ status }) => status !== 'failed')) second.push({ ...lost, status: 'flaky' })
    add(second)
    return
  }
  const failedFiles = [...new Set(found.filter(({ status }) => status === 'failed').map(({ file }) => file))]
  const again = failedFiles.filter((file) => existsSync(join(root, file)))
  if (again.length === 0 || again.length !== failedFiles.length || again.length > MOST_RUN_AGAIN) {
    add(found)
    return
  }
  for (const file of again) {
    const second = await step(`${file} once more`, (note) =>
      vitestOnce(project, [file], report, env, note, timeoutMs),
    )
    const passedNow = new Set(second.filter(({ status }) => status === 'passed').map(({ name }) => name))
    const calm = second.every(({ status }) => status !== 'failed')
    for (const result of found) {
      if (result.file !== file || result.status !== 'failed') continue
      const fine = result.name === 'the file itself' ? calm && passedNow.size > 0 : passedNow.has(result.name)
      if (fine) result.status = 'flaky'
      else result.words = second.find(({ name }) => name === result.name)?.words ?? result.words
    }
  }
  add(found)
}

async function playwright(filters, folder, env) {
  const report = join(folder, 'e2e.json')
  const args = [...bin('playwright'), 'test', '--reporter=list,json', '--pass-with-no-tests', ...filters]
  const timeoutMs = 14 * MINUTE
  const outcome = await step('journeys in Chromium', (note) =>
    run(pinnedNode, args, {
      env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
      note: (line) => note(plain(line)),
      timeoutMs,
    }),
  )
  const found = readPlaywright(report)
  if (found === undefined || (outcome.code !== 0 && !found.some(({ status }) => status === 'failed'))) {
    const why = outcome.timedOut
      ? `not done after ${timeoutMs / MINUTE} minutes`
      : `ended with code ${outcome.code}`
    add([
      {
        file: 'e2e',
        name: RUN_ITSELF,
        status: 'failed',
        words: `${why}\n${tail(outcome.output, 120)}`,
      },
    ])
  }
  add(found ?? [])
}

async function test(part, filters) {
  const parts = part === undefined ? PARTS : [part]
  const folder = ownFolder('baton-test-')
  const env = ownEnvironment(folder)
  await generate()

  if (parts.includes('sources')) {
    await check('format and lint', [...bin('biome'), 'ci', '.'], env)
    forgetBuiltTypes()
    await check('types', [...bin('tsc'), '--noEmit', '-p', '.'], env)
    await check('unused files and exports', [...bin('knip')], env)
  }
  if (parts.includes('unit') || parts.includes('integration'))
    await ensurePrograms(['git'], 'to check checkpoints against it')
  if (parts.includes('unit')) await vitest('unit', filters, folder, env, 6 * MINUTE)
  if (parts.includes('e2e')) await browser(env)
  if (parts.includes('integration') || parts.includes('e2e')) await services(folder, env)
  if (parts.includes('integration')) await vitest('integration', filters, folder, env, 14 * MINUTE)
  if (parts.includes('build') || parts.includes('e2e')) {
    const result = { file: 'sources', name: 'the app builds', status: 'passed', words: '' }
    await ensureBuilt().catch((error) => Object.assign(result, { status: 'failed', words: error.message }))
    add([result])
    if (parts.includes('e2e') && result.status === 'passed') await playwright(filters, folder, env)
  }
}

await main(async () => {
  const [part, ...filters] = process.argv.slice(2)
  if (part !== undefined && !PARTS.includes(part))
    throw new Stop(`npm test -- [${PARTS.join('|')}] [filter]: there is no part ${part}.`)
  await prepare()
  closeOnSignals(() => 130)
  try {
    await test(part, filters)
  } catch (error) {
    // Whatever kept the rest from running is a failure like any other, told before the totals.
    const words = error instanceof Stop ? error.message : (error.stack ?? String(error))
    add([{ file: 'npm test', name: 'setting up', status: 'failed', words }])
  }
  await closeAll()
  return printResults(results)
})
