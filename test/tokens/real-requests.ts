/** Recorded requests of four wires with the provider's own count, read into the blocks that such a window would hold. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PromptBlock, PromptPart } from '../../src/server/providers/types.ts'

type Json = Record<string, unknown>

export type RealRequest = {
  wire: string
  model: string
  /** As the provider counted. */
  counted: number
  source: string
  blocks: PromptBlock[]
  /** The model was asked to think, by a switch that the provider turns into words. */
  thinking: boolean
  /** Has more than blocks can say: tools that the vendor runs, files, a schema for the answer. */
  odd: boolean
}

const wires: Record<string, string> = {
  responses: 'openai-responses',
  chat: 'openai-chat',
  anthropic: 'anthropic-messages',
  gemini: 'google-genai',
}

/** Requests that were put to a vendor's door for counting alone, where it gave a count. */
export const countedRequests = (folder: string): RealRequest[] => {
  const file = join(folder, 'tokens/count-tokens-endpoints.json')
  if (!existsSync(file)) return []
  type Asked = { uri: string; path: string; request: string | Json; response: string | Json }
  const parsed = (value: string | Json): Json => (typeof value === 'string' ? JSON.parse(value) : value)
  return (JSON.parse(readFileSync(file, 'utf8')) as Asked[]).flatMap(({ uri, path, ...asked }) => {
    const { totalTokens, input_tokens: inputTokens } = parsed(asked.response)
    const counted = totalTokens ?? inputTokens
    if (typeof counted !== 'number') return []
    const given = parsed(asked.request)
    const request = (given.generateContentRequest ?? given) as Json
    const isGoogle = uri.includes('googleapis')
    const reader = createReader(request)
    return [
      {
        wire: isGoogle ? 'google-genai' : 'anthropic-messages',
        model: isGoogle ? (/models\/([^:]+):/.exec(uri)?.[1] ?? '') : text(request.model),
        counted,
        source: path,
        blocks: reader.read(),
        thinking: reader.thinks(),
        odd: reader.odd() || uri.includes('aiplatform'),
      },
    ]
  })
}

export const realRequests = (folder: string): RealRequest[] => {
  const file = join(folder, 'tokens/real-usage.jsonl')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const { protocol, host, model, input_tokens, source, request } = JSON.parse(line)
    const reader = createReader(request)
    return {
      wire: wires[protocol] ?? protocol,
      model,
      counted: input_tokens,
      source,
      blocks: reader.read(),
      thinking: reader.thinks(),
      // The vendor's other door, which nothing here speaks to, writes tools out in another way.
      odd: reader.odd() || /aiplatform/.test(host),
    }
  })
}

