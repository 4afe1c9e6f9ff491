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

/** Bytes of one file as it is sent, and as it is when it was unpacked. */
export const importLimits = {
  bytes: 4 * 1_024 ** 3,
  inflatedBytes: 16 * 1_024 ** 3,
  /** A line, or one value of a document, that is larger is kept as it is and not understood. */
  lineBytes: 32 * 1_024 ** 2,
  /** Rollouts of one file that become threads. */
  rollouts: 100,
} as const

/** Problems that a report names; the rest is counted. */
export const reportedProblems = 200

const Counts = z.record(z.string(), z.int())

const Tokens = z.object({
  input: z.int(),
  cachedInput: z.int(),
  cacheWrite: z.int(),
  output: z.int(),
  reasoning: z.int(),
})

/** What was read of a file: counted while reading, shown as it grows. */
export const ImportReport = z.object({
  /** Null: it is no rollout that is known. */
  format: ImportFormat.nullable(),
  program: z.string().nullable(),
  /** Threads that were made. */
  rollouts: z.int(),
  /** Lines, or records of a file that has none. */
  lines: z.int(),
  bytes: z.int(),
  /** Records by the type that the file gives them. */
  records: Counts,
  messages: z.object({ user: z.int(), agent: z.int(), reasoning: z.int(), tool: z.int(), system: z.int() }),
  toolCalls: Counts,
  callsWithoutOutput: z.int(),
  outputsWithoutCall: z.int(),
  /** Records that were kept raw because their type is not known, by type. */
  unknown: Counts,
  /** Each request once. */
  usage: Tokens,
  /** The last running total that the file itself gives; null when it gives none. */
  statedUsage: Tokens.nullable(),
  models: z.array(z.string()),
  /** What could not be read or was odd, with its place; the rest is counted in `problemsTotal`. */
  problems: z.array(z.object({ line: z.int(), what: z.string() })).max(reportedProblems),
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
  /** What it waits for before it is read: another file of the same person, or those of others. */
  waitsFor: z.enum(['own', 'others']).nullable(),
})
export type ImportState = z.infer<typeof ImportState>
