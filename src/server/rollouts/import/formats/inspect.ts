/**
 * Logs of Inspect: each sample becomes a rollout. Its events tell the requests with their exact input and the tools with
 * their time; what no event tells comes from its list of messages. Texts that were moved aside are put back.
 */
import { noUsage, type Usage } from '../../../../protocol/event.ts'
import type { InputBlock } from '../input.ts'
import { inputBlock } from '../input.ts'
import { createRollout, type Rollout } from '../rollout.ts'
import { type Said, sha256 } from '../text.ts'
import type { FileRecord, Format, Reader, ReaderContext } from '../types.ts'
import { asArray, asCount, asObject, asText, asTime, isObject, type Json, jsonText } from '../values.ts'
import { createQueries, messageBlock } from './queries.ts'

const attachment = 'attachment://'

const usageOf = (value: unknown): Usage => {
  const usage = asObject(value)
  const cachedInput = asCount(usage.input_tokens_cache_read)
  const cacheWrite = asCount(usage.input_tokens_cache_write)
  const output = asCount(usage.output_tokens)
  const stated = asCount(usage.input_tokens)
  // Some vendors count the cached part within the input, others beside it; the total tells.
  const total = asCount(usage.total_tokens)
  const input = total > output ? Math.max(stated, total - output) : stated + cachedInput + cacheWrite
  return { ...noUsage, input, cachedInput, cacheWrite, output, reasoning: asCount(usage.reasoning_tokens) }
}

/** Texts that were moved aside, put back wherever they are the whole of a text. */
const resolver = (attachments: Json) => {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (!value.startsWith(attachment)) return value
      const found = attachments[value.slice(attachment.length)]
      return typeof found === 'string' ? found : value
    }
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
  }
  return walk
}

const partsOf = (content: unknown): { said: Said[]; thoughts: { text: string; hidden: boolean }[] } => {
  const said: Said[] = []
  const thoughts: { text: string; hidden: boolean }[] = []
  if (typeof content === 'string') return { said: [{ text: content }], thoughts }
  for (const part of asArray(content).map(asObject)) {
    if (part.type === 'reasoning')
      thoughts.push({
        text: asText(part.summary) || (part.redacted === true ? '' : asText(part.reasoning)),
        hidden: part.redacted === true,
      })
    else if (part.type === 'image') said.push({ url: asText(part.image) })
    else if (typeof part.text === 'string') said.push({ text: part.text })
    else said.push({ text: jsonText(part) })
  }
  return { said, thoughts }
}

const plain = (said: readonly Said[]): string =>
  said.map((part) => ('text' in part ? part.text : '[picture]')).join('\n')

/** What a message is known by: its id, or what it says. */
const keyOf = (message: Json): string =>
  typeof message.id === 'string' && message.id !== ''
    ? message.id
    : sha256(jsonText([message.role, message.content, message.tool_call_id, message.tool_calls]))

