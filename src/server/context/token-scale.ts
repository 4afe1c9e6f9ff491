/**
 * What a model makes of a text that is counted in a published encoding: for some exact, for others a factor, with what
 * their chat templates put around messages, calls and tools. The figures are fitted to requests of which the providers
 * told the count (`tokens.test.ts` measures how far off they are); the thread's own usage corrects them. Knows no wire
 * format, only names of families.
 */
import type { Encoding } from './tokens.ts'

export type TokenScale = {
  encoding: Encoding
  /** Tokens of the model for one of the encoding. */
  text: number
  /** Once in a request, and once more when it declares tools. */
  request: number
  tools: number
  /** Around each message, call and result; `call` and `result` also stand for how arguments are written out. */
  message: number
  call: number
  result: number
  /** Of each tool: `types` is its form as types, `json` its schema with this factor. */
  tool: number
  schema: 'types' | number
}

const openai: TokenScale = {
  encoding: 'o200k',
  text: 1,
  request: 3,
  tools: 17,
  message: 4,
  call: 8,
  result: 6,
  tool: 0,
  schema: 'types',
}

/** Of a model that nobody measured: between the others, rather too much. */
const unknown: TokenScale = {
  encoding: 'o200k',
  text: 1.05,
  request: 4,
  tools: 100,
  message: 4,
  call: 15,
  result: 12,
  tool: 8,
  schema: 1.1,
}

const scale = (more: Partial<TokenScale>): TokenScale => ({
  ...unknown,
  tools: 0,
  tool: 0,
  request: 2,
  ...more,
})

/** The first pattern that is found in the family's name counts. */
const families: readonly [RegExp, TokenScale][] = [
  [/gpt-oss/, scale({ text: 1, request: 63, tools: 27, message: 5, call: 20, result: 8, schema: 0.63 })],
  [/gpt-4(?![.o\d])|gpt-3\.5|gpt-4-/, { ...openai, encoding: 'cl100k' }],
  [/(^|[./-])(gpt|chatgpt|o\d)/, openai],
  [
    /claude-(3|sonnet-4-0|opus-4-[01])/,
    scale({ text: 1.08, request: 5, tools: 330, message: 3, call: 45, result: 25, schema: 1.24 }),
  ],
  [
    /claude-([a-z]+-)?(4[.-][7-9]|[5-9])(?!\d)/,
    scale({ text: 1.35, request: 5, tools: 500, message: 4, call: 55, result: 30, schema: 1.6 }),
  ],
  [
    /claude/,
    scale({ text: 1.1, request: 5, tools: 500, message: 3, call: 45, result: 25, tool: 6, schema: 1.24 }),
  ],
  [/gemini|gemma/, scale({ text: 1, request: 0, message: 0, call: 14, result: 10, tool: -14, schema: 1.15 })],
  [
    /grok-4-1|grok-4\.1/,
    scale({ text: 0.98, request: 0, tools: 149, message: 3, call: 16, result: 12, schema: 1 }),
  ],
  [/grok/, scale({ text: 0.98, request: 188, tools: 32, message: 4, call: 40, result: 40, schema: 1.25 })],
  [
    /deepseek-v4/,
    scale({ text: 1, request: 83, tools: 221, message: 2, call: 45, result: 30, schema: 1.17 }),
  ],
  [
    /deepseek/,
    scale({ text: 1.02, request: 3, tools: 221, message: 1, call: 45, result: 30, tool: 4, schema: 1.17 }),
  ],
  [/qwen|qwq/, scale({ text: 1.02, request: 2, tools: 130, message: 6, call: 15, result: 10, schema: 1 })],
  [
    /m[ai]?[gi]?(is|ix)tral|devstral|codestral/,
    scale({ text: 1.1, request: 2, tools: 3, message: 3, call: 8, result: 6, schema: 1.63 }),
  ],
  [/glm/, scale({ text: 1, request: 3, tools: 105, message: 3, call: 15, result: 8, schema: 1 })],
  [/llama-?4/, scale({ text: 1, request: 8, tools: 640, message: 4, call: 30, result: 15, schema: 1.4 })],
  [/llama/, scale({ text: 1, request: 32, tools: 60, message: 4, call: 15, result: 10, schema: 1 })],
  [/sonar/, scale({ text: 1, request: 0, message: 0, schema: 1 })],
]

/** `family` and `wire` are the window's frozen words; models of one family count alike on every wire but for constants. */
export const tokenScale = (family: string, wire: string): TokenScale => {
  const found = families.find(([pattern]) => pattern.test(family.toLowerCase()))?.[1] ?? unknown
  if (found !== openai) return found
  // What the vendor adds to a request with tools differs with the door and the generation.
  const isOld = /gpt-4|gpt-3/.test(family)
  if (wire === 'openai-responses') return isOld ? { ...openai, tools: 240 } : { ...openai, call: 16 }
  return wire === 'openai-chat' && !isOld ? { ...openai, tools: 95 } : openai
}
