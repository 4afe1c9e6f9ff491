/**
 * A patch as models write it (`*** Begin Patch`), turned into unified diffs that a diff view can show. The patch names no
 * line numbers, so the hunks have made-up ones; the view hides them. It reads leniently, because it also shows patches
 * that are still being written.
 */

export type PatchFile = { path: string; diff: string; additions: number; deletions: number }

const patchText = (argumentsText: string): string => {
  try {
    const parsed: unknown = JSON.parse(argumentsText)
    const found =
      typeof parsed === 'string'
        ? parsed
        : Object.values((parsed ?? {}) as Record<string, unknown>).find(
            (value): value is string => typeof value === 'string' && value.includes('*** '),
          )
    return found ?? ''
  } catch {
    return argumentsText
  }
}

type Open = { path: string; movedTo: string | null; kind: 'Add' | 'Update' | 'Delete'; lines: string[] }

function hunks(lines: readonly string[]): string {
  const out: string[] = []
  let body: string[] = []
  let [oldAt, newAt] = [1, 1]
  const flush = (): void => {
    if (body.length === 0) return
    const olds = body.filter((line) => line[0] !== '+').length
    const news = body.filter((line) => line[0] !== '-').length
    out.push(`@@ -${oldAt},${olds} +${newAt},${news} @@`, ...body)
    oldAt += olds + 10
    newAt += news + 10
    body = []
  }
  for (const line of lines) {
    if (line.startsWith('@@') || line === '*** End of File') flush()
    else body.push(line === '' ? ' ' : line)
  }
  flush()
  return out.join('\n')
}

function finish(open: Open): PatchFile {
  const additions = open.lines.filter((line) => line.startsWith('+')).length
  const deletions = open.lines.filter((line) => line.startsWith('-')).length
  const to = open.movedTo ?? open.path
  const head =
    open.kind === 'Add'
      ? `diff --git a/${to} b/${to}\nnew file mode 100644\n--- /dev/null\n+++ b/${to}`
      : open.movedTo === null
        ? `diff --git a/${to} b/${to}\n--- a/${to}\n+++ b/${to}`
        : `diff --git a/${open.path} b/${to}\nrename from ${open.path}\nrename to ${to}\n--- a/${open.path}\n+++ b/${to}`
  return { path: to, diff: `${head}\n${hunks(open.lines)}\n`, additions, deletions }
}

/** The files of a patch call, in order. `argumentsText` is the call's JSON or the bare patch. */
export function patchFiles(argumentsText: string): PatchFile[] {
  const files: PatchFile[] = []
  let open: Open | null = null
  const close = (): void => {
    if (open) files.push(finish(open))
    open = null
  }
  for (const line of patchText(argumentsText).split(/\r?\n/)) {
    const start = line.match(/^\*\*\* (Add|Update|Delete) File: (.+)$/)
    if (start) {
      close()
      open = { kind: start[1] as Open['kind'], path: (start[2] ?? '').trim(), movedTo: null, lines: [] }
    } else if (line.startsWith('*** End Patch')) close()
    else if (open !== null) {
      const current: Open = open
      const moved = line.match(/^\*\*\* Move to: (.+)$/)
      if (moved) current.movedTo = (moved[1] ?? '').trim()
      else current.lines.push(line)
    }
  }
  close()
  return files
}
