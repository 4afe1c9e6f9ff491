/**
 * Trajectories of SWE-agent and of mini-swe-agent. The history has the messages, the trajectory the time of each action
 * and in newer files the exact request; the trajectory comes first in the file, so what it adds waits for its message.
 */
import { noUsage, type Usage } from '../../../../protocol/event.ts'
import { createRollout } from '../rollout.ts'
import type { FileRecord, Format, Reader, ReaderContext } from '../types.ts'
import { asArray, asCount, asObject, asText, asTime, isObject, type Json, jsonText } from '../values.ts'
import { createQueries, messageBlock, type Query } from './queries.ts'

const lists = new Set(['trajectory', 'history', 'messages'])
/** Characters of actions and observations that are held in case the file has no history. */
const maxHeldChars = 32 * 1_024 ** 2

type Action = {
  response: string
  action: string
  observation: string
  ms: number | null
  query: Query | null
}

/** The command of an answer that has no tools: its fenced block. */
const fenced = (text: string): string | null =>
  /```(?:bash|sh|mswea_bash_command)\s*\n([\s\S]*?)\n?```/.exec(text)?.[1]?.trim() ?? null

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content
          .map((part) => {
            const { text } = asObject(part)
            return typeof text === 'string' ? text : jsonText(part)
          })
          .join('\n')
      : content === null || content === undefined
        ? ''
        : jsonText(content)

const usageOf = (value: unknown): Usage | null => {
  const usage = asObject(value)
  const input = asCount(usage.prompt_tokens) || asCount(usage.input_tokens)
  const output = asCount(usage.completion_tokens) || asCount(usage.output_tokens)
  if (input + output === 0) return null
  const cachedInput = asCount(asObject(usage.prompt_tokens_details).cached_tokens)
  const reasoning = asCount(asObject(usage.completion_tokens_details).reasoning_tokens)
  return { ...noUsage, input, output, cachedInput, reasoning }
}