const sampleOf = (context: ReaderContext, sample: Json, record: FileRecord, task: string): void => {
  const { report } = context
  const rollout: Rollout = createRollout(context, report.value.program)
  const queries = createQueries()
  const resolve = resolver(asObject(sample.attachments))
  const seen = new Set<string>()
  const finished = new Set<string>()
  const pool = asArray(sample.message_pool).map((message) => asObject(resolve(message)))
  let requests = 0

  const keep = (value: unknown, kind: string): void =>
    rollout.kept(record.line, kind, 'no_place', Buffer.from(jsonText(value)))

  const result = (callId: string, output: string, failure: unknown): void => {
    if (finished.has(callId)) return
    finished.add(callId)
    const error = asObject(failure)
    rollout.result(callId, {
      output: isObject(failure) ? [asText(error.message), output].filter(Boolean).join('\n') : output,
      ...(isObject(failure) ? { isError: true } : {}),
    })
  }

  const output = (message: Json): void => {
    const { said, thoughts } = partsOf(message.content)
    report.message('agent')
    for (const { text, hidden } of thoughts) rollout.reasoning(text, hidden || text === '')
    if (isObject(message.reasoning) || typeof message.reasoning === 'string')
      rollout.reasoning(jsonText(message.reasoning))
    const text = plain(said)
    if (text !== '') rollout.agent(text, false)
    for (const call of asArray(message.tool_calls).map(asObject))
      rollout.call({ callId: asText(call.id), tool: asText(call.function), args: jsonText(call.arguments) })
  }

  /** A message that was not told yet. */
  const message = (value: Json): void => {
    const key = keyOf(value)
    if (seen.has(key)) return
    seen.add(key)
    const { said } = partsOf(value.content)
    if (value.role === 'system') {
      report.message('system')
      rollout.user(said, { actorId: 'system', counted: false })
    } else if (value.role === 'user') {
      rollout.user(said)
    } else if (value.role === 'tool') result(asText(value.tool_call_id), plain(said), value.error)
    else {
      // An answer that no request of the file gave: it was part of what the sample began with.
      rollout.endStep()
      rollout.startStep()
      output(value)
      rollout.endStep({ stop: 'not recorded' })
    }
  }

  const inputOf = (event: Json): Json[] => {
    const refs = asArray(event.input_refs)
    const own = asArray(event.input).map(asObject)
    if (refs.length === 0) return own
    return refs.flatMap((range) => {
      const [from, to] = asArray(range).map(asCount)
      return pool.slice(from ?? 0, to ?? 0)
    })
  }

  const requestOf = (event: Json, input: Json[]): { blocks: InputBlock[]; envelope: string } => {
    const sent = asObject(asObject(event.call).request)
    if (!Array.isArray(sent.messages))
      return { blocks: input.map(messageBlock), envelope: JSON.stringify({ model: event.model }) }
    const { messages, tools, tool_choice: _choice, ...rest } = sent
    const toolBlocks = asArray(tools).map((tool) =>
      inputBlock('tool', JSON.stringify(tool), { slot: 'tool', reason: 'recorded' }),
    )
    return {
      blocks: [...toolBlocks, ...asArray(messages).map(asObject).map(messageBlock)],
      envelope: JSON.stringify(Object.keys(rest).length === 0 ? { model: event.model } : rest),
    }
  }

  const model = (event: Json): void => {
    const input = inputOf(event)
    rollout.setModel(asText(event.model))
    for (const each of input) message(each)
    rollout.endStep()
    rollout.startTurn()
    const { blocks, envelope } = requestOf(event, input)
    const query = queries.next(blocks, envelope)
    if (query !== null) queries.tell(rollout, query, requests === 0)
    requests += 1
    rollout.startStep()
    rollout.clock(asTime(event.completed))
    const answer = asObject(event.output)
    const chosen = asObject(asArray(answer.choices).map(asObject)[0])
    const said = asObject(chosen.message)
    const failure = asText(event.error) || asText(answer.error)
    if (isObject(chosen.message)) {
      seen.add(keyOf(said))
      output(said)
    }
    rollout.endStep({
      usage: usageOf(answer.usage),
      ...(asText(chosen.stop_reason) === '' ? {} : { stop: asText(chosen.stop_reason) }),
      ...(failure === ''
        ? {}
        : {
            error: {
              code: 'provider_protocol' as const,
              message: failure.replace(/\s+/g, ' ').slice(0, 1_000).toWellFormed(),
              next: 'This happened in the imported rollout.',
            },
          }),
    })
  }

  const events = asArray(sample.events).map((event) => asObject(resolve(event)))
  const { messages, events: _events, attachments: _attachments, message_pool: _pool, ...about } = sample
  const first = events.map(({ timestamp }) => asTime(timestamp)).find((at) => at !== null)
  rollout.place(record.line, first ?? asTime(sample.started_at))
  rollout.title(
    `${task} · sample ${asText(sample.id) || jsonText(sample.id)} · epoch ${asCount(sample.epoch) || 1}`,
  )
  keep(about, 'sample')
  for (const event of events) {
    const kind = asText(event.event)
    report.record(`event/${kind}`)
    rollout.clock(asTime(event.timestamp))
    if (kind === 'model') model(event)
    else if (kind === 'tool') {
      rollout.clock(asTime(event.completed))
      const { result: given } = event
      result(asText(event.id), typeof given === 'string' ? given : plain(partsOf(given).said), event.error)
      if (asArray(event.events).length > 0) keep(event, 'event/tool')
    } else if (kind === 'error')
      rollout.notice('error', asText(asObject(event.error).message) || jsonText(event.error))
    else keep(event, `event/${kind}`)
  }
  for (const each of asArray(messages)) {
    report.record('message')
    message(asObject(resolve(each)))
  }
  const failure = asObject(sample.error)
  const limit = asObject(sample.limit)
  rollout.endTurn(
    isObject(sample.error)
      ? {
          status: 'failed',
          error: {
            code: 'internal',
            message: asText(failure.message).slice(0, 1_000).toWellFormed() || 'The sample failed.',
            next: 'This happened in the imported rollout.',
          },
        }
      : isObject(sample.limit)
        ? {
            status: 'limited',
            error: {
              code: 'limit_reached',
              message: `The limit of ${asText(limit.type) || 'the sample'} was reached.`,
              next: 'This happened in the imported rollout.',
            },
          }
        : { status: 'completed' },
  )
  rollout.end()
}

const read = (context: ReaderContext): Reader => {
  const { report } = context
  let task = context.fileName
  let skipped = 0
  const waiting: FileRecord[] = []

  const header = (value: Json): void => {
    task = asText(value.task) || task
    const version = asText(asObject(value.packages).inspect_ai)
    report.value.program = `Inspect ${version}`.trim().slice(0, 100)
  }

  const sample = (record: FileRecord): void => {
    report.record('sample')
    if (!context.mayBegin()) skipped += 1
    else sampleOf(context, asObject(record.value), record, task)
  }

  return {
    take: (record) => {
      const [key] = record.path
      if (key === 'samples') sample(record)
      else if (key === 'eval') {
        report.record('eval')
        header(asObject(record.value))
      } else if (key === undefined) {
        // The whole log on one line.
        const value = asObject(record.value)
        header(asObject(value.eval))
        for (const [at, each] of asArray(value.samples).entries())
          sample({ ...record, path: ['samples', at], value: each })
      } else report.record(String(key))
    },
    keep: ({ line, raw }) => waiting.push({ line, raw, path: [], value: null }),
    end: () => {
      if (skipped > 0)
        report.problem(0, `${skipped} more samples were not imported: one file gives at most 100`)
      // A log without samples is a rollout of nothing but its header.
      if (report.value.rollouts === 0 && context.mayBegin()) {
        const rollout = createRollout(context, report.value.program)
        rollout.title(task)
        for (const { line, raw } of waiting) rollout.kept(line, 'sample', 'unreadable', raw)
        rollout.notice('warning', 'The log has no samples that could be read.')
        rollout.end()
      }
    },
  }
}

/** Bytes of one sample: it is held while it is read. */
const sampleBytes = 64 * 1_024 ** 2

export const inspect: Format = {
  name: 'inspect',
  maxBytes: sampleBytes,
  descend: (path, kind) =>
    path.length === 0 || (path.length === 1 && path[0] === 'samples' && kind === 'array'),
  read,
}
