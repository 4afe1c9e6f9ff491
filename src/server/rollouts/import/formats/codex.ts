/**
 * Rollouts of Codex, of every age: lines with a payload, and the bare items of before. Events that repeat an item are not
 * told twice; what no event of ours tells is kept as it is.
 */
import { sha256 } from '../../../../lib/sha256.ts'
import type { ErrorFact } from '../../../../protocol/error.ts'
import type { FileRecord, Format, Reader, ReaderContext } from '../types.ts'
import { asArray, asCount, asObject, asText, asTime, type Json, jsonText, parsed } from '../values.ts'
import { afterCompaction, instructionsOf, rolledBack } from './codex-input.ts'
import {
  callOf,
  commandDetail,
  isContext,
  isWholeCall,
  oldCount,
  outputOf,
  outputTypes,
  patchDetail,
  patchOfText,
  plainText,
  reasoningText,
  requestOf,
  saidOf,
  totalsOf,
} from './codex-items.ts'
import { createSession } from './codex-session.ts'

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/))

/** Events that are kept as they are: they tell of settings and of the program itself. */
const keptEvents = words(`thread_settings_applied thread_goal_updated thread_name_updated entered_review_mode
  exited_review_mode web_search_begin web_search_end image_generation_end view_image_tool_call plan_update turn_diff
  deprecation_notice session_configured mcp_startup_update mcp_startup_complete item_started guardian_assessment
  dynamic_tool_call_request dynamic_tool_call_response undo_started undo_completed collab_agent_spawn_end
  collab_agent_interaction_end collab_waiting_end collab_close_end`)
/** Lines that are kept as they are: what the program keeps for itself. */
const keptLines = words(`world_state inter_agent_communication inter_agent_communication_metadata
  security_risk_score dynamic_tools_updated realtime_item retained_context`)
/** Events that say again what an item says. */
const repeats = words(`context_compacted exec_command_begin patch_apply_begin mcp_tool_call_begin
  agent_reasoning_section_break`)
/** Bare items of the oldest files, without a payload around them. */
const bareTypes = /^(?:message|reasoning|ghost_snapshot|compaction|.*_call|.*_output)$/

const fault = (message: string): ErrorFact => ({
  code: 'provider_protocol',
  message: message.replace(/\s+/g, ' ').slice(0, 1_000).toWellFormed(),
  next: 'This happened in the imported rollout.',
})

type Handle = (payload: Json, record: FileRecord) => void

