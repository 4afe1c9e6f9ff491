/**
 * Rollouts of other programs, read from a file: the formats, and what a reading found and did not.
 */
import { z } from 'zod'
import { ErrorFact } from './error.ts'
import { ThreadId } from './ids.ts'

export const ImportFormat = z.enum([
  'baton',
  'codex',
  'claude-code',
  'pi',
  'swe-agent',
  'openhands',
  'inspect',
])
export type ImportFormat = z.infer<typeof ImportFormat>

/** What was read of a file: counted while reading, shown as it grows. */
export const ImportReport = z.object({
  format: ImportFormat,
  program: z.string().nullable(),
  /** Lines, or records of a file that has none. */
  lines: z.int(),
  bytes: z.int(),
  /** Records by the type that the file gives them. */
  records: z.record(z.string(), z.int()),
  messages: z.object({ user: z.int(), agent: z.int(), reasoning: z.int(), tool: z.int(), system: z.int() }),
  toolCalls: z.record(z.string(), z.int()),
  callsWithoutOutput: z.int(),
  outputsWithoutCall: z.int(),
  /** Records that were kept raw because their type is not known, by type. */
  unknown: z.record(z.string(), z.int()),
  usage: z.object({
    input: z.int(),
    cachedInput: z.int(),
    cacheWrite: z.int(),
    output: z.int(),
    reasoning: z.int(),
  }),
  models: z.array(z.string()),
  /** What could not be read or was odd, with its place; at most 200, the rest counted in `problemsTotal`. */
  problems: z.array(z.object({ line: z.int(), what: z.string() })).max(200),
  problemsTotal: z.int(),
})
export type ImportReport = z.infer<typeof ImportReport>

/** One import as its owner sees it. A file of several rollouts (an Inspect log) makes several threads. */
export const ImportState = z.object({
  importId: z.string(),
  fileName: z.string(),
  bytes: z.int().nullable(),
  readBytes: z.int(),
  status: z.enum(['running', 'done', 'failed']),
  threadIds: z.array(ThreadId),
  report: ImportReport.nullable(),
  error: ErrorFact.nullable(),
  createdAt: z.int(),
})
export type ImportState = z.infer<typeof ImportState>
