/**
 * Calls that write files in other programs' words (an old and a new text, or a whole file) as unified diffs, beside
 * patches as models write them. Such calls name no line numbers: what is made here has made-up ones, and the view hides
 * them. Whether the call succeeded is not asked here.
 */
import { structuredPatch } from 'diff'
import { type PatchFile, patchFiles } from './patch-diff.ts'

/** Characters of one side that are compared; beyond that all of the old goes and all of the new comes. */
const comparedChars = 200_000
/** Changed lines after which comparing is given up for the same. */
const comparedEdits = 2_000
/** Edits of one call that are shown. */
const mostEdits = 200

const pathNames = ['file_path', 'path', 'filePath', 'filename', 'target_file', 'notebook_path']
const oldNames = ['old_string', 'old_str', 'oldText', 'oldString', 'old_text', 'search']
const newNames = ['new_string', 'new_str', 'newText', 'newString', 'new_text', 'replace', 'new_source']
const wholeNames = ['content', 'file_text', 'contents', 'text']
const writes = /write|create|save/i
const looks = /^(?:view|read|undo_edit|cat|open)$/

const textOf = (values: Record<string, unknown>, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (typeof value === 'string') return value
  }
  return null
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

type Edit = { old: string; now: string }

const hunkOf = ({ old, now }: Edit, at: number): { lines: string[]; head: string }[] => {
  const isLarge = old.length > comparedChars || now.length > comparedChars
  const patch = isLarge
    ? undefined
    : structuredPatch('', '', old, now, '', '', { context: 3, maxEditLength: comparedEdits })
  const hunks = patch?.hunks ?? [
    {
      oldStart: 1,
      newStart: 1,
      lines: [...linesOf(old).map((line) => `-${line}`), ...linesOf(now).map((line) => `+${line}`)],
    },
  ]
  return hunks.map(({ oldStart, newStart, lines }) => {
    const kept = lines.filter((line) => !line.startsWith('\\'))
    const olds = kept.filter((line) => line[0] !== '+').length
    const news = kept.filter((line) => line[0] !== '-').length
    return { lines: kept, head: `@@ -${at + oldStart},${olds} +${at + newStart},${news} @@` }
  })
}

const fileOf = (path: string, edits: readonly Edit[], added: boolean): PatchFile => {
  const hunks: string[] = []
  let [additions, deletions, at] = [0, 0, 0]
  for (const edit of edits.slice(0, mostEdits)) {
    for (const { head, lines } of hunkOf(edit, at)) {
      hunks.push(head, ...lines)
      additions += lines.filter((line) => line[0] === '+').length
      deletions += lines.filter((line) => line[0] === '-').length
    }
    at += Math.max(linesOf(edit.old).length, linesOf(edit.now).length) + 10
  }
  // A path is one line of the diff's head, whatever a stranger put into it.
  const name = path.replace(/[\r\n]+/g, ' ')
  const from = added ? 'new file mode 100644\n--- /dev/null' : `--- a/${name}`
  const diff = `diff --git a/${name} b/${name}\n${from}\n+++ b/${name}\n${hunks.join('\n')}\n`
  return { path, diff, additions, deletions }
}

/** The files that a call writes, in order; none when it is no such call. `argumentsText` is its whole JSON, or the bare patch. */
export function filesOfCall(tool: string, argumentsText: string): PatchFile[] {
  const patched = patchFiles(argumentsText)
  if (patched.length > 0) return patched
  let parsed: unknown
  try {
    parsed = JSON.parse(argumentsText)
  } catch {
    return []
  }
  if (!isRecord(parsed)) return []
  const path = textOf(parsed, pathNames)
  if (path === null || path === '') return []
  const command = textOf(parsed, ['command'])
  if (command !== null && looks.test(command)) return []
  const entries = Array.isArray(parsed.edits) ? parsed.edits.filter(isRecord) : [parsed]
  const edits = entries.flatMap((entry): Edit[] => {
    const [old, now] = [textOf(entry, oldNames), textOf(entry, newNames)]
    // An insertion has a new text alone; a search has an old one alone, and writes nothing.
    return now === null || old === now ? [] : [{ old: old ?? '', now }]
  })
  if (edits.length > 0) return [fileOf(path, edits, false)]
  const whole = textOf(parsed, wholeNames)
  if (whole === null || !(writes.test(tool) || command === 'create')) return []
  return [fileOf(path, [{ old: '', now: whole }], true)]
}