const read = (context: ReaderContext): Reader => {
  const { report } = context
  const session = createSession(context)
  const { rollout, keep } = session
  let lastContext = ''

  const message: Handle = (item, record) => {
    const parts = saidOf(item.content)
    const text = plainText(parts)
    const role = asText(item.role)
    if (role === 'assistant') {
      session.speak()
      session.sayItem('agent', text)
      session.addInput(item, 'output', record.line, rollout.agent(text))
    } else if (role === 'user') {
      const isOwn = !isContext(text)
      session.endStep()
      if (isOwn && session.isAnswered()) session.endTurn({ status: 'completed' })
      if (isOwn) rollout.title(requestOf(text))
      const id = rollout.user(parts, isOwn ? {} : { actorId: 'system' })
      session.sayItem('user', text)
      session.addInput(item, isOwn ? 'message' : 'changed', record.line, id)
    } else {
      report.message('system')
      keep(record, `response_item/message/${role}`)
      session.addInput(item, 'changed', record.line)
    }
  }

  const plan = (args: string): void => {
    const entries = asArray(asObject(parsed(args)).plan).map(asObject)
    if (entries.length === 0) return
    rollout.plan(
      entries.map(({ step, status }) => ({
        text: asText(step),
        status: status === 'completed' || status === 'in_progress' ? status : 'pending',
      })),
    )
  }

  const call = (item: Json, made: NonNullable<ReturnType<typeof callOf>>, line: number): void => {
    session.speak()
    const detail = /apply_patch/.test(made.tool)
      ? patchOfText(made.args)
      : commandDetail(made.args, context.newId('cmd'))
    const id = rollout.call({ ...made, ...(detail === null ? {} : { detail }) })
    session.addInput(item, 'output', line, id)
    if (made.tool === 'update_plan') plan(made.args)
    if (isWholeCall(asText(item.type))) rollout.result(made.callId, { output: asText(item.result) })
  }

  const responseItem: Handle = (item, record) => {
    const type = asText(item.type)
    const made = callOf(item)
    session.sawItem()
    if (type === 'message') message(item, record)
    else if (type === 'reasoning') {
      const text = reasoningText(item)
      session.speak()
      session.sayItem('reasoning', text)
      session.addInput(item, 'output', record.line, rollout.reasoning(text, text === ''))
    } else if (made !== null) call(item, made, record.line)
    else if (outputTypes.has(type)) {
      const callId = asText(item.call_id)
      const { output, isError, exitCode } = outputOf(item)
      session.sawOutput()
      if (exitCode !== null) rollout.command(callId, { exitCode, bytes: Buffer.byteLength(output) })
      session.addInput(item, 'result', record.line, rollout.result(callId, { output, isError }))
    } else {
      const isKnown = type.startsWith('compaction') || type === 'ghost_snapshot'
      keep(record, `response_item/${type}`, isKnown ? 'no_place' : 'unknown_type')
      session.addInput(item, 'output', record.line)
    }
  }

  const commandEnd = (callId: string, item: Json): boolean => {
    const output = asText(item.aggregated_output)
    const exit = item.exit_code ?? item.exitCode
    return rollout.command(
      callId,
      {
        ...(typeof exit === 'number' ? { exitCode: Math.round(exit) } : {}),
        bytes: Buffer.byteLength(output),
      },
      output === '' ? undefined : output,
    )
  }
  const patchEnd = (callId: string, item: Json): boolean =>
    rollout.detail(callId, { detail: patchDetail(asObject(item.changes)) })

  const itemCompleted: Handle = (payload, record) => {
    const item = asObject(payload.item)
    const type = asText(item.type)
    const kind = `item_completed/${type}`
    const callId = asText(item.id)
    if (type === 'UserMessage') session.echo('user', plainText(saidOf(item.content)), record, kind)
    else if (type === 'AgentMessage') session.echo('agent', plainText(saidOf(item.content)), record, kind)
    else if (type === 'Reasoning')
      for (const text of asArray(item.summary_text)) session.echo('reasoning', asText(text), record, kind)
    else if (type === 'CommandExecution' && commandEnd(callId, item)) return
    else if (type === 'FileChange' && patchEnd(callId, item)) return
    else keep(record, kind)
  }

  const tokenCount: Handle = (payload, record) => {
    if (payload.info === null || payload.info === undefined) return
    const info = asObject(payload.info)
    const now = totalsOf(info.total_token_usage)
    const old = oldCount(info)
    session.limit(asCount(info.model_context_window))
    if (now === null && old !== null) session.seeUsed(old)
    else if (now === null) keep(record, 'event_msg/token_count', 'unknown_type')
    else session.seeTotals(now, record.line)
  }

  const started: Handle = (payload) => {
    if (rollout.inTurn()) session.endTurn({ status: 'completed' })
    session.limit(asCount(payload.model_context_window))
    session.startTurn()
  }
  const completed: Handle = (payload) => {
    const failure = asObject(payload.error)
    session.endTurn(
      typeof failure.message === 'string'
        ? { status: 'failed', error: fault(failure.message) }
        : { status: 'completed' },
    )
  }
  const told =
    (level: 'error' | 'warning'): Handle =>
    (payload, record) => {
      const words = asText(payload.message) || asText(asObject(payload.error).message)
      if (words === '') keep(record, asText(payload.type))
      else rollout.notice(level, words)
    }
  const ended =
    (end: (callId: string, payload: Json) => boolean): Handle =>
    (payload, record) => {
      if (!end(asText(payload.call_id), payload)) keep(record, `event_msg/${asText(payload.type)}`)
    }
  const reasoned: Handle = (payload, record) =>
    session.echo('reasoning', asText(payload.text), record, asText(payload.type))

  const events: Record<string, Handle> = {
    task_started: started,
    turn_started: started,
    task_complete: completed,
    turn_complete: completed,
    // Some versions of 2025 told a turn's end with the tokens of that turn.
    'turn.completed': (payload, record) => {
      const used = totalsOf(payload.usage)
      if (used !== null) session.seeUsed(used)
      session.endTurn({ status: 'completed' })
      keep(record, 'event_msg/turn.completed')
    },
    turn_aborted: (payload) => {
      rollout.startTurn()
      session.endTurn({ status: 'interrupted', reason: asText(payload.reason) || 'interrupted' })
    },
    user_message: (payload, record) => session.echo('user', asText(payload.message), record, 'user_message'),
    agent_message: (payload, record) =>
      session.echo('agent', asText(payload.message), record, 'agent_message'),
    agent_reasoning: reasoned,
    agent_reasoning_raw_content: reasoned,
    token_count: tokenCount,
    exec_command_end: ended(commandEnd),
    patch_apply_end: ended(patchEnd),
    thread_rolled_back: (payload, record) => {
      const before = session.given()
      session.endTurn({ status: 'completed' })
      keep(record, 'thread_rolled_back')
      if (before !== undefined) session.openWindow('person', rolledBack(before, asCount(payload.num_turns)))
    },
    item_completed: itemCompleted,
    error: told('error'),
    stream_error: told('error'),
    warning: told('warning'),
    background_event: told('warning'),
    thread_name_updated: (payload, record) => {
      rollout.title(asText(payload.thread_name) || asText(payload.name))
      keep(record, 'event_msg/thread_name_updated')
    },
  }

  const event: Handle = (payload, record) => {
    const type = asText(payload.type)
    const handle = Object.hasOwn(events, type) ? events[type] : undefined
    if (handle !== undefined) handle(payload, record)
    else if (!repeats.has(type))
      keep(record, `event_msg/${type}`, keptEvents.has(type) ? 'no_place' : 'unknown_type')
  }

  const meta: Handle = (payload, record) => {
    keep(record, 'session_meta')
    if (!session.begin(instructionsOf(payload))) return
    const program = [asText(payload.originator) || 'codex', asText(payload.cli_version)].filter(Boolean)
    rollout.head.program = program.join(' ').slice(0, 100)
    report.value.program ??= rollout.head.program
  }

  const lines: Record<string, Handle> = {
    session_meta: meta,
    response_item: responseItem,
    event_msg: event,
    turn_context: (payload, record) => {
      if (asText(payload.model) !== '') rollout.setModel(asText(payload.model))
      // Older programs write it before each request.
      const key = sha256(jsonText({ ...payload, turn_id: null, root_turn_id: null }))
      if (key !== lastContext) keep(record, 'turn_context')
      lastContext = key
    },
    compacted: (payload, record) => {
      session.endStep()
      keep(record, 'compacted')
      session.openWindow('budget', afterCompaction(session.given() ?? [], payload))
    },
    token_usage_record: (payload, record) => {
      const now = totalsOf(payload.thread_token_usage)
      if (now === null) keep(record, 'token_usage_record', 'unknown_type')
      else session.seeTotals(now, record.line)
    },
  }

  /** What a line is, and what it holds. */
  const opened = (value: Json): { type: string; payload: Json; kind: string } => {
    const type = asText(value.type)
    if (type === '' && 'record_type' in value)
      return { type: '(state)', payload: value, kind: `record_type/${asText(value.record_type)}` }
    if (type === '' && typeof value.id === 'string' && 'timestamp' in value)
      return { type: 'session_meta', payload: value, kind: 'session_meta' }
    if (!('payload' in value) && bareTypes.test(type))
      return { type: 'response_item', payload: value, kind: `response_item/${type}` }
    const payload = asObject(value.payload)
    const inner = type === 'session_meta' ? '' : asText(payload.type)
    return { type, payload, kind: inner === '' ? type || '(none)' : `${type}/${inner}` }
  }

  return {
    take: (record) => {
      const value = asObject(record.value)
      const { type, payload, kind } = opened(value)
      rollout.place(record.line, asTime(value.timestamp))
      report.record(kind)
      const handle = Object.hasOwn(lines, type) ? lines[type] : undefined
      if (handle !== undefined) handle(payload, record)
      else keep(record, kind, keptLines.has(type) || type === '(state)' ? 'no_place' : 'unknown_type')
    },
    keep: ({ line, why, raw, blob }) => rollout.kept(line, why, 'unreadable', raw, blob),
    end: session.end,
  }
}

export const codex: Format = { name: 'codex', read }
