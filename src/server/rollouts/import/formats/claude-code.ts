/**
 * Sessions of Claude Code. One answer of the model is spread over lines of the same message id: it is one request, and
 * its tokens count once. Lines of sub-agents stand among the others and are told as the agent's own words.
 */
import { sha256 } from '../../../../lib/sha256.ts'
import type { ErrorFact } from '../../../../protocol/error.ts'
import { noUsage, type Usage } from '../../../../protocol/event.ts'
import type { ToolDetail } from '../../../../protocol/item.ts'
import { createRollout } from '../rollout.ts'
import { mediaPart, type Said } from '../text.ts'
import type { FileRecord, Format, Reader, ReaderContext } from '../types.ts'
import { asObject, asText, asTime, type Json, jsonText } from '../values.ts'
import { blocksOf, detailOf, notedOf, planOf, resultText, saidOf, usageOf } from './claude-items.ts'

/** Ids that are remembered; of a longer file the older half is forgotten. */
const maxIds = 200_000
const maxMessages = 20_000

/** Lines that tell of the program: kept as they are. */
const keptLines = new Set(
  `progress attachment file-history-snapshot queue-operation summary custom-title ai-title last-prompt permission-mode
   pr-link agent-name agent-color agent-setting mode tag content-replacement worktree-state speculation-accept
   attribution-snapshot marble-origami-commit marble-origami-snapshot task-summary`.split(/\s+/),
)
const keptSystem = new Set(
  `stop_hook_summary turn_duration local_command informational microcompact_boundary compact_boundary bridge_status
   away_summary scheduled_task_fire permission_retry agents_killed memory_saved api_metrics hook_progress
   status init`.split(/\s+/),
)

const interruption = '[Request interrupted by user'

const apiError = (text: string): ErrorFact => ({
  code: /\b429\b|rate.?limit|usage limit/i.test(text)
    ? 'provider_rate_limited'
    : /\b401\b|\b403\b|log ?in|api key/i.test(text)
      ? 'provider_auth'
      : /\b5\d\d\b|overloaded/i.test(text)
        ? 'provider_overloaded'
        : 'provider_protocol',
  message: text.replace(/\s+/g, ' ').slice(0, 1_000).toWellFormed() || 'The request failed.',
  next: 'This happened in the imported rollout.',
})

const difference = (now: Usage, before: Usage): Usage => ({
  input: Math.max(0, now.input - before.input),
  cachedInput: Math.max(0, now.cachedInput - before.cachedInput),
  cacheWrite: Math.max(0, now.cacheWrite - before.cacheWrite),
  output: Math.max(0, now.output - before.output),
  reasoning: 0,
})

