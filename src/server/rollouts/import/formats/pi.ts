/** Sessions of pi: one message a line, with the program's own count of tokens and cost. */
import type { Usage } from '../../../../protocol/event.ts'
import { createRollout } from '../rollout.ts'
import { mediaPart, type Said } from '../text.ts'
import type { FileRecord, Format, Reader, ReaderContext } from '../types.ts'
import { asArray, asCount, asObject, asText, asTime, type Json, jsonText } from '../values.ts'

const keptLines: ReadonlySet<string> = new Set([
  'session',
  'thinking_level_change',
  'model_change',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'branch_summary',
])

const usageOf = (value: unknown): Usage => {
  const usage = asObject(value)
  const cachedInput = asCount(usage.cacheRead)
  const cacheWrite = asCount(usage.cacheWrite)
  return {
    input: asCount(usage.input) + cachedInput + cacheWrite,
    cachedInput,
    cacheWrite,
    output: asCount(usage.output),
    reasoning: 0,
  }
}

const saidOf = (content: unknown): Said[] =>
  typeof content === 'string'
    ? [{ text: content }]
    : asArray(content)
        .map(asObject)
        .map((part) =>
          part.type === 'image' && typeof part.data === 'string'
            ? { data: part.data, mediaType: asText(part.mimeType) }
            : { text: typeof part.text === 'string' ? part.text : jsonText(part) },
        )

const commandOf = (args: Json): string | null => (typeof args.command === 'string' ? args.command : null)

const read = (context: ReaderContext): Reader => {
  const { report } = context
  const rollout = createRollout(context, 'pi')
  report.value.program = 'pi'

  const keep = (record: FileRecord, kind: string, why: 'no_place' | 'unknown_type' = 'no_place'): void => {
    if (why === 'unknown_type') report.unknown(kind)
    rollout.kept(record.line, kind, why, record.raw)
  }

  const textOf = (content: unknown): string =>
    saidOf(content)
      .map((part) => {
        if ('text' in part) return part.text
        if (!('data' in part)) return '[picture]'
        const kept = mediaPart(part.data, part.mediaType, rollout.keep)
        return `[${part.mediaType}, ${kept.bytes ?? 0} bytes: ${kept.blob}]`
      })
      .join('\n')

  const assistant = (message: Json): void => {
    if (asText(message.model) !== '') rollout.setModel(asText(message.model))
    report.message('agent')
    rollout.startStep()
    for (const part of asArray(message.content).map(asObject)) {
      if (part.type === 'text') rollout.agent(asText(part.text), false)
      else if (part.type === 'thinking')
        rollout.reasoning(asText(part.thinking), asText(part.thinking) === '')
      else if (part.type === 'toolCall') {
        const args = asObject(part.arguments)
        const command = commandOf(args)
        rollout.call({
          callId: asText(part.id),
          tool: asText(part.name),
          args: jsonText(part.arguments),
          ...(command === null
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
      } else rollout.agent(jsonText(part), false)
    }
    const usage = usageOf(message.usage)
    const cost = asObject(asObject(message.usage).cost).total
    const stop = asText(message.stopReason)
    const failure = asText(message.errorMessage)
    rollout.endStep({
      usage,
      ...(typeof cost === 'number' && Number.isFinite(cost)
        ? { costMicros: Math.round(cost * 1_000_000) }
        : {}),
      ...(stop === '' ? {} : { stop }),
      ...(stop === 'error'
        ? {
            error: {
              code: 'provider_protocol' as const,
              message: failure.slice(0, 1_000).toWellFormed() || 'The request failed.',
              next: 'This happened in the imported rollout.',
            },
          }
        : {}),
    })
    if (stop === 'aborted') rollout.endTurn({ status: 'interrupted', reason: failure || 'aborted' })
  }

  const message = (value: Json, record: FileRecord): void => {
    const inner = asObject(value.message)
    switch (inner.role) {
      case 'user': {
        if (rollout.hasActed() && rollout.openCalls() === 0) rollout.endTurn({ status: 'completed' })
        const said = saidOf(inner.content)
        rollout.title(said.map((part) => ('text' in part ? part.text : '')).join(' '))
        rollout.user(said)
        return
      }
      case 'assistant':
        assistant(inner)
        return
      case 'toolResult':
        rollout.result(asText(inner.toolCallId), {
          output: textOf(inner.content),
          ...(inner.isError === true ? { isError: true } : {}),
        })
        return
      case 'bashExecution': {
        // A command that the person ran between turns.
        const callId = `bash ${record.line}`
        rollout.call({ callId, tool: 'bash', args: jsonText({ command: inner.command }) })
        rollout.result(callId, { output: asText(inner.output), isInterrupted: inner.cancelled === true })
        rollout.endStep()
        return
      }
      case 'compactionSummary':
      case 'branchSummary':
        rollout.user([{ text: asText(inner.summary) }], { actorId: 'system' })
        return
      case 'custom':
        rollout.user(saidOf(inner.content), { actorId: 'system' })
        return
      default:
        keep(record, `message/${asText(inner.role)}`, 'unknown_type')
    }
  }

  return {
    take: (record) => {
      const value = asObject(record.value)
      const type = asText(value.type)
      const role = asText(asObject(value.message).role)
      const kind = type === 'message' ? `message/${role}` : type || '(none)'
      rollout.place(record.line, asTime(value.timestamp) ?? asTime(asObject(value.message).timestamp))
      report.record(kind)
      if (type === 'message') {
        message(value, record)
        return
      }
      if (type === 'session' || type === 'model_change')
        rollout.setModel(asText(value.modelId) || rollout.model())
      if (type === 'session_info') rollout.title(asText(value.name))
      if (type === 'compaction') {
        rollout.endStep()
        rollout.openWindow({ reason: 'budget' })
        rollout.user([{ text: asText(value.summary) }], { actorId: 'system', counted: false })
      }
      keep(record, kind, keptLines.has(type) || type === 'compaction' ? 'no_place' : 'unknown_type')
    },
    keep: ({ line, why, raw, blob }) => rollout.kept(line, why, 'unreadable', raw, blob),
    end: () => {
      rollout.endTurn(
        rollout.openCalls() > 0
          ? { status: 'interrupted', reason: 'the file ends here' }
          : { status: 'completed' },
      )
      rollout.end()
    },
  }
}

export const pi: Format = { name: 'pi', read }
