/**
 * Applies the chunks of one update to one file's text. Lines that are not touched keep their bytes; new lines take
 * the line end of their place. Knows no files.
 */
import { type FileLine, fileLines } from './lines.ts'
import { finder } from './locate.ts'
import { type PatchChunk, PatchError, type PatchLine } from './types.ts'

const isOld = (line: PatchLine): boolean => line.kind !== 'add'
const isNew = (line: PatchLine): boolean => line.kind !== 'remove'

/**
 * The same change without the empty line that models like to add after the last one: the last old line goes when it
 * is empty, and with it the last new one when that is empty too. Null when the last old line is not empty.
 */
const withoutFinalBlank = (lines: PatchLine[]): PatchLine[] | null => {
  const lastOld = lines.findLastIndex(isOld)
  if (lines[lastOld]?.text !== '') return null
  const lastNew = lines.findLastIndex(isNew)
  const newGoes = lines[lastNew]?.text === ''
  return lines.flatMap((line, index): PatchLine[] => {
    const old = isOld(line) && index !== lastOld
    const fresh = isNew(line) && !(newGoes && index === lastNew)
    if (old) return [{ kind: fresh ? 'keep' : 'remove', text: line.text }]
    return fresh ? [{ kind: 'add', text: line.text }] : []
  })
}

type Replacement = { at: number; lines: PatchLine[] }

const plan = (lines: FileLine[], chunks: PatchChunk[], path: string): Replacement[] => {
  const find = finder(lines.map((line) => line.text))
  const replacements: Replacement[] = []
  let from = 0
  for (const chunk of chunks) {
    if (chunk.context !== null) {
      const at = find([chunk.context], from, false)
      if (at === null) throw new PatchError(`Failed to find context '${chunk.context}' in ${path}`)
      from = at + 1
    }
    const old = chunk.lines.filter(isOld).map((line) => line.text)
    if (old.length === 0) {
      // Nothing says where: the end of the file.
      replacements.push({ at: lines.length, lines: chunk.lines })
      continue
    }
    let wanted = chunk.lines
    let at = find(old, from, chunk.atEnd)
    if (at === null) {
      const shorter = withoutFinalBlank(chunk.lines)
      if (shorter !== null) {
        wanted = shorter
        at = find(
          shorter.filter(isOld).map((line) => line.text),
          from,
          chunk.atEnd,
        )
      }
    }
    if (at === null) throw new PatchError(`Failed to find expected lines in ${path}:\n${old.join('\n')}`)
    replacements.push({ at, lines: wanted })
    from = at + wanted.filter(isOld).length
  }
  return replacements.sort((a, b) => a.at - b.at)
}

/** Line ends of new lines: that of both neighbours when they agree, else the file's first. */
const endLines = (lines: (FileLine | { text: string; end: null })[], fallback: string): FileLine[] => {
  const next: (string | null)[] = new Array(lines.length).fill(null)
  let after: string | null = null
  for (let index = lines.length - 1; index >= 0; index--) {
    next[index] = after
    after = lines[index]?.end || after
  }
  let before: string | null = null
  return lines.map(({ text, end }, index) => {
    if (end) before = end
    if (end !== null) return { text, end: end || fallback }
    const [above, below] = [before, next[index] ?? null]
    const agreed = above === null || below === null || above === below ? (above ?? below) : null
    return { text, end: agreed ?? fallback }
  })
}

/**
 * The text after the chunks, which must stand in the file's order. The result ends with a line end unless it is
 * empty; a byte order mark stays.
 * @param path named in messages
 * @throws PatchError when a context or the lines to change are not found
 */
export const applyChunks = (text: string, chunks: PatchChunk[], path: string): string => {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const lines = fileLines(text.slice(mark.length))
  const result: (FileLine | { text: string; end: null })[] = []
  let from = 0
  for (const { at, lines: changes } of plan(lines, chunks, path)) {
    for (; from < at; from++) result.push(lines[from] as FileLine)
    for (const change of changes) {
      if (change.kind === 'add') result.push({ text: change.text, end: null })
      else {
        if (change.kind === 'keep') result.push(lines[from] as FileLine)
        from++
      }
    }
  }
  result.push(...lines.slice(from))
  const ended = endLines(result, lines[0]?.end || '\n')
  return mark + ended.map((line) => line.text + line.end).join('')
}