const read = (context: ReaderContext): Reader => {
  const { report } = context
  const rollout = createRollout(context, 'Claude Code')
  /** The answer that is being read: its id, and what it used beyond what was counted for it before. */
  let answer: {
    id: string
    counted: Usage
    usage: Usage
    stop: string
    cost: number | null
    requestId: string
  } | null = null
  let seen = new Map<string, string>()
  const parents = new Map<string, number>()
  const counted = new Map<string, Usage>()
  const details = new Map<string, ToolDetail | null>()

  const keep = (
    record: FileRecord,
    kind: string,
    why: 'no_place' | 'unknown_type' | 'doubled' = 'no_place',
  ): void => {
    if (why === 'unknown_type') report.unknown(kind)
    rollout.kept(record.line, kind, why, record.raw)
  }

  const endAnswer = (error?: ErrorFact): void => {
    if (answer === null) return
    const { id, usage, counted: before, stop, cost, requestId } = answer
    answer = null
    if (counted.size >= maxMessages) counted.clear()
    counted.set(id, usage)
    rollout.endStep({
      usage: difference(usage, before),
      costMicros: cost,
      ...(stop === '' ? {} : { stop }),
      ...(requestId === '' ? {} : { requestId }),
      ...(error === undefined ? {} : { error }),
    })
  }

  const endTurn: typeof rollout.endTurn = (end) => {
    endAnswer()
    rollout.endTurn(end)
    details.clear()
  }

  const keepMedia = (said: Said): string => {
    if (!('data' in said)) return '[picture]'
    const part = mediaPart(said.data, said.mediaType, rollout.keep)
    return `[${said.mediaType || 'file'}, ${part.bytes ?? 0} bytes: ${part.blob}]`
  }

  const block = (each: Json): void => {
    switch (each.type) {
      case 'text':
        if (asText(each.text) !== '') rollout.agent(asText(each.text), false)
        return
      case 'thinking':
        rollout.reasoning(asText(each.thinking), asText(each.thinking) === '')
        return
      case 'redacted_thinking':
        rollout.reasoning('', true)
        return
      case 'tool_use':
      case 'server_tool_use':
      case 'mcp_tool_use': {
        const input = asObject(each.input)
        const tool = asText(each.name)
        const detail = detailOf(tool, input, context.newId('cmd'))
        const callId = asText(each.id)
        if (details.size > maxMessages) details.clear()
        details.set(callId, detail)
        rollout.call({ callId, tool, args: jsonText(each.input), ...(detail === null ? {} : { detail }) })
        if (tool === 'TodoWrite') rollout.plan(planOf(input))
        return
      }
      default:
        if (typeof each.tool_use_id === 'string')
          rollout.result(each.tool_use_id, { output: jsonText(each.content) })
        else rollout.agent(`[${asText(each.type) || 'part'}] ${jsonText(each)}`, false)
        if (!/_tool_result$/.test(asText(each.type))) report.unknown(`assistant/${asText(each.type)}`)
    }
  }

  const assistant = (value: Json, record: FileRecord): void => {
    const message = asObject(value.message)
    const id = asText(message.id) || asText(value.uuid) || `(line ${record.line})`
    const model = asText(message.model)
    if (model !== '' && model !== '<synthetic>') rollout.setModel(model)
    if (answer?.id !== id) {
      endAnswer()
      const before = counted.get(id)
      if (before === undefined) report.message('agent')
      const requestId = asText(value.requestId)
      answer = { id, counted: before ?? noUsage, usage: noUsage, stop: '', cost: null, requestId }
    }
    rollout.startStep()
    answer.usage = usageOf(message.usage)
    answer.stop = asText(message.stop_reason) || answer.stop
    if (typeof value.costUSD === 'number') answer.cost = Math.round(value.costUSD * 1_000_000)
    for (const each of blocksOf(message.content)) block(each)
    if (value.isApiErrorMessage === true) {
      const text = blocksOf(message.content)
        .map(({ text: words }) => asText(words))
        .join(' ')
      endAnswer(apiError(text))
    }
  }

  const result = (each: Json, noted: unknown): void => {
    const callId = asText(each.tool_use_id)
    const more = notedOf(noted, details.get(callId) ?? null)
    const output = resultText(each.content, keepMedia)
    rollout.result(callId, { output, ...(each.is_error === true ? { isError: true } : {}), ...more })
  }

  const user = (value: Json, record: FileRecord): void => {
    const blocks = blocksOf(asObject(value.message).content)
    if (blocks.length === 0) {
      keep(record, 'user/(empty)')
      return
    }
    for (const each of blocks) if (each.type === 'tool_result') result(each, value.toolUseResult)
    const words = blocks.filter(({ type }) => type !== 'tool_result').map(saidOf)
    if (words.length === 0) return
    const text = words.map((part) => ('text' in part ? part.text : '')).join(' ')
    const isOwn = value.isMeta !== true && value.isCompactSummary !== true && value.isSidechain !== true
    const isInterruption = text.startsWith(interruption)
    endAnswer()
    if (isOwn && !isInterruption && rollout.hasActed() && rollout.openCalls() === 0)
      endTurn({ status: 'completed' })
    if (isOwn && !isInterruption && !/^\s*(?:<|Caveat:)/.test(text)) rollout.title(text)
    rollout.user(
      words,
      value.isSidechain === true ? { actorId: 'agent' } : isOwn ? {} : { actorId: 'system' },
    )
    if (isInterruption) endTurn({ status: 'interrupted', reason: 'person' })
  }

  const system = (value: Json, record: FileRecord): void => {
    const subtype = asText(value.subtype)
    if (subtype === 'api_error') {
      const cause = asObject(value.error)
      rollout.notice('error', asText(cause.message) || asText(value.content) || jsonText(value.error))
      return
    }
    if (subtype === 'compact_boundary') {
      endAnswer()
      rollout.openWindow({ reason: 'budget' })
    }
    keep(record, `system/${subtype}`, keptSystem.has(subtype) ? 'no_place' : 'unknown_type')
  }

  /** Whether the line was there before, word for word. */
  const isDoubled = (value: Json, record: FileRecord): boolean => {
    const id = asText(value.uuid)
    if (id === '') return false
    const parent = asText(value.parentUuid)
    if (parent !== '' && !seen.has(parent) && parents.size < maxIds) {
      if (!parents.has(parent)) parents.set(parent, record.line)
    }
    if (parents.delete(id)) report.problem(record.line, 'this line comes after one that follows it')
    const hash = sha256(record.raw).slice(0, 16)
    const known = seen.get(id)
    if (known === undefined) {
      if (seen.size >= maxIds) seen = new Map([...seen].slice(maxIds / 2))
      seen.set(id, hash)
      return false
    }
    report.problem(
      record.line,
      known === hash ? 'the same line was there before' : 'another line has the same id',
    )
    return known === hash
  }

  return {
    take: (record) => {
      const value = asObject(record.value)
      const type = asText(value.type)
      const version = asText(value.version)
      rollout.place(record.line, asTime(value.timestamp))
      if (version !== '' && report.value.program === null) {
        rollout.head.program = `Claude Code ${version}`.slice(0, 100)
        report.value.program = rollout.head.program
      }
      report.record(type || '(none)')
      if (isDoubled(value, record)) keep(record, type, 'doubled')
      else if (type === 'assistant') assistant(value, record)
      else if (type === 'user') user(value, record)
      else if (type === 'system') system(value, record)
      else {
        if (type === 'custom-title') rollout.title(asText(value.customTitle))
        const inner = asText(asObject(value.data).type)
        const kind = inner === '' ? type || '(none)' : `${type}/${inner}`
        keep(record, kind, keptLines.has(type) ? 'no_place' : 'unknown_type')
      }
    },
    keep: ({ line, why, raw, blob }) => rollout.kept(line, why, 'unreadable', raw, blob),
    end: () => {
      for (const [parent, line] of [...parents].slice(0, 20))
        report.problem(line, `the line before this one (${parent.slice(0, 60)}) is not in the file`)
      if (parents.size > 20) report.value.problemsTotal += parents.size - 20
      endTurn(
        rollout.openCalls() > 0
          ? { status: 'interrupted', reason: 'the file ends here' }
          : { status: 'completed' },
      )
      rollout.end()
    },
  }
}

export const claudeCode: Format = { name: 'claude-code', read }
