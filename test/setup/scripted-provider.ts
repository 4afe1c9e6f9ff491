// A provider without a wire: answers each request with the events of a script, and keeps what it was sent.
import { newId } from '../../src/protocol/ids.ts'
import { ProviderFailure, providerError } from '../../src/server/providers/errors.ts'
import type {
  ModelEvent,
  ModelInfo,
  Provider,
  ProviderErrorCode,
  WindowTraits,
  WireKind,
} from '../../src/server/providers/types.ts'
import { wireFor } from '../../src/server/providers/wire.ts'

/** What the model does for one request: events in order, a failure, or a promise to wait for in between. */
export type Script = (
  | ModelEvent
  | Promise<unknown>
  | { fail: ProviderErrorCode; retryAfterMs?: number; retryable?: boolean }
)[]

export type ScriptedProvider = Provider & { bodies: string[] }

/** One script a request, in order; the last one repeats. */
export const scriptedProvider = (kind: WireKind, scripts: Script[]): ScriptedProvider => {
  const bodies: string[] = []
  return {
    wire: wireFor(kind),
    bodies,
    listModels: async () => [],
    async *stream({ body }, signal) {
      bodies.push(Buffer.from(body).toString('utf8'))
      const script = scripts[Math.min(bodies.length, scripts.length) - 1] ?? []
      for (const entry of script) {
        signal.throwIfAborted()
        if (entry instanceof Promise) {
          await Promise.race([entry, aborted(signal)])
          continue
        }
        if ('fail' in entry) {
          const { fail, ...more } = entry
          throw new ProviderFailure(providerError(fail, `scripted ${fail}`, more))
        }
        yield entry
      }
    },
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const usageEvent = (input = 100, output = 20): ModelEvent => ({
  type: 'usage',
  usage: {
    inputTokens: input,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: output,
    reasoningTokens: 0,
  },
})

export const says = (text: string, item = 0): ModelEvent[] => [
  { type: 'item.started', item, kind: 'assistant' },
  { type: 'text.delta', item, text },
  { type: 'item.completed', item, block: { kind: 'assistant', text } },
]

export const calls = (callId: string, name: string, input: unknown, item = 0): ModelEvent[] => {
  const argumentsText = typeof input === 'string' ? input : JSON.stringify(input)
  return [
    { type: 'item.started', item, kind: 'tool_call', callId, name },
    { type: 'arguments.delta', item, text: argumentsText },
    { type: 'item.completed', item, block: { kind: 'tool_call', callId, name, argumentsText } },
  ]
}

export const ends = (
  stopReason: Extract<ModelEvent, { type: 'completed' }>['stopReason'] = 'end',
  input = 100,
  output = 20,
): ModelEvent[] => [
  usageEvent(input, output),
  { type: 'completed', stopReason, rawStopReason: null, responseId: null },
]

/** The whole answer to one request: words alone. */
export const answers = (text: string): Script => [...says(text), ...ends()]

/** The whole answer to one request: a single call. */
export const callsOne = (name: string, input: unknown, callId = newId('itm')): Script => [
  ...calls(callId, name, input),
  ...ends('tool_calls'),
]

export const model: ModelInfo = {
  id: 'test-model',
  label: 'Test model',
  wire: 'openai-responses',
  family: 'test',
  contextTokens: 200_000,
  usableShare: 0.9,
  maxOutputTokens: 8_000,
  efforts: [],
  defaultEffort: null,
  prices: { input: 1_000_000, cachedInput: 100_000, cacheWrite: 1_250_000, output: 5_000_000 },
  supports: { images: true, tools: true, parallelTools: true, reasoning: true },
  explicitCache: false,
  source: 'settings',
}

export const traits: WindowTraits = {
  reasoning: 'payload',
  reasoningOnEveryMessage: false,
  developerRole: 'developer',
  maxTokensField: 'max_completion_tokens',
  thinking: 'none',
  cacheKey: true,
  images: true,
}
