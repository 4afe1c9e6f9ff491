/** read_file: lines of a text file, numbered. */
import { z } from 'zod'
import { Fault } from '../../protocol/error.ts'
import type { Sandbox } from '../sandbox/types.ts'
import { absolutePath, shownPath } from './paths.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'
import type { ToolAnswer } from './types.ts'

const defaultLines = 1_000
/** UTF-16 units of a line that are shown. */
const lineUnits = 2_000
const pieceBytes = 1_000_000
/** Bytes of a file that are looked through for the asked lines. */
const scannedBytes = 50_000_000

const Input = z.object({
  path: z.string().min(1).max(4_096).describe('File, relative to the workspace or absolute.'),
  offset: z.int().min(1).optional().describe('First line to read, counted from 1. Default: 1.'),
  limit: z.int().min(1).max(10_000).optional().describe('How many lines. Default: 1000.'),
})
type Input = z.infer<typeof Input>

type Lines = { lines: string[]; more: boolean; size: number; binary: boolean }

const readLines = async (sandbox: Sandbox, path: string, first: number, count: number): Promise<Lines> => {
  const decoder = new TextDecoder()
  const lines: string[] = []
  let number = 0
  let open = ''
  let offset = 0
  let size = 0
  const take = (line: string): void => {
    number++
    if (number >= first && lines.length < count) lines.push(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
  do {
    const piece = await sandbox.readFile(path, { offset, limit: pieceBytes })
    size = piece.size
    if (offset === 0 && piece.bytes.subarray(0, 8_192).includes(0))
      return { lines, more: false, size, binary: true }
    offset += piece.bytes.length
    const done = offset >= size || piece.bytes.length === 0
    const parts = (open + decoder.decode(piece.bytes, { stream: !done })).split('\n')
    open = (parts.pop() ?? '').slice(0, pieceBytes)
    for (const line of parts) take(line)
    if (done) {
      if (open !== '') take(open)
      return { lines, more: number >= first + count, size, binary: false }
    }
  } while (number < first + count && offset < scannedBytes)
  return { lines, more: true, size, binary: false }
}

const shown = (line: string): string =>
  line.length <= lineUnits
    ? line
    : `${line.slice(0, lineUnits)} [… ${line.length - lineUnits} more characters in this line …]`

export const readFileTool = defineTool<Input, Input>({
  name: 'read_file',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(
    { path: asked, offset: first = 1, limit = defaultLines },
    { sandbox, cwd },
  ): Promise<ToolAnswer> {
    const path = absolutePath(asked, cwd)
    const name = shownPath(path)
    const stat = await sandbox.stat(path)
    if (stat === null)
      throw new Fault('not_found', `${name} does not exist.`, 'Look with list_dir or search_files.')
    if (stat.type === 'directory')
      throw new Fault('tool_refused', `${name} is a folder.`, 'Use list_dir to see what is in it.')
    const { lines, more, size, binary } = await readLines(sandbox, path, first, limit)
    const detail = { type: 'read', path: name, lines: lines.length } as const
    if (binary) return { ok: true, text: `${name} is a binary file of ${size} bytes.`, detail }
    if (lines.length === 0 && first > 1)
      return { ok: true, text: `${name} has fewer than ${first} lines.`, detail }
    if (lines.length === 0) return { ok: true, text: `${name} is empty.`, detail }
    const numbered = lines.map((line, index) => `${String(first + index).padStart(5)}\t${shown(line)}`)
    const next = first + lines.length
    const rest = more ? `\n[The file goes on; read from line ${next} with offset: ${next}.]` : ''
    return { ok: true, text: numbered.join('\n') + rest, detail }
  },
})
