// Reads a request of any wire into what a script may ask about. Tolerant: a scripted model answers whatever comes.
import { argumentsText, type Json, list, record, text } from '../fields.ts'
import type { WireKind } from '../types.ts'
import type { RequestView } from './scenario.ts'

type Entry =
  | { type: 'user'; text: string }
  | { type: 'answer' }
  | { type: 'call'; callId: string; name: string; argumentsText: string }
  | { type: 'result'; callId: string; text: string }

const ENTRIES: Record<WireKind, (fields: Json) => Entry[]> = {
  'openai-responses': inputEntries,
  'openai-chat': messageEntries,
  'anthropic-messages': messageEntries,
  'google-genai': contentEntries,
}

/** `named`: the model of the address, on wires that have it there. */
export function viewRequest(
  wire: WireKind,
  body: unknown,
  size: number,
  attempt: number,
  named: string | null = null,
): RequestView {
  const fields = record(body) ?? {}
  const entries = ENTRIES[wire](fields)
  const model = named ?? text(fields.model)
  const users: string[] = []
  let step = 0
  let answering = false
  let calls: RequestView['calls'] = []
  for (const entry of entries) {
    if (entry.type === 'user') {
      if (entry.text.trim() === '' || isHarness(entry.text)) continue
      users.push(entry.text)
      step = 0
      calls = []
    }
    const answers = entry.type === 'answer' || entry.type === 'call'
    if (answers && !answering) step += 1
    answering = answers
    if (entry.type === 'call') calls.push({ ...entry, result: null })
    if (entry.type === 'result') {
      const call = calls.findLast((each) => each.callId === entry.callId)
      if (call !== undefined) call.result = entry.text
    }
  }
  return {
    wire,
    model,
    arg: model.includes(':') ? model.slice(model.indexOf(':') + 1) : '',
    tools: toolsOf(fields),
    users,
    lastUser: users.at(-1) ?? '',
    step,
    calls: calls.map(({ callId, name, argumentsText: args, result }) => ({
      callId,
      name,
      argumentsText: args,
      result,
    })),
    attempt,
    size,
  }
}

/** Context the harness adds stands in tags, or under a heading of its own on wires without a role for it. */
function isHarness(said: string): boolean {
  return /^\s*<[a-z_]+[ >]/i.test(said) || /^# AGENTS\.md/.test(said)
}

function toolsOf(fields: Json): RequestView['tools'] {
  const tools = list(fields.tools).flatMap((each) => {
    const declared = list(record(each)?.functionDeclarations)
    return declared.length > 0 ? declared : [each]
  })
  return tools.flatMap((each) => {
    const tool = record(each) ?? {}
    const inner = record(tool.function) ?? tool
    const name = text(inner.name)
    const parameters = record(inner.parameters ?? inner.input_schema ?? inner.parametersJsonSchema) ?? {}
    return name === '' ? [] : [{ name, parameters }]
  })
}

function inputEntries(fields: Json): Entry[] {
  if (typeof fields.input === 'string') return [{ type: 'user', text: fields.input }]
  return list(fields.input).flatMap((each): Entry[] => {
    const item = record(each) ?? {}
    switch (item.type ?? 'message') {
      case 'message':
        if (item.role === 'user') return [{ type: 'user', text: textOf(item.content) }]
        return item.role === 'assistant' ? [{ type: 'answer' }] : []
      case 'reasoning':
        return [{ type: 'answer' }]
      case 'function_call':
        return [
          {
            type: 'call',
            callId: text(item.call_id),
            name: text(item.name),
            argumentsText: text(item.arguments),
          },
        ]
      case 'function_call_output':
        return [{ type: 'result', callId: text(item.call_id), text: textOf(item.output) }]
      default:
        return []
    }
  })
}

function contentEntries(fields: Json): Entry[] {
  return list(fields.contents).flatMap((each): Entry[] => {
    const content = record(each) ?? {}
    const parts = list(content.parts).map((part) => record(part) ?? {})
    if (content.role === 'model')
      return [
        { type: 'answer' },
        ...parts.flatMap((part): Entry[] => {
          const call = record(part.functionCall)
          if (call === null) return []
          const argumentsGiven = argumentsText(call.args)
          return [
            { type: 'call', callId: text(call.id), name: text(call.name), argumentsText: argumentsGiven },
          ]
        }),
      ]
    const results = parts.flatMap((part): Entry[] => {
      const result = record(part.functionResponse)
      if (result === null) return []
      const said = record(result.response) ?? {}
      return [{ type: 'result', callId: text(result.id), text: text(said.output ?? said.error) }]
    })
    const said = textOf(content.parts)
    return said === '' ? results : [...results, { type: 'user', text: said }]
  })
}

function messageEntries(fields: Json): Entry[] {
  return list(fields.messages).flatMap((each): Entry[] => {
    const message = record(each) ?? {}
    const content = Array.isArray(message.content) ? message.content.map((part) => record(part) ?? {}) : []
    switch (message.role) {
      case 'user': {
        const results = content.flatMap((part): Entry[] =>
          part.type === 'tool_result'
            ? [{ type: 'result', callId: text(part.tool_use_id), text: textOf(part.content) }]
            : [],
        )
        const said = textOf(message.content)
        return said === '' ? results : [...results, { type: 'user', text: said }]
      }
      case 'tool':
        return [{ type: 'result', callId: text(message.tool_call_id), text: textOf(message.content) }]
      case 'assistant':
        return [{ type: 'answer' }, ...chatCalls(message), ...blockCalls(content)]
      default:
        return []
    }
  })
}

function chatCalls(message: Json): Entry[] {
  return list(message.tool_calls).map((each) => {
    const call = record(each) ?? {}
    const fn = record(call.function) ?? {}
    return {
      type: 'call',
      callId: text(call.id),
      name: text(fn.name),
      argumentsText: argumentsText(fn.arguments),
    }
  })
}

function blockCalls(content: Json[]): Entry[] {
  return content.flatMap((part): Entry[] =>
    part.type === 'tool_use'
      ? [
          {
            type: 'call',
            callId: text(part.id),
            name: text(part.name),
            argumentsText: argumentsText(part.input),
          },
        ]
      : [],
  )
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => text(record(part)?.text))
    .filter((each) => each !== '')
    .join('\n')
}
