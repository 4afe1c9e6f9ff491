/** search_files: ripgrep over the workspace, through the sandbox. */
import { z } from 'zod'
import { absolutePath, shownPath } from './paths.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'
import type { ToolAnswer } from './types.ts'

const defaultMatches = 100
/** UTF-16 units of a line that are shown. */
const lineUnits = 500

const Input = z.object({
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .describe('Regular expression (ripgrep), or the text itself with literal.'),
  path: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe('Folder or file to search in. Default: the workspace.'),
  glob: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only files whose path matches, for example "**/*.ts" or "!dist/**".'),
  literal: z.boolean().optional().describe('The pattern is plain text. Default: false.'),
  case_sensitive: z.boolean().optional().describe('Default: true.'),
  context_lines: z.int().min(0).max(20).optional().describe('Lines before and after each match. Default: 0.'),
  limit: z.int().min(1).max(1_000).optional().describe('At most so many matches. Default: 100.'),
})
type Input = z.infer<typeof Input>

const shown = (line: string): string =>
  line.length <= lineUnits
    ? line
    : `${line.slice(0, lineUnits)} [… ${line.length - lineUnits} more characters …]`

export const searchFiles = defineTool<Input, Input>({
  name: 'search_files',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(input, { sandbox, cwd, signal }): Promise<ToolAnswer> {
    const path = absolutePath(input.path ?? '.', cwd)
    const limit = input.limit ?? defaultMatches
    const { matches, more } = await sandbox.search(
      {
        pattern: input.pattern,
        path,
        ...(input.glob === undefined ? {} : { glob: input.glob }),
        literal: input.literal ?? false,
        caseSensitive: input.case_sensitive ?? true,
        limit,
        contextLines: input.context_lines ?? 0,
      },
      signal,
    )
    const found = matches.filter((match) => match.isMatch).length
    const detail = { type: 'search', query: input.pattern, path: shownPath(path), matches: found } as const
    if (found === 0) return { ok: true, text: 'No match.', detail }
    const lines: string[] = []
    let file = ''
    let previous = 0
    for (const match of matches) {
      const name = shownPath(absolutePath(match.path, cwd))
      if (name !== file) lines.push(...(file === '' ? [] : ['']), `${name}:`)
      else if (input.context_lines && match.line > previous + 1) lines.push('--')
      lines.push(`${match.line}${match.isMatch ? ':' : '-'}${shown(match.text.replace(/\r?\n$/, ''))}`)
      file = name
      previous = match.line
    }
    const rest = more
      ? `\n\n[There are more than ${limit} matches; narrow the pattern, the path or the glob.]`
      : ''
    return { ok: true, text: lines.join('\n') + rest, detail }
  },
})