const list = (value: unknown): Json[] => {
  const all: unknown[] = Array.isArray(value) ? value : [value]
  return all.filter((each): each is Json => typeof each === 'object' && each !== null)
}
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const createReader = (request: Json) => {
  const blocks: PromptBlock[] = []
  const formats = [
    (request.response_format as Json | undefined)?.type,
    ((request.text as Json | undefined)?.format as Json | undefined)?.type,
  ]
  const config = (request.generationConfig ?? {}) as Json
  let odd =
    formats.some((type) => type !== undefined && type !== 'text') ||
    Object.keys(config).some((key) => /response_?(json_?)?schema/i.test(key)) ||
    request.conversation !== undefined ||
    request.previous_response_id !== undefined
  // Answers after a schema and one call at a time are asked for in words of the provider's own.
  const asked = (request.output_config ?? {}) as Json
  const chosen = (request.tool_choice ?? {}) as Json
  if (asked.format !== undefined || request.output_format !== undefined) odd = true
  if (request.parallel_tool_calls === false || chosen.disable_parallel_tool_use === true) odd = true
  // A call that is demanded of the model is demanded in words that the provider counts.
  const choice = JSON.stringify(request.tool_choice ?? request.toolConfig ?? 'auto')
  if (!/^("auto"|\{"type":"auto"\}|\{"functionCallingConfig":\{"mode":"AUTO"\}\})$/.test(choice)) odd = true

  const said = (content: unknown): PromptPart[] => {
    if (typeof content === 'string') return [{ type: 'text', text: content }]
    return list(content).flatMap((part): PromptPart[] => {
      if (typeof part.text === 'string') return [{ type: 'text', text: part.text }]
      odd = true
      return []
    })
  }
  const texts = (content: unknown): string =>
    said(content)
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('\n')
  const call = (name: unknown, given: unknown): void => {
    const argumentsText = typeof given === 'string' ? given : JSON.stringify(given ?? {})
    blocks.push({ kind: 'tool_call', callId: 'c', name: text(name), argumentsText, group: 's' })
  }
  const result = (content: unknown): void => {
    const parts = said(
      typeof content === 'string' || Array.isArray(content) ? content : JSON.stringify(content),
    )
    blocks.push({ kind: 'tool_result', callId: 'c', name: 'tool', parts, isError: false, group: 's' })
  }
  const tool = (given: Json, parameters: unknown): void => {
    const lower = JSON.stringify(parameters ?? {}).replace(/"type":"([A-Z]+)"/g, (found) =>
      found.toLowerCase(),
    )
    blocks.push({
      kind: 'tool',
      name: text(given.name),
      description: text(given.description),
      parameters: JSON.parse(lower),
    })
  }

  const readTools = (): void => {
    for (const each of list(request.tools)) {
      const declared = list(each.functionDeclarations)
      for (const one of declared)
        tool(one, one.parameters ?? one.parametersJsonSchema ?? one.parameters_json_schema)
      if (declared.length > 0) continue
      const inner = (each.function ?? each) as Json
      if (each.input_schema !== undefined) tool(each, each.input_schema)
      else if (each.type === 'function') tool(inner, inner.parameters)
      else odd = true
    }
  }

  const readMessage = (message: Json): void => {
    if (message.type !== undefined && message.type !== 'message') readItem(message)
    else if (message.role === 'tool') result(message.content)
    else readTurn(message)
  }

  const readTurn = (message: Json): void => {
    const parts = list(typeof message.content === 'string' ? undefined : message.content)
    const plain = parts.filter((part) => !/tool_use|tool_result|thinking/.test(text(part.type)))
    const content = typeof message.content === 'string' ? message.content : plain
    // What a vendor keeps of earlier thoughts differs from vendor to vendor; here only what is said is compared.
    if (
      parts.some((part) => part.type === 'thinking') ||
      text(message.reasoning_content ?? message.reasoning) !== ''
    )
      odd = true
    if (message.role === 'assistant') {
      if (texts(content) !== '') blocks.push({ kind: 'assistant', text: texts(content), group: 's' })
    } else if (content.length > 0)
      blocks.push({ kind: message.role === 'user' ? 'user' : 'developer', parts: said(content) })
    for (const part of parts) {
      if (part.type === 'tool_use') call(part.name, part.input)
      if (part.type === 'tool_result') result(part.content)
    }
    for (const each of list(message.tool_calls)) {
      const made = each.function as Json
      call(made.name, made.arguments)
    }
  }

  const readItem = (item: Json): void => {
    if (item.type === 'function_call') call(item.name, item.arguments)
    else if (item.type === 'function_call_output') result(item.output)
    else odd = true
  }

  const readContent = (content: Json): void => {
    for (const part of list(content.parts)) {
      const made = (part.functionCall ?? part.function_call) as Json | undefined
      const given = (part.functionResponse ?? part.function_response) as Json | undefined
      if (part.thoughtSignature !== undefined || part.thought_signature !== undefined) odd = true
      if (typeof part.text === 'string') {
        if (content.role === 'model') blocks.push({ kind: 'assistant', text: part.text, group: 's' })
        else blocks.push({ kind: 'user', parts: [{ type: 'text', text: part.text }] })
      } else if (made !== undefined) call(made.name, made.args)
      else if (given !== undefined) result(given.response)
      else odd = true
    }
  }

  return {
    read: (): PromptBlock[] => {
      readTools()
      const system = request.system ?? request.instructions
      const parts = (request.systemInstruction as Json | undefined)?.parts
      const given = texts(system ?? parts)
      if (given !== '') blocks.push({ kind: 'instructions', text: given })
      for (const message of list(request.messages)) readMessage(message)
      if (typeof request.input === 'string')
        blocks.push({ kind: 'user', parts: [{ type: 'text', text: request.input }] })
      else for (const message of list(request.input)) readMessage(message)
      for (const content of list(request.contents)) readContent(content)
      return blocks
    },
    // Thoughts that stand in an answer's text are cut out of it by the model's own template.
    odd: () => odd || JSON.stringify(blocks).includes('<think>'),
    thinks: () => {
      const { thinking, reasoning } = request as Record<'thinking' | 'reasoning', Json | undefined>
      const type = thinking?.type
      if (type === 'enabled' || type === 'adaptive') return true
      return reasoning !== undefined && reasoning.enabled !== false && reasoning.effort !== 'none'
    },
  }
}
