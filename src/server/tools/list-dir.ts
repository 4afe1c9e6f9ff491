/** list_dir: what is in a folder, a few levels deep. */
import { posix } from 'node:path'
import { z } from 'zod'
import { Fault } from '../../protocol/error.ts'
import { absolutePath, shownPath } from './paths.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'
import type { ToolAnswer } from './types.ts'

const defaultEntries = 200

const Input = z.object({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe('Folder, relative to the workspace or absolute. Default: the workspace.'),
  depth: z.int().min(1).max(10).optional().describe('How many levels deep. Default: 2.'),
  limit: z.int().min(1).max(2_000).optional().describe('At most so many entries. Default: 200.'),
})
type Input = z.infer<typeof Input>

const signs = { file: '', directory: '/', symlink: '@', other: '?' } as const

export const listDir = defineTool<Input, Input>({
  name: 'list_dir',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(
    { path: asked = '.', depth = 2, limit = defaultEntries },
    { sandbox, cwd },
  ): Promise<ToolAnswer> {
    const path = absolutePath(asked, cwd)
    const name = shownPath(path)
    const stat = await sandbox.stat(path)
    if (stat === null) throw new Fault('not_found', `${name} does not exist.`, 'Look at the folder above it.')
    if (stat.type === 'file')
      throw new Fault('tool_refused', `${name} is a file.`, 'Use read_file to see it.')
    const { entries, more } = await sandbox.listDir(path, { depth, limit })
    const lines = entries
      .map((entry) => ({ entry, at: posix.relative(path, posix.resolve(path, entry.path)) }))
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      .map(({ entry, at }) => `${at}${signs[entry.type]}${entry.type === 'file' ? `  ${entry.bytes}` : ''}`)
    const detail = { type: 'list', path: name, entries: entries.length } as const
    if (lines.length === 0) return { ok: true, text: `${name} is empty.`, detail }
    const rest = more ? `\n[There are more than ${limit} entries; look into one folder, or raise limit.]` : ''
    return { ok: true, text: `${name}:\n${lines.join('\n')}${rest}`, detail }
  },
})
