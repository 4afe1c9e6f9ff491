/** notes_read: lines of a note, of its newest version or an earlier one. */
import { z } from 'zod'
import { noteLine } from './looked-up.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'
import { bytesPerToken, defaultOutputTokens } from './truncate.ts'

/** What one call gives; the words around the lines come on top. */
const maxBytes = defaultOutputTokens * bytesPerToken - 1_000

const Line = z.int().min(-1_000_000).max(1_000_000)
const Input = z.object({
  path: z.string().max(4_096).describe('The note, as notes_list shows it.'),
  start_line: Line.optional().describe(
    'First line, counted from 1; negative counts from the end. Default: 1.',
  ),
  stop_line: Line.optional().describe('Last line, included; negative counts from the end. Default: -1.'),
  version: z.int().min(1).optional().describe('An earlier version. Default: the newest.'),
})
type Input = z.infer<typeof Input>

/** From the end, -1 is the last line; 0 means the first. */
const lineNumber = (asked: number, lines: number): number =>
  asked < 0 ? Math.max(lines + asked + 1, 1) : Math.max(asked, 1)

/** As many of the lines as fit, and at least a part of the first. */
const fitting = (lines: string[]): { text: string; count: number } => {
  let bytes = 0
  let count = 0
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1
    if (bytes > maxBytes && count > 0) break
    count += 1
    if (bytes > maxBytes) {
      const part = Buffer.from(line)
        .subarray(0, maxBytes)
        .toString('utf8')
        .replace(/\uFFFD$/, '')
      return { text: `${part}\n[This line is longer; look into it with notes_search.]`, count }
    }
  }
  return { text: lines.slice(0, count).join('\n'), count }
}

export const notesRead = defineTool<Input, Input>({
  name: 'notes_read',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke({ path, start_line = 1, stop_line = -1, version }, { notes }) {
    const { text, ...file } = await notes.read(path, version)
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    const first = lineNumber(start_line, lines.length)
    const last = Math.min(lineNumber(stop_line, lines.length), lines.length)
    const head = `${noteLine(file, notes.agentPath)} · ${lines.length} lines`
    const asked = lines.slice(first - 1, last)
    const detail = { type: 'read', path: `notes/${path}`.slice(0, 1_000), lines: asked.length } as const
    if (lines.length === 0) return { ok: true, text: `${head}\n[It is empty.]`, detail }
    if (asked.length === 0) return { ok: true, text: `${head}\n[There are no such lines.]`, detail }
    const shown = fitting(asked)
    const next = first + shown.count
    const rest = shown.count < asked.length ? `\n[It goes on; read from start_line ${next}.]` : ''
    const part = shown.count < lines.length ? ` · lines ${first} to ${next - 1}` : ''
    const answer = `${head}${part}\n${shown.text}${rest}`
    return { ok: true, text: answer, forModel: answer, detail }
  },
})
