import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { EMPTY_TREE, hashObject, idsOfIndex, PackWriter, treeBytes } from './objects.ts'
import { parseDiff } from './tree-diff.ts'

const folder = mkdtempSync(join(tmpdir(), 'objects-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('objects', () => {
  it('have the ids that git gives them', () => {
    expect(hashObject('blob', Buffer.from('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a')
    expect(hashObject('tree', treeBytes([]))).toBe(EMPTY_TREE)
  })

  it('of a folder are in order: a folder as if its name ended with a slash', () => {
    const id = hashObject('blob', Buffer.alloc(0))
    const names = treeBytes([
      { name: Buffer.from('a'), mode: '40000', id: EMPTY_TREE },
      { name: Buffer.from('a0'), mode: '100644', id },
      { name: Buffer.from('a-b'), mode: '100644', id },
    ])
    expect(names.toString('latin1').match(/\d+ [a-z0-9-]+(?=\0)/g)).toEqual([
      '100644 a-b',
      '40000 a',
      '100644 a0',
    ])
  })

  it('make a pack that git finds complete and unhurt', () => {
    execFileSync('git', ['init', '-q', '--bare', folder])
    const writer = new PackWriter(`${folder}/objects/pack`)
    const ids: string[] = []
    for (const size of [0, 1, 15, 16, 2047, 2048, 300_000]) {
      const bytes = Buffer.alloc(size, size % 256)
      const id = hashObject('blob', bytes)
      writer.add('blob', id, bytes)
      writer.add('blob', id, bytes)
      ids.push(id)
    }
    const pack = writer.finish()
    expect(pack).toMatchObject({ objects: 7 })
    expect(idsOfIndex(`${folder}/objects/pack/pack-${pack?.id}.idx`)).toEqual(ids.sort())
    execFileSync('git', ['verify-pack', `${folder}/objects/pack/pack-${pack?.id}.idx`])
    const size = execFileSync('git', [
      '-C',
      folder,
      'cat-file',
      '-s',
      hashObject('blob', Buffer.alloc(2048, 0)),
    ])
    expect(size.toString().trim()).toBe('2048')
  })

  it('nothing added is no pack', () => {
    expect(new PackWriter(folder).finish()).toBeNull()
  })
})

describe('a comparison', () => {
  it('is read with renames, binary files and odd names', () => {
    const id = 'a'.repeat(40)
    const none = '0'.repeat(40)
    const text = [
      `:000000 100644 ${none} ${id} A`,
      'n\u00c3\u00bc\tb\nc',
      `:100644 100755 ${id} ${id} R090`,
      'old',
      'new',
      `:100644 000000 ${id} ${none} D`,
      'bin',
      '3\t0\tn\u00c3\u00bc\tb\nc',
      '1\t2\t',
      'old',
      'new',
      '-\t-\tbin',
      '',
    ].join('\0')
    expect(parseDiff(text)).toMatchObject([
      { path: 'nü\tb\nc', status: 'added', additions: 3, deletions: 0, oldId: null, oldMode: null },
      { path: 'new', oldPath: 'old', status: 'renamed', additions: 1, deletions: 2, newMode: '100755' },
      { path: 'bin', status: 'deleted', additions: null, deletions: null, newId: null },
    ])
    expect(parseDiff('')).toEqual([])
  })
})
