// Where the collected real-world cases are, when they are there. They are never part of the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = process.env.CASES_DIR ?? resolve('../shared/cases')

/** A folder of cases; `present` is false without it, and then the lists are empty and its tests are to be skipped. */
export const casesIn = (...folder: string[]) => {
  const path = join(root, ...folder)
  const present = existsSync(path)
  return {
    present,
    path,
    names: (ending: string): string[] =>
      present
        ? readdirSync(path)
            .filter((name) => name.endsWith(ending))
            .sort()
        : [],
    json: <T>(name: string): T => JSON.parse(readFileSync(join(path, name), 'utf8')) as T,
    /** A list in one JSON file, numbered, for `it.each`. */
    list: <T>(name: string): [number, T][] =>
      present
        ? (JSON.parse(readFileSync(join(path, name), 'utf8')) as T[]).map((entry, at) => [at, entry])
        : [],
  }
}
