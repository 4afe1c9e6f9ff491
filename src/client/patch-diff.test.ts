import { expect, it } from 'vitest'
import { patchFiles } from './patch-diff.ts'

const patch = `*** Begin Patch
*** Update File: src/a.ts
@@ function a
 const x = 1
-const y = 2
+const y = 3
@@
-old
*** Add File: b.txt
+hello
*** Update File: c.txt
*** Move to: d.txt
@@
-c
+d
*** Delete File: e.txt
*** End Patch`

it('turns each file into a unified diff', () => {
  const files = patchFiles(JSON.stringify({ input: patch }))
  expect(files.map(({ path, additions, deletions }) => [path, additions, deletions])).toEqual([
    ['src/a.ts', 1, 2],
    ['b.txt', 1, 0],
    ['d.txt', 1, 1],
    ['e.txt', 0, 0],
  ])
  expect(files[0]?.diff).toBe(
    'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n const x = 1\n-const y = 2\n+const y = 3\n@@ -13,1 +13,0 @@\n-old\n',
  )
  expect(files[1]?.diff).toContain('--- /dev/null\n+++ b/b.txt\n@@ -1,0 +1,1 @@\n+hello')
})

it('reads the bare patch, and one that is not finished', () => {
  expect(patchFiles(patch).length).toBe(4)
  expect(patchFiles('*** Begin Patch\n*** Add File: x\n+on').map((file) => file.additions)).toEqual([1])
  expect(patchFiles('{"nothing": 1}')).toEqual([])
})
