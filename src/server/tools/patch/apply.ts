/**
 * Applies a patch to files through `PatchFs`. Hunks are applied in order and earlier ones stay when a later one
 * fails, as a shell command would leave them. May be told the folders outside of which nothing is written.
 */
import { posix } from 'node:path'
import { fileLines } from './lines.ts'
import { parsePatch } from './parse.ts'
import { PatchError, type PatchedFile, type PatchFs, type PatchHunk, type PatchResult } from './types.ts'
import { applyChunks } from './update.ts'
import { decodeUtf8 } from './utf8.ts'

const within = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** The absolute paths that hunks would write or remove, relative ones taken from `cwd`. */
const touched = (hunks: PatchHunk[], cwd: string): string[] =>
  hunks.flatMap((hunk) => {
    const paths = hunk.type === 'update' && hunk.moveTo !== null ? [hunk.path, hunk.moveTo] : [hunk.path]
    return paths.map((path) => posix.resolve(cwd, path))
  })

/** Those of a patch's paths that lie in none of the folders. By name only: links are the file system's matter. */
export const pathsOutside = (hunks: PatchHunk[], cwd: string, folders: string[]): string[] =>
  touched(hunks, cwd).filter((path) => !folders.some((folder) => within(path, folder)))

const reasons: Record<string, string> = {
  ENOENT: 'No such file or directory (os error 2)',
  EACCES: 'Permission denied (os error 13)',
  EPERM: 'Operation not permitted (os error 1)',
  ENOTDIR: 'Not a directory (os error 20)',
  EISDIR: 'Is a directory (os error 21)',
}

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}

const readText = async (fs: PatchFs, path: string): Promise<string> => {
  const fail = (why: string): PatchError => new PatchError(`Failed to read file to update ${path}: ${why}`)
  let bytes: Uint8Array
  try {
    const stat = await fs.stat(path)
    if (stat?.type === 'directory') throw new PatchError(`path \`${path}\` is not a file`)
    bytes = await fs.readFile(path)
  } catch (error) {
    throw fail(reasonOf(error))
  }
  const text = decodeUtf8(bytes)
  if (typeof text !== 'string') throw fail(text.fault)
  return text
}

const write = async (fs: PatchFs, path: string, text: string): Promise<void> => {
  try {
    if ((await fs.stat(path))?.type === 'directory') throw new PatchError('Is a directory')
    const folder = posix.dirname(path)
    if ((await fs.stat(folder)) === null) await fs.mkdir(folder)
    await fs.writeFile(path, new TextEncoder().encode(text))
  } catch {
    throw new PatchError(`Failed to write file ${path}`)
  }
}

const remove = async (fs: PatchFs, path: string): Promise<void> => {
  try {
    if ((await fs.stat(path))?.type === 'directory') throw new PatchError('Is a directory')
    await fs.remove(path)
  } catch {
    throw new PatchError(`Failed to delete file ${path}`)
  }
}

/** Lines of a file that is about to go, for the count; 0 for what cannot be read. */
const lineCount = async (fs: PatchFs, path: string): Promise<number> => {
  try {
    const text = decodeUtf8(await fs.readFile(path))
    return typeof text === 'string' ? fileLines(text).length : 0
  } catch {
    return 0
  }
}

const applyHunk = async (hunk: PatchHunk, fs: PatchFs, cwd: string): Promise<PatchedFile> => {
  const path = posix.resolve(cwd, hunk.path)
  if (hunk.type === 'add') {
    const deletions = await lineCount(fs, path)
    await write(fs, path, hunk.lines.map((line) => `${line}\n`).join(''))
    return { path: hunk.path, change: 'added', additions: hunk.lines.length, deletions }
  }
  if (hunk.type === 'delete') {
    const deletions = await lineCount(fs, path)
    await remove(fs, path)
    return { path: hunk.path, change: 'deleted', additions: 0, deletions }
  }
  const text = applyChunks(await readText(fs, path), hunk.chunks, path)
  const count = (kind: 'add' | 'remove'): number =>
    hunk.chunks.reduce((sum, chunk) => sum + chunk.lines.filter((line) => line.kind === kind).length, 0)
  const counts = { additions: count('add'), deletions: count('remove') }
  const target = hunk.moveTo === null ? path : posix.resolve(cwd, hunk.moveTo)
  await write(fs, target, text)
  if (hunk.moveTo === null) return { path: hunk.path, change: 'modified', ...counts }
  // A move onto itself is an edit: removing the source would lose the file.
  if (target !== path) await remove(fs, path)
  return { path: hunk.path, change: 'moved', movedTo: hunk.moveTo, ...counts }
}

const summary = (files: PatchedFile[]): string => {
  const letters = { added: 'A', modified: 'M', moved: 'M', deleted: 'D' } as const
  const lines = ['A', 'M', 'D'].flatMap((letter) =>
    files
      .filter((file) => letters[file.change] === letter)
      .map((file) => `${letter} ${file.movedTo ?? file.path}\n`),
  )
  return `Success. Updated the following files:\n${lines.join('')}`
}

/**
 * Applies a patch text. Never rejects for what the patch says or the files are: that is exit code 1 with words.
 * @param options.cwd absolute folder of relative paths
 * @param options.folders when given, a patch that names a path outside of them is refused as a whole
 */
export const applyPatch = async (
  text: string,
  fs: PatchFs,
  options: { cwd: string; folders?: string[] },
): Promise<PatchResult> => {
  const files: PatchedFile[] = []
  try {
    const hunks = parsePatch(text)
    if (hunks.length === 0) throw new PatchError('No files were modified.')
    const outside = options.folders ? pathsOutside(hunks, options.cwd, options.folders) : []
    if (outside.length > 0)
      throw new PatchError(`Refused: ${outside.join(', ')} is outside of ${options.folders?.join(', ')}.`)
    for (const hunk of hunks) files.push(await applyHunk(hunk, fs, options.cwd))
    return { exitCode: 0, stdout: summary(files), stderr: '', files }
  } catch (error) {
    if (error instanceof PatchError) return { exitCode: 1, stdout: '', stderr: `${error.message}\n`, files }
    throw error
  }
}
