/**
 * Logs of Inspect: each sample becomes a rollout. Its events tell the requests with their exact input and the tools with
 * their time; what no event tells comes from its list of messages. Texts that were moved aside are put back.
 */
import { sha256 } from '../../../../lib/sha256.ts'
import { noUsage, type Usage } from '../../../../protocol/event.ts'
import type { InputBlock } from '../input.ts'
import { inputBlock } from '../input.ts'
import { createRollout, type Rollout } from '../rollout.ts'
import type { Said } from '../text.ts'
import type { FileRecord, Format, Reader, ReaderContext } from '../types.ts'
import {
  asArray,
  asCount,
  asObject,
  asText,
  asTime,
  isObject,
  type Json,
  jsonText,
  oddTime,
} from '../values.ts'
import { createQueries, messageBlock } from './queries.ts'

/** How a text that was moved aside is named; older files called it a content of text. */
const attachment = /^(?:attachment|tc):\/\//

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
      const named = attachment.exec(value)
      const found = named === null ? undefined : attachments[value.slice(named[0].length)]
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

/** The sample's rollout, told but not ended: what the log has beside its samples may still go to it. */
const sampleOf = (context: ReaderContext, sample: Json, record: FileRecord, task: string): Rollout => {
  const { report } = context
  const rollout: Rollout = createRollout(context, report.value.program)
  const queries = createQueries()
  const resolve = resolver(asObject(sample.attachments))
  /** How often each message was told. */
  const told = new Map<string, number>()
  const finished = new Set<string>()
  const pool = asArray(sample.message_pool).map((message) => asObject(resolve(message)))
  let requests = 0
  let lastAnswer: Json | null = null

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
    for (const call of asArray(message.tool_calls).map(asObject)) {
      finished.delete(asText(call.id))
      rollout.call({ callId: asText(call.id), tool: asText(call.function), args: jsonText(call.arguments) })
    }
  }

  const message = (value: Json): void => {
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

  /** Those of a conversation that were not told yet; the same words said twice in it are two messages. */
  const conversation = (messages: readonly Json[]): void => {
    const here = new Map<string, number>()
    for (const each of messages) {
      const key = keyOf(each)
      const times = (here.get(key) ?? 0) + 1
      here.set(key, times)
      if (times <= (told.get(key) ?? 0)) continue
      told.set(key, times)
      message(each)
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

  const endConversation = (): void => {
    if (lastAnswer !== null) rollout.addInput(messageBlock(lastAnswer))
    lastAnswer = null
  }

  const model = (event: Json): void => {
    const input = inputOf(event)
    rollout.setModel(asText(event.model))
    conversation(input)
    rollout.endStep()
    rollout.startTurn()
    const { blocks, envelope } = requestOf(event, input)
    const query = queries.next(blocks, envelope)
    // The answer that ends a conversation is in no request; the window has it all the same.
    if (query?.isNew) endConversation()
    if (query !== null) queries.tell(rollout, query, requests === 0)
    requests += 1
    rollout.startStep()
    rollout.clock(asTime(event.completed))
    const answer = asObject(event.output)
    const chosen = asObject(asArray(answer.choices).map(asObject)[0])
    const said = asObject(chosen.message)
    const failure = asText(event.error) || asText(answer.error)
    if (isObject(chosen.message)) {
      lastAnswer = said
      told.set(keyOf(said), (told.get(keyOf(said)) ?? 0) + 1)
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
    const odd = oddTime(event.timestamp)
    if (odd !== null) report.problem(record.line, `event/${kind}: ${odd}`)
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
  for (const _ of asArray(messages)) report.record('message')
  conversation(asArray(messages).map((each) => asObject(resolve(each))))
  endConversation()
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
  return rollout
}

/** Bytes of one sample: it is held while it is read. */
const sampleBytes = 64 * 1_024 ** 2

/** A part of a log that is no sample. */
type Rest = {
  line: number
  kind: string
  why: 'no_place' | 'unreadable'
  raw: Uint8Array
  blob?: string | undefined
}

const read = (context: ReaderContext): Reader => {
  const { report } = context
  let task = context.fileName
  let skipped = 0
  let open: Rollout | null = null
  /** What comes before the first sample goes to its rollout. */
  const waiting: Rest[] = []
  let waitingBytes = 0

  const keepRest = (rest: Rest): void => {
    if (open !== null) open.kept(rest.line, rest.kind, rest.why, rest.raw, rest.blob)
    else if (waitingBytes + rest.raw.byteLength > sampleBytes)
      report.problem(rest.line, `${rest.kind}: too much stands before the first sample, not kept`)
    else {
      waitingBytes += rest.raw.byteLength
      waiting.push({ ...rest, raw: Buffer.from(rest.raw) })
    }
  }
  const settle = (rollout: Rollout): void => {
    open = rollout
    for (const each of waiting.splice(0)) keepRest(each)
  }

  const header = (value: Json): void => {
    task = asText(value.task) || task
    const version = asText(asObject(value.packages).inspect_ai)
    report.value.program = `Inspect ${version}`.trim().slice(0, 100)
  }

  const sample = (record: FileRecord): void => {
    report.record('sample')
    if (!context.mayBegin()) {
      skipped += 1
      return
    }
    open?.end()
    settle(sampleOf(context, asObject(record.value), record, task))
  }

  return {
    take: (record) => {
      const [key] = record.path
      if (key === 'samples') sample(record)
      else if (key === undefined) {
        // The whole log on one line.
        const { samples, ...about } = asObject(record.value)
        header(asObject(about.eval))
        keepRest({ line: record.line, kind: 'log', why: 'no_place', raw: Buffer.from(jsonText(about)) })
        for (const [at, each] of asArray(samples).entries())
          sample({ ...record, path: ['samples', at], value: each })
      } else {
        const kind = String(key)
        report.record(kind)
        if (kind === 'eval') header(asObject(record.value))
        keepRest({ line: record.line, kind, why: 'no_place', raw: record.raw })
      }
    },
    keep: ({ line, raw, blob }) => keepRest({ line, kind: 'sample', why: 'unreadable', raw, blob }),
    end: () => {
      if (skipped > 0)
        report.problem(0, `${skipped} more samples were not imported: one file gives at most 100`)
      // A log without samples is a rollout of nothing but what stands around them.
      if (report.value.rollouts === 0 && context.mayBegin()) {
        const rollout = createRollout(context, report.value.program)
        rollout.title(task)
        settle(rollout)
        rollout.notice('warning', 'The log has no samples that could be read.')
      }
      open?.end()
    },
  }
}

export const inspect: Format = {
  name: 'inspect',
  maxBytes: sampleBytes,
  descend: (path, kind) =>
    path.length === 0 || (path.length === 1 && path[0] === 'samples' && kind === 'array'),
  read,
}