const read = (context: ReaderContext): Reader => {
  const { report } = context
  const rollout = createRollout(context, 'SWE-agent')
  const queries = createQueries()
  const actions: Action[] = []
  let heldChars = 0
  let answered = 0
  let hasHistory = false
  let isMini = false
  let counted = false
  /** The call that the next message answers, in files whose observations are a person's words. */
  let waiting: { callId: string; action: Action | undefined } | null = null
  let calls = 0
  let since: Json[] = []

  const keep = (record: FileRecord, kind: string, why: 'no_place' | 'doubled' = 'no_place'): void =>
    rollout.kept(record.line, kind, why, record.raw)

  const command = (text: string) => ({
    type: 'command' as const,
    commandId: context.newId('cmd'),
    command: text.trim().slice(0, 800).toWellFormed(),
    running: false,
    bytes: 0,
  })

  /** Messages after the last request are in none; the window has them all the same. */
  const endConversation = (): void => {
    for (const each of since) rollout.addInput(messageBlock(each))
    since = []
  }

  const answer = (text: string, message: Json, action: Action | undefined): void => {
    rollout.endStep()
    rollout.startTurn()
    if (action?.query) {
      if (action.query.isNew) endConversation()
      queries.tell(rollout, action.query, answered === 0)
      since = []
    }
    const { tool_calls: toolCalls } = message
    since.push({
      role: 'assistant',
      content: text,
      ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
    })
    answered += 1
    rollout.startStep()
    report.message('agent')
    if (text.trim() !== '') rollout.agent(text, false)
    const made = asArray(message.tool_calls).map(asObject)
    for (const call of made) {
      const called = asObject(call.function)
      const args = jsonText(called.arguments ?? call.arguments)
      rollout.call({
        callId: asText(call.id) || `call ${calls}`,
        tool: asText(called.name) || asText(call.name) || 'tool',
        args,
        ...(typeof message.action === 'string' ? { detail: command(message.action) } : {}),
      })
      calls += 1
    }
    const [first] = made
    const done = textOf(message.action) || action?.action || (isMini ? (fenced(text) ?? '') : '')
    if (first !== undefined) waiting = { callId: asText(first.id) || `call ${calls - made.length}`, action }
    else if (done.trim() !== '') {
      const callId = `action ${calls}`
      calls += 1
      rollout.call({
        callId,
        tool: isMini ? 'bash' : 'shell',
        args: jsonText({ command: done }),
        detail: command(done),
      })
      waiting = { callId, action }
    } else waiting = null
    const extra = asObject(message.extra)
    const usage = usageOf(asObject(extra.response).usage) ?? usageOf(message.usage)
    if (usage !== null) {
      counted = true
      const cost = typeof extra.cost === 'number' ? Math.round(extra.cost * 1_000_000) : null
      rollout.spend(usage, cost)
    }
  }

  const observe = (callId: string, text: string, action: Action | undefined): void => {
    const code = /^<returncode>(-?\d+)<\/returncode>/.exec(text)?.[1]
    if (code !== undefined)
      rollout.command(callId, { exitCode: Number(code), bytes: Buffer.byteLength(text) })
    const ms = action?.ms ?? null
    rollout.result(callId, { output: text, ...(ms === null ? {} : { startedAt: rollout.time() - ms }) })
    waiting = null
  }

  const message = (value: Json): void => {
    const role = asText(value.role)
    const text = textOf(value.content)
    const at = asTime(value.timestamp) ?? asTime(asObject(value.extra).timestamp)
    if (at !== null) rollout.place(report.value.lines, at)
    if (role === 'system') {
      report.message('system')
      rollout.user([{ text }], { actorId: 'system', counted: false })
    } else if (value.is_demo === true) rollout.user([{ text }], { actorId: 'system' })
    else if (role === 'assistant') answer(text || textOf(value.thought), value, actions[answered])
    else if (role === 'tool') {
      const ids = asArray(value.tool_call_ids).map(asText)
      const [first = asText(value.tool_call_id) || waiting?.callId || ''] = ids
      since.push({ role, content: text, tool_call_id: first })
      observe(first, text, waiting?.action)
    } else if (role === 'user' && waiting !== null && value.message_type !== 'system_prompt') {
      since.push({ role, content: text })
      observe(waiting.callId, text, waiting.action)
    } else if (role === 'user') {
      const issue = text.indexOf('ISSUE:\n')
      const mini = /solve this issue:\s*/i.exec(text)
      rollout.title(
        issue >= 0 ? text.slice(issue + 7) : mini ? text.slice(mini.index + mini[0].length) : text,
      )
      rollout.user([{ text }])
    } else {
      report.unknown(`message/${role}`)
      rollout.notice('info', `[${role}] ${text}`)
    }
  }

  const acted = (value: Json): void => {
    const given = asArray(value.query ?? value.messages).filter(isObject)
    const query = given.length === 0 ? null : queries.next(given.map(messageBlock))
    const action: Action = {
      response: textOf(value.response) || textOf(value.thought),
      action: textOf(value.action),
      observation: textOf(value.observation),
      ms: typeof value.execution_time === 'number' ? Math.round(value.execution_time * 1_000) : null,
      query,
    }
    heldChars += action.response.length + action.observation.length
    if (heldChars > maxHeldChars) {
      action.response = ''
      action.observation = ''
    }
    actions.push(action)
  }

  const totals = (info: Json): void => {
    const stats = asObject(info.model_stats)
    const input = asCount(stats.tokens_sent)
    const output = asCount(stats.tokens_received)
    const cost = typeof stats.instance_cost === 'number' ? Math.round(stats.instance_cost * 1_000_000) : null
    if (input + output > 0) report.value.statedUsage = { ...noUsage, input, output }
    if (counted || input + output + (cost ?? 0) === 0) return
    // The file has one sum of all requests.
    lastSum = { usage: { ...noUsage, input, output }, cost }
  }
  let lastSum: { usage: Usage; cost: number | null } | null = null

  const single = (key: string, record: FileRecord): void => {
    const value = asObject(record.value)
    report.record(key)
    keep(record, key)
    if (key !== 'info') return
    totals(value)
    const name = asText(asObject(asObject(asObject(value.config).model)).model_name)
    if (name !== '') report.model(name)
    const version = asText(value.mini_version) || asText(value.swe_agent_version)
    rollout.head.program =
      `${isMini || 'mini_version' in value ? 'mini-swe-agent' : 'SWE-agent'} ${version}`.trim()
    report.value.program = rollout.head.program
  }

  const self: Reader = {
    take: (record) => {
      const [key] = record.path
      rollout.place(record.line, null)
      const value = asObject(record.value)
      if (key === 'trajectory') {
        report.record('trajectory')
        if (hasHistory) keep(record, 'trajectory', 'doubled')
        else acted(value)
      } else if (key === 'history' || key === 'messages' || typeof key === 'number') {
        if (key !== 'history') isMini = true
        hasHistory = true
        report.record(`message/${asText(value.role)}`)
        message(value)
      } else if (typeof key === 'string') single(key, record)
      else {
        // A document on one line of a file of lines.
        for (const [name, inner] of Object.entries(value)) {
          const raw = Buffer.from(jsonText(inner))
          if (lists.has(name)) {
            for (const [at, each] of asArray(inner).entries())
              self.take({
                line: record.line,
                path: [name, at],
                value: each,
                raw: Buffer.from(jsonText(each)),
              })
          } else if (typeof inner === 'object' && inner !== null)
            self.take({ line: record.line, path: [name], value: inner, raw })
        }
      }
    },
    scalar: (path, value) => {
      if (path.length === 1) report.record(String(path[0]))
      if (path[0] === 'trajectory_format' && asText(value).startsWith('mini')) isMini = true
    },
    keep: ({ line, why, raw, blob }) => rollout.kept(line, why, 'unreadable', raw, blob),
    end: () => {
      if (!hasHistory)
        for (const action of actions) {
          answer(action.response, {}, action)
          if (waiting !== null) observe((waiting as { callId: string }).callId, action.observation, action)
        }
      // The last observation ends the work and is no message any more.
      const last = waiting as { callId: string; action: Action | undefined } | null
      if (last?.action !== undefined) observe(last.callId, last.action.observation, last.action)
      endConversation()
      if (lastSum !== null && answered > 0) {
        rollout.spend(lastSum.usage, lastSum.cost)
        report.problem(
          0,
          'the file has tokens and cost as one sum of all requests: they stand at the last one',
        )
      }
      report.value.program ??= isMini ? 'mini-swe-agent' : 'SWE-agent'
      rollout.head.program = report.value.program
      rollout.endTurn({ status: 'completed' })
      rollout.end()
    },
  }
  return self
}

export const sweAgent: Format = {
  name: 'swe-agent',
  descend: (path, kind) =>
    path.length === 0 || (path.length === 1 && kind === 'array' && lists.has(String(path[0]))),
  read,
}
