import { expect, it } from 'vitest'
import { emptyView } from '../protocol/view.ts'
import { splitDiff, turnsWithChanges } from './changes.ts'

const diff = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,3 @@
 one
-two
+2
+three
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+--- dashes
diff --git a/old.png b/old.png
deleted file mode 100644
Binary files a/old.png and /dev/null differ
diff --git a/x.ts b/y.ts
similarity index 100%
rename from x.ts
rename to y.ts
`

it('takes a diff apart by file', () => {
  expect(splitDiff(diff).map(({ diff: _, ...file }) => file)).toEqual([
    { path: 'src/a.ts', change: 'modified', additions: 2, deletions: 1, binary: false },
    { path: 'new.txt', change: 'added', additions: 1, deletions: 0, binary: false },
    { path: 'old.png', change: 'deleted', additions: 0, deletions: 0, binary: true },
    { path: 'y.ts', change: 'moved', additions: 0, deletions: 0, binary: false },
  ])
  expect(splitDiff('')).toEqual([])
})

it('names the turns that changed something, newest first', () => {
  const view = emptyView()
  for (const id of ['a', 'b', 'c']) view.turns.set(id, { id, seq: 1, status: undefined })
  const at = (turnId: string, previousTree: string | null, tree: string, seq: number) => ({
    checkpointId: `chk_${seq}`,
    tree,
    previousTree,
    baseTree: 't0',
    files: [],
    fileCount: 0,
    additions: 0,
    deletions: 0,
    leftOut: [],
    durationMs: 1,
    seq,
    at: seq,
    turnId,
  })
  view.checkpoints.push(
    at('a', null, 't1', 1),
    at('a', 't1', 't2', 2),
    at('b', 't2', 't2', 3),
    at('c', 't2', 't3', 4),
  )
  expect(turnsWithChanges(view)).toEqual([
    { turnId: 'c', number: 3, from: 't2', to: 't3' },
    { turnId: 'a', number: 1, from: 't0', to: 't2' },
  ])
})
