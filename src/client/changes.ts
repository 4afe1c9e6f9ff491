/** Changed files: which turns changed what (from checkpoints), and a unified diff taken apart by file. */
import type { ThreadView } from '../protocol/view.ts'

export type TurnChanges = { turnId: string; number: number; from: string; to: string }

/** Turns whose checkpoints differ from what was before them, newest first; numbers count all loaded turns. */
export function turnsWithChanges(view: ThreadView): TurnChanges[] {
  const numbers = new Map([...view.turns.keys()].map((turnId, index) => [turnId, index + 1]))
  const byTurn = new Map<string, TurnChanges>()
  for (const { turnId, previousTree, baseTree, tree } of view.checkpoints) {
    if (turnId === undefined) continue
    const known = byTurn.get(turnId)
    if (known) known.to = tree
    else
      byTurn.set(turnId, {
        turnId,
        number: numbers.get(turnId) ?? 0,
        from: previousTree ?? baseTree,
        to: tree,
      })
  }
  return [...byTurn.values()].filter(({ from, to }) => from !== to).reverse()
}

export type ChangedFile = {
  path: string
  change: 'added' | 'modified' | 'deleted' | 'moved'
  additions: number
  deletions: number
  binary: boolean
  diff: string
}

const unquote = (path: string): string =>
  path.startsWith('"') ? path.slice(1, -1).replace(/\\(["\\])/g, '$1') : path

/** Takes a unified diff of many files apart. */
export function splitDiff(diff: string): ChangedFile[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const head = part.split(/^@@/m, 1)[0] ?? ''
      const find = (pattern: RegExp): string | undefined => head.match(pattern)?.[1]
      const to = find(/^\+\+\+ "?b\/(.*?)"?$/m) ?? find(/^rename to (.+)$/m)
      const from = find(/^--- "?a\/(.*?)"?$/m)
      const named = head.match(/^diff --git "?a\/(.*?)"? "?b\/(.*?)"?$/m)
      const lines = part.slice(head.length).split('\n')
      return {
        path: unquote(to ?? from ?? named?.[2] ?? ''),
        change: /^new file/m.test(head)
          ? 'added'
          : /^deleted file/m.test(head)
            ? 'deleted'
            : /^rename from/m.test(head)
              ? 'moved'
              : 'modified',
        additions: lines.filter((line) => line.startsWith('+')).length,
        deletions: lines.filter((line) => line.startsWith('-')).length,
        binary: /^(Binary files|GIT binary patch)/m.test(part),
        diff: part,
      } satisfies ChangedFile
    })
}
