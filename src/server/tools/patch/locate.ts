/** Finds where a run of lines stands in a file, at four levels of forgiveness. Knows lines only. */
import { matchLevels } from './lines.ts'

/**
 * A finder over one file's lines. Each level's form of the lines is made once, when that level is first needed.
 * The finder answers the index of the first place at or after `from`, or null; with `atEnd` only the file's end counts.
 * An empty run is found at `from`.
 */
export const finder = (lines: string[]): ((run: string[], from: number, atEnd: boolean) => number | null) => {
  const forms: (string[] | undefined)[] = []
  return (run, from, atEnd) => {
    if (run.length === 0) return from
    const lastStart = lines.length - run.length
    if (lastStart < from) return null
    for (const [level, form] of matchLevels.entries()) {
      const known = (forms[level] ??= lines.map(form))
      const wanted = run.map(form)
      for (let start = atEnd ? lastStart : from; start <= lastStart; start++) {
        if (wanted.every((line, offset) => known[start + offset] === line)) return start
      }
    }
    return null
  }
}
