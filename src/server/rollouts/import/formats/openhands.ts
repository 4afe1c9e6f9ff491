/**
 * Events of OpenHands: a list of them, or one run a line with its history. Actions and observations find each other by
 * id; several actions of one answer share its response id, and its tokens count once.
 */
import { noUsage, type Usage } from '../../../../protocol/event.ts'
import { createRollout, type Rollout } from '../rollout.ts'
import type { Said } from '../text.ts'
import type { FileRecord, Format, Reader, ReaderContext } from '../types.ts'
import { asArray, asCount, asObject, asText, asTime, isObject, type Json, jsonText } from '../values.ts'

/** Actions that only steer the program. */
const quiet = new Set([
  'change_agent_state',
  'recall',
  'null',
  'condensation',
  'condensation_request',
  'system',
])
const quietObservations = new Set([
  'agent_state_changed',
  'recall',
  'null',
  'agent_condensation',
  'condense',
  'loop_recovery',
])

const usageOf = (value: unknown): Usage | null => {
  if (!isObject(value)) return null
  const input = asCount(value.prompt_tokens)
  const output = asCount(value.completion_tokens)
  const cachedInput =
    asCount(asObject(value.prompt_tokens_details).cached_tokens) || asCount(value.cache_read_tokens)
  return { ...noUsage, input, output, cachedInput, cacheWrite: asCount(value.cache_write_tokens) }
}

const minus = (now: Usage, before: Usage): Usage => ({
  input: Math.max(0, now.input - before.input),
  output: Math.max(0, now.output - before.output),
  cachedInput: Math.max(0, now.cachedInput - before.cachedInput),
  cacheWrite: Math.max(0, now.cacheWrite - before.cacheWrite),
  reasoning: 0,
})

const partsOf = (content: unknown): Said[] =>
  typeof content === 'string'
    ? [{ text: content }]
    : asArray(content)
        .map(asObject)
        .flatMap((part): Said[] =>
          Array.isArray(part.image_urls)
            ? part.image_urls.map((url) => ({ url: asText(url) }))
            : [{ text: typeof part.text === 'string' ? part.text : jsonText(part) }],
        )

const plain = (said: readonly Said[]): string =>
  said.map((part) => ('text' in part ? part.text : '[picture]')).join('\n')

