// Two trees compared, as data. Reads git's NUL-separated form: first the raw records, then the counts.
import type { TreeDiff } from '../protocol.ts'
import type { Repository } from './repository.ts'

type DiffFile = TreeDiff['files'][number]
const statuses: Record<string, DiffFile['status']> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'added',
  T: 'type_changed',
}
const NONE = '0'.repeat(40)

export const parseDiff = (text: string): DiffFile[] => {
  const parts = text.split('\0')
  const files: DiffFile[] = []
  const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString('utf8')
  let at = 0
  for (; parts[at]?.startsWith(':'); ) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', letter = 'M'] = (parts[at++] ?? '')
      .slice(1)
      .split(' ')
    const first = utf8(parts[at++] ?? '')
    const renamed = letter.startsWith('R') || letter.startsWith('C')
    const path = renamed ? utf8(parts[at++] ?? '') : first
    files.push({
      path,
      status: statuses[letter[0] ?? 'M'] ?? 'modified',
      ...(renamed ? { oldPath: first } : {}),
      additions: 0,
      deletions: 0,
      oldId: oldId === NONE ? null : oldId,
      newId: newId === NONE ? null : newId,
      oldMode: oldMode === '000000' ? null : oldMode,
      newMode: newMode === '000000' ? null : newMode,
    })
  }
  for (const file of files) {
    const [additions = '-', deletions = '-', path = ''] = (parts[at++] ?? '').split('\t')
    if (path === '') at += 2
    file.additions = additions === '-' ? null : Number(additions)
    file.deletions = deletions === '-' ? null : Number(deletions)
  }
  return files
}

export const readDiff = (
  repository: Repository,
  request: { from: string; to: string; path: string | null },
): TreeDiff => {
  const trees = [repository.tree(request.from), repository.tree(request.to)]
  const path = request.path === null ? [] : ['--', request.path]
  const args = [
    'diff-tree',
    '-r',
    '-M',
    '-z',
    '--no-abbrev',
    '--raw',
    '--numstat',
    '--no-ext-diff',
    '--no-textconv',
  ]
  return { files: parseDiff(repository.git([...args, ...trees, ...path]).toString('latin1')) }
}
