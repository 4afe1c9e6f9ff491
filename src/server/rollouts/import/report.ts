/** Counts of one import, and what was odd in its file. Knows no format. */
import type { Usage } from '../../../protocol/event.ts'
import { type ImportReport, reportedProblems } from '../../../protocol/import.ts'

/** Names that a report counts by; the rest is one entry, since a hostile file may name a million types. */
const namesCounted = 200
const otherName = '(other)'

export type Report = {
  readonly value: ImportReport
  record(kind: string): void
  unknown(kind: string): void
  message(role: keyof ImportReport['messages']): void
  call(tool: string): void
  usage(usage: Usage): void
  model(name: string): void
  problem(line: number, what: string): void
}

const nothing = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

const count = (counts: Record<string, number>, name: string): void => {
  const known = Object.hasOwn(counts, name)
  const key = known || Object.keys(counts).length < namesCounted ? name.slice(0, 200) : otherName
  counts[key] = (counts[key] ?? 0) + 1
}

/** Objects that hold names of the file must not inherit any. */
const counts = (): Record<string, number> => Object.create(null) as Record<string, number>

export const createReport = (): Report => {
  const value: ImportReport = {
    format: null,
    program: null,
    rollouts: 0,
    lines: 0,
    bytes: 0,
    records: counts(),
    messages: { user: 0, agent: 0, reasoning: 0, tool: 0, system: 0 },
    toolCalls: counts(),
    callsWithoutOutput: 0,
    outputsWithoutCall: 0,
    unknown: counts(),
    usage: { ...nothing },
    statedUsage: null,
    models: [],
    problems: [],
    problemsTotal: 0,
  }
  return {
    value,
    record: (kind) => count(value.records, kind),
    unknown: (kind) => count(value.unknown, kind),
    message: (role) => {
      value.messages[role] += 1
    },
    call: (tool) => count(value.toolCalls, tool),
    usage: (usage) => {
      for (const key of Object.keys(nothing) as (keyof Usage)[]) value.usage[key] += usage[key]
    },
    model: (name) => {
      if (name !== '' && value.models.length < 50 && !value.models.includes(name)) value.models.push(name)
    },
    problem: (line, what) => {
      value.problemsTotal += 1
      if (value.problems.length < reportedProblems) value.problems.push({ line, what: what.slice(0, 500) })
    },
  }
}
