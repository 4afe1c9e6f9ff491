/**
 * Whether the rules in a request are the files they are said to be: their words are taken out of the block that was sent
 * and hashed here, in the browser. Knows the frame that rules stand in, and no wire.
 */
import { sha256 } from './rollout-text.ts'

export type RuleFile = { path: string; hash: string }
export type CheckedRule = RuleFile & { status: 'ok' | 'changed' | 'unchecked' }

const frame = /<INSTRUCTIONS>\n([\s\S]*)\n<\/INSTRUCTIONS>/
/** Between the person's own rules and the project's, and between files of the project. */
const between = /\n\n(?:--- project-doc ---\n\n)?/g

/** Where a file that begins at `from` ends so that its words hash as they should; -1 when nowhere. */
async function endOf(body: string, from: number, hash: string): Promise<number | null> {
  const ends = [...body.slice(from).matchAll(between)].map((match) => from + match.index)
  // Whole first: most workspaces have one file.
  for (const end of [body.length, ...ends]) {
    const digest = await sha256(new TextEncoder().encode(body.slice(from, end)))
    if (digest === null) return null
    if (digest === hash) return end
  }
  return -1
}

/** Holds what a block of rules says against the hashes that were recorded when the window was opened. */
export async function checkRules(words: string, files: readonly RuleFile[]): Promise<CheckedRule[]> {
  const body = frame.exec(words)?.[1]
  if (body === undefined) return files.map((file) => ({ ...file, status: 'unchecked' }))
  const checked: CheckedRule[] = []
  let from = 0
  for (const file of files) {
    const end = await endOf(body, from, file.hash)
    checked.push({ ...file, status: end === null ? 'unchecked' : end < 0 ? 'changed' : 'ok' })
    if (end === null || end < 0) continue
    const gap = body.slice(end).match(/^\n\n(?:--- project-doc ---\n\n)?/)?.[0].length ?? 0
    from = end + gap
  }
  return checked
}
