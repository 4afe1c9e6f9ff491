export type Result = {
  file: string
  name: string
  status: 'passed' | 'failed' | 'skipped' | 'flaky'
  words: string
}
/** The results in a JSON report of vitest; undefined when the file holds none. */
export function readVitest(path: string): Result[] | undefined
/** The same for Playwright. */
export function readPlaywright(path: string): Result[] | undefined
/** Prints failures and totals; returns the exit code. */
export function printResults(results: Result[]): number