/** One run: its events in order. */
const createRun = (context: ReaderContext) => {
  const { report } = context
  const rollout: Rollout = createRollout(context, 'OpenHands')
  let responseId: string | null = null
  let accumulated: Usage = noUsage
  let cost = 0
  const ended = new Set<string>()

  const keep = (record: FileRecord, kind: string, isKnown: boolean): void => {
    if (!isKnown) report.unknown(kind)
    rollout.kept(record.line, kind, isKnown ? 'no_place' : 'unknown_type', record.raw)
  }

  /** The answer that an event belongs to. */
  const respond = (value: Json, id: string): void => {
    const response = asObject(asObject(value.tool_call_metadata).model_response)
    const key = asText(response.id) || asText(value.llm_response_id) || `event ${id}`
    if (key === responseId) return
    rollout.endStep()
    responseId = key
    if (asText(response.model) !== '') rollout.setModel(asText(response.model))
    rollout.startStep()
    report.message('agent')
    const metrics = asObject(value.llm_metrics)
    const total = usageOf(metrics.accumulated_token_usage)
    const since = total === null ? null : minus(total, accumulated)
    if (total !== null) accumulated = total
    const sum = typeof metrics.accumulated_cost === 'number' ? metrics.accumulated_cost : null
    const usage = usageOf(response.usage) ?? since
    const spent = sum === null || sum <= 0 ? null : Math.round((sum - cost) * 1_000_000)
    if (sum !== null) cost = sum
    if (usage !== null && !ended.has(key)) rollout.spend(usage, spent)
    if (ended.size < 100_000) ended.add(key)
  }

  const call = (value: Json, callId: string, tool: string, args: unknown, thought: string): void => {
    if (thought.trim() !== '') rollout.agent(thought, false)
    const command = asText(asObject(args).command)
    rollout.call({
      callId,
      tool,
      args: jsonText(args),
      ...(command === '' || value.action === 'edit'
        ? {}
        : {
            detail: {
              type: 'command' as const,
              commandId: context.newId('cmd'),
              command: command.slice(0, 800).toWellFormed(),
              running: false,
              bytes: 0,
            },
          }),
    })
  }

  const user = (said: Said[]): void => {
    if (rollout.hasActed() && rollout.openCalls() === 0) rollout.endTurn({ status: 'completed' })
    responseId = null
    rollout.title(plain(said))
    rollout.user(said)
  }

  const action = (value: Json, id: string, record: FileRecord): void => {
    const name = asText(value.action)
    const args = asObject(value.args)
    if (name === 'system') report.message('system')
    if (quiet.has(name)) {
      keep(record, `action/${name}`, true)
      return
    }
    const isAgent = value.source !== 'user'
    if (name === 'message') {
      const text = asText(args.content) || asText(value.message)
      const said: Said[] = [{ text }, ...asArray(args.image_urls).map((url) => ({ url: asText(url) }))]
      if (!isAgent) user(said)
      else {
        respond(value, id)
        rollout.agent(text, false)
      }
      return
    }
    respond(value, id)
    const meta = asObject(value.tool_call_metadata)
    const { thought, ...rest } = args
    call(value, id, asText(meta.function_name) || name, rest, asText(thought))
    if (name === 'finish' || name === 'reject') {
      // Nothing answers it.
      rollout.result(id, { output: '' })
      const words =
        asText(args.final_thought) || asText(asObject(args.outputs).content) || asText(value.message)
      if (words.trim() !== '' && words !== asText(thought)) rollout.agent(words, false)
    }
  }

  const observation = (value: Json, record: FileRecord): void => {
    const name = asText(value.observation)
    const cause = value.cause === null || value.cause === undefined ? '' : String(value.cause)
    if (quietObservations.has(name)) {
      keep(record, `observation/${name}`, true)
      return
    }
    const extras = asObject(value.extras)
    const code = asObject(extras.metadata).exit_code ?? extras.exit_code
    const output = typeof value.content === 'string' ? value.content : jsonText(value.content)
    if (cause === '') {
      if (name === 'error') rollout.notice('error', output)
      else keep(record, `observation/${name}`, true)
      return
    }
    if (typeof code === 'number')
      rollout.command(cause, { exitCode: Math.round(code), bytes: Buffer.byteLength(output) })
    rollout.result(cause, {
      output,
      ...(name === 'error' || (value.success === false && typeof code !== 'number') ? { isError: true } : {}),
    })
  }

  /** Events of the newer kind carry their class's name. */
  const handles: [string, (value: Json, id: string, record: FileRecord) => void][] = [
    [
      'MessageEvent',
      (value, id) => {
        const said = partsOf(asObject(value.llm_message).content)
        if (value.source === 'user') user(said)
        else {
          respond(value, id)
          rollout.agent(plain(said), false)
        }
      },
    ],
    [
      'SystemPromptEvent',
      (_value, _id, record) => {
        report.message('system')
        keep(record, 'SystemPromptEvent', true)
      },
    ],
    [
      'ActionEvent',
      (value, id) => {
        respond(value, id)
        const { kind: _kind, ...args } = asObject(value.action)
        call(
          value,
          asText(value.tool_call_id) || id,
          asText(value.tool_name) || 'tool',
          args,
          plain(partsOf(value.thought)),
        )
      },
    ],
    [
      'ObservationEvent',
      (value) => {
        const seen = asObject(value.observation)
        const output = plain(partsOf(seen.content ?? seen.output ?? jsonText(seen)))
        rollout.result(asText(value.tool_call_id), {
          output,
          ...(seen.is_error === true ? { isError: true } : {}),
        })
      },
    ],
    [
      'AgentErrorEvent',
      (value) => {
        rollout.result(asText(value.tool_call_id), { output: asText(value.error), isError: true })
      },
    ],
  ]
  const classes = new Map(handles)

  return {
    rollout,
    take: (value: Json, record: FileRecord): void => {
      const id = value.id === undefined || value.id === null ? `line ${record.line}` : String(value.id)
      const kind = asText(value.kind)
      rollout.place(record.line, asTime(value.timestamp))
      const name =
        'action' in value && typeof value.action === 'string'
          ? `action/${value.action}`
          : typeof value.observation === 'string'
            ? `observation/${value.observation}`
            : kind || '(none)'
      report.record(name)
      const handle = classes.get(kind)
      if (handle !== undefined) handle(value, id, record)
      else if (typeof value.action === 'string') action(value, id, record)
      else if (typeof value.observation === 'string') observation(value, record)
      else keep(record, name, /Event$/.test(kind))
    },
    end: (): void => {
      rollout.endTurn(
        rollout.openCalls() > 0
          ? { status: 'interrupted', reason: 'the file ends here' }
          : { status: 'completed' },
      )
      rollout.end()
    },
  }
}

const read = (context: ReaderContext): Reader => {
  const { report } = context
  report.value.program = 'OpenHands'
  let list: ReturnType<typeof createRun> | null = null
  let skipped = 0
  const rest: Parameters<Reader['keep']>[0][] = []

  /** One run a line. */
  const whole = (value: Json, record: FileRecord): void => {
    if (!context.mayBegin()) {
      skipped += 1
      return
    }
    const run = createRun(context)
    report.record('run')
    if (asText(value.instance_id) !== '') run.rollout.title(asText(value.instance_id))
    const model = asText(asObject(asObject(value.metadata).llm_config).model)
    if (model !== '') run.rollout.setModel(model)
    const { history, ...about } = value
    run.rollout.kept(record.line, 'run', 'no_place', Buffer.from(jsonText(about)))
    for (const event of asArray(history).flat()) {
      const inner = asObject(event)
      run.take(inner, { ...record, raw: Buffer.from(jsonText(inner)) })
    }
    run.end()
  }

  return {
    take: (record) => {
      const values = Array.isArray(record.value) ? record.value : [record.value]
      for (const each of values) {
        const value = asObject(each)
        if (Array.isArray(value.history)) whole(value, record)
        else {
          list ??= createRun(context)
          list.take(value, values.length === 1 ? record : { ...record, raw: Buffer.from(jsonText(value)) })
        }
      }
    },
    keep: (record) => {
      if (list) list.rollout.kept(record.line, record.why, 'unreadable', record.raw, record.blob)
      else rest.push(record)
    },
    end: () => {
      if (skipped > 0) report.problem(0, `${skipped} more runs were not imported: one file gives at most 100`)
      if (list === null && report.value.rollouts > 0) return
      list ??= createRun(context)
      for (const { line, why, raw, blob } of rest) list.rollout.kept(line, why, 'unreadable', raw, blob)
      list.end()
    },
  }
}

export const openhands: Format = { name: 'openhands', read }
