// Reads what the test runners wrote and turns it into one list of results and one last line.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './run.mjs'

const readJson = (path) => {
  try {
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  } catch {
    return undefined
  }
}

/** Each result: { name, file, status: passed | failed | skipped | flaky, words }. Undefined when the file is no report. */
export function readVitest(path) {
  const report = readJson(path)
  if (report?.testResults === undefined) return undefined
  return report.testResults.flatMap((entry) => {
    const file = relative(root, entry.name)
    const tests = entry.assertionResults.map((test) => ({
      file,
      name: test.fullName,
      status: { passed: 'passed', failed: 'failed' }[test.status] ?? 'skipped',
      words: (test.failureMessages ?? []).join('\n'),
    }))
    // A file that could not be loaded has a message and no test that failed.
    const broken = entry.status === 'failed' && !tests.some((test) => test.status === 'failed')
    if (broken) tests.push({ file, name: 'the file itself', status: 'failed', words: entry.message ?? '' })
    return tests
  })
}

/** The same for Playwright's JSON report. */
export function readPlaywright(path) {
  const report = readJson(path)
  if (report?.suites === undefined) return undefined
  const results = (report.errors ?? []).map((error) => ({
    file: 'e2e',
    name: 'the run itself',
    status: 'failed',
    words: error.message ?? '',
  }))
  const visit = (suite, trail) => {
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        const words = test.results
          .flatMap((result) => result.errors.map((error) => error.message ?? ''))
          .join('\n')
        const status = { expected: 'passed', unexpected: 'failed', flaky: 'flaky' }[test.status] ?? 'skipped'
        results.push({ file: spec.file, name: [...trail, spec.title].join(' › '), status, words })
      }
    }
    for (const inner of suite.suites ?? []) visit(inner, inner.title === '' ? trail : [...trail, inner.title])
  }
  for (const suite of report.suites) visit(suite, [])
  return results
}

// Terminal colours would hide the words in a log.
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')
export const plain = (text) => text.replace(COLOUR, '')

/** Prints failures in full and flaky ones in a line each, then the totals as the very last line. Returns the exit code. */
export function printResults(results) {
  const of = (status) => results.filter((result) => result.status === status)
  const failed = of('failed')
  for (const { file, name, words } of failed) console.log(`\n✗ ${file} › ${name}\n${plain(words)}`)
  for (const { file, name } of of('skipped')) console.log(`skipped: ${file} › ${name}`)
  for (const { file, name, words } of of('flaky'))
    console.log(`flaky (failed, then passed by itself): ${file} › ${name}: ${plain(words).split('\n')[0]}`)
  const passed = of('passed').length + of('flaky').length
  console.log(`\n${passed} passed, ${failed.length} failed, ${of('skipped').length} skipped`)
  return failed.length === 0 && passed > 0 ? 0 : 1
}
