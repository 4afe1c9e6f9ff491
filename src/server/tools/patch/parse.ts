/**
 * Reads the text of a patch: envelope, file hunks, chunks. Forgiving about blanks around markers and a here-document
 * left around the whole; strict about everything that would change what is meant. Knows no files.
 */
import { patchLines, trim, trimEnd } from './lines.ts'
import { type PatchChunk, PatchError, type PatchHunk } from './types.ts'

const begin = '*** Begin Patch'
const end = '*** End Patch'
const endOfFile = '*** End of File'
const addMarker = '*** Add File: '
const deleteMarker = '*** Delete File: '
const updateMarker = '*** Update File: '
const moveMarker = '*** Move to: '
const environmentMarker = '*** Environment ID:'

const invalid = (message: string): PatchError => new PatchError(`Invalid patch: ${message}`)
const invalidHunk = (line: number, message: string): PatchError =>
  new PatchError(`Invalid patch hunk on line ${line}: ${message}`)

const firstLineError = `The first line of the patch must be '${begin}'`
const lastLineError = `The last line of the patch must be '${end}'`

const envelopeFault = (lines: string[]): string | null => {
  const first = lines[0]
  if (first !== undefined && trim(first) !== begin) return firstLineError
  return trim(lines.at(-1) ?? '') === end ? null : lastLineError
}

/** The lines from Begin to End, with a here-document around them taken off. */
const envelope = (text: string): string[] => {
  const lines = patchLines(trim(text))
  const fault = envelopeFault(lines)
  if (fault === null) return lines
  const opened = lines[0] === '<<EOF' || lines[0] === "<<'EOF'" || lines[0] === '<<"EOF"'
  if (!opened || lines.length < 4 || !lines.at(-1)?.endsWith('EOF')) throw invalid(fault)
  const inner = lines.slice(1, -1)
  const innerFault = envelopeFault(inner)
  if (innerFault !== null) throw invalid(innerFault)
  return inner
}

/** A file hunk's header, or null. `line` has no blanks at its end. */
const header = (line: string): PatchHunk | null => {
  const path = (marker: string): string | null =>
    line.startsWith(marker) && line.length > marker.length ? line.slice(marker.length) : null
  const added = path(addMarker)
  if (added !== null) return { type: 'add', path: added, lines: [] }
  const deleted = path(deleteMarker)
  if (deleted !== null) return { type: 'delete', path: deleted }
  const updated = path(updateMarker)
  return updated === null ? null : { type: 'update', path: updated, moveTo: null, chunks: [] }
}

const badHeader = (number: number, line: string): PatchError =>
  invalidHunk(
    number,
    `'${line}' is not a valid hunk header. Valid hunk headers: '${addMarker}{path}', '${deleteMarker}{path}', '${updateMarker}{path}'`,
  )

const unexpected = (number: number, line: string): PatchError =>
  invalidHunk(
    number,
    `Unexpected line found in update hunk: '${line}'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)`,
  )

const lineKinds = { ' ': 'keep', '-': 'remove', '+': 'add' } as const

/** Reads the lines of one update hunk; `headerLine` is the number of its header, for messages. */
const updateReader = (hunk: Extract<PatchHunk, { type: 'update' }>, headerLine: number) => {
  const { chunks } = hunk
  const open = (context: string | null): PatchChunk => {
    const chunk: PatchChunk = { context, lines: [], atEnd: false }
    chunks.push(chunk)
    return chunk
  }
  return {
    /** Called at the next header or at the end of the patch. */
    close(number: number, line: string): void {
      const last = chunks.at(-1)
      if (last === undefined)
        throw invalidHunk(headerLine, `Update file hunk for path '${hunk.path}' is empty`)
      if (last.lines.length > 0) return
      throw line === end
        ? invalidHunk(number, 'Update hunk does not contain any lines')
        : unexpected(number, line)
    },
    read(number: number, line: string): void {
      const last = chunks.at(-1)
      const stripped = trimEnd(line)
      if (last === undefined && hunk.moveTo === null && stripped.startsWith(moveMarker)) {
        hunk.moveTo = stripped.slice(moveMarker.length)
        return
      }
      const anchor = stripped === '@@' || stripped.startsWith('@@ ')
      if (last !== undefined && last.lines.length === 0) {
        if (stripped === endOfFile) throw invalidHunk(number, 'Update hunk does not contain any lines')
        if (anchor) throw unexpected(number, line)
      }
      if (anchor) {
        open(stripped === '@@' ? null : stripped.slice(3))
        return
      }
      if (last?.atEnd) {
        if (stripped === '') return
        throw invalidHunk(number, `Expected update hunk to start with a @@ context marker, got: '${line}'`)
      }
      if (stripped === endOfFile) {
        if (last !== undefined) last.atEnd = true
        return
      }
      const kind = line === '' ? 'keep' : lineKinds[line[0] as keyof typeof lineKinds]
      if (kind === undefined)
        throw last !== undefined && last.lines.length > 0
          ? invalidHunk(number, `Expected update hunk to start with a @@ context marker, got: '${line}'`)
          : unexpected(number, line)
      // The first chunk may stand without its @@.
      const chunk = last ?? open(null)
      chunk.lines.push({ kind, text: line.slice(1) })
    },
  }
}

/**
 * The hunks of a patch text in order; an empty patch gives none.
 * @throws PatchError with the line number, counted from the Begin line as 1
 */
export const parsePatch = (text: string): PatchHunk[] => {
  const lines = envelope(text)
  const hunks: PatchHunk[] = []
  let update: ReturnType<typeof updateReader> | null = null
  let environment = false
  let ended = false
  for (const [index, raw] of lines.entries()) {
    const number = index + 1
    if (index === 0) continue
    const isLast = index === lines.length - 1
    // Inside an update a blank in front makes a kept line of anything, but for the patch's own last line.
    const line = update && !isLast ? trimEnd(raw) : trim(raw)
    if (ended) {
      if (line !== end) throw invalid(lastLineError)
      continue
    }
    if (line === end) {
      update?.close(number, line)
      ended = true
      continue
    }
    const next = header(line)
    if (next !== null) {
      update?.close(number, line)
      hunks.push(next)
      update = next.type === 'update' ? updateReader(next, number) : null
      continue
    }
    const current = hunks.at(-1)
    if (update) update.read(number, raw)
    else if (current?.type === 'add' && raw.startsWith('+')) current.lines.push(raw.slice(1))
    else if (current === undefined && line.startsWith(environmentMarker)) {
      // Named by patches for several machines; here there is one, so the name is checked and not used.
      if (environment) throw invalid('apply_patch environment_id cannot be specified more than once')
      if (trim(line.slice(environmentMarker.length)) === '')
        throw invalid('apply_patch environment_id cannot be empty')
      environment = true
    } else throw badHeader(number, line)
  }
  return hunks
}
