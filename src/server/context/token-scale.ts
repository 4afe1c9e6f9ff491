/**
 * What a model makes of a text that is counted in a published encoding: for some exact, for others a factor, with what
 * their chat templates put around messages, calls and tools. Published templates give the structure; what no vendor
 * tells is fitted to one half of the recorded requests and measured on the other (`test/tokens`). The thread's own usage
 * corrects the rest. Knows no wire format, only names of families.
 */
import type { Encoding } from './tokens.ts'

export type TokenScale = {
  /** The family, for what depends on its name alone. */
  family: string
  encoding: Encoding
  /** Tokens of the model for one of the encoding. */
  text: number
  /** Once in a request, once more when it declares tools, and once more when it asks for thoughts. */
  request: number
  tools: number
  thinking: number
  /** Around each message of a person or the harness, each answer, call and result. */
  message: number
  answer: number
  call: number
  result: number
  /** Around each tool. */
  tool: number
  /**
   * How a tool is written out, and tokens for one of that: as types in OpenAI's fashion, as JSON, or as its names and
   * descriptions alone.
   */
  form: 'types' | 'json' | 'names'
  schema: number
}

/** Of a model that nobody measured: between the others, rather too much. */
const unknown: TokenScale = {
  family: '',
  encoding: 'o200k',
  text: 1.05,
  request: 4,
  tools: 100,
  thinking: 0,
  message: 4,
  answer: 4,
  call: 15,
  result: 12,
  tool: 8,
  form: 'json',
  schema: 1.1,
}

type Figures = Partial<TokenScale>
const exact: Figures = { text: 1, tool: 0, form: 'types', schema: 1 }

/** Three tokens and a role around a message, three before the answer. */
const chatml: Figures = { ...exact, request: 3, tools: 14, message: 4, answer: 4, call: 8, result: 6 }
/** Four tokens around a message, two more for the channel of an answer, two before the next one. */
const harmony: Figures = { ...exact, request: 2, tools: 14, message: 4, answer: 6, call: 12, result: 10 }

/** Nothing stands around messages that is counted. */
const bare: Figures = {
  text: 1,
  request: 0,
  tools: 0,
  message: 0,
  answer: 0,
  call: 11.5,
  result: 11.5,
  tool: 0,
}

/** The first pattern that is found in the family's name counts. */
const families: readonly [RegExp, Figures][] = [
  // Its system message comes first in every request: 59 tokens beyond the template's two.
  [/gpt-oss/, { ...harmony, request: 63, tools: 32 }],
  [/gpt-4(?![.o\d])|gpt-3\.5|gpt-4-/, { ...chatml, encoding: 'cl100k' }],
  [/gpt-4/, chatml],
  [/(^|[./-])(gpt|chatgpt|o\d)/, harmony],
  [
    /claude-(3-[05]|3-haiku|3-opus|sonnet-4-0|opus-4-[01])/,
    {
      text: 1.08,
      request: 4,
      tools: 346,
      thinking: 28,
      message: 3,
      answer: 3,
      call: 40,
      result: 25,
      schema: 1.3,
    },
  ],
  // The tokenizer changed; the vendor says up to 35 % more.
  [
    /claude-([a-z]+-)?(4[.-][7-9]|[5-9])(?!\d)/,
    {
      text: 1.35,
      request: 5,
      tools: 500,
      thinking: 0,
      message: 4,
      answer: 4,
      call: 52,
      result: 32,
      schema: 1.65,
    },
  ],
  [
    /claude/,
    {
      text: 1.07,
      request: 3.8,
      tools: 493,
      thinking: 28,
      message: 3,
      answer: 2.7,
      call: 40,
      result: 25,
      tool: 9,
      schema: 1.3,
    },
  ],
  // Up to 2.0 a tool is its names; since then its schema as JSON. No vendor says so, and too few requests tell it to hold
  // some of them out.
  [/gemini-(1|2\.0)|gemma/, { ...bare, form: 'names', schema: 1 }],
  [/gemini/, { ...bare, form: 'json', schema: 1 }],
  [
    /grok-4-1|grok-4\.1/,
    {
      text: 0.97,
      request: 1,
      tools: 146,
      message: 3.3,
      answer: 3.3,
      call: 15,
      result: 12,
      tool: 5.5,
      schema: 0.9,
    },
  ],
  [
    /grok/,
    {
      text: 0.98,
      request: 189,
      tools: 32,
      message: 3,
      answer: 3,
      call: 15,
      result: 12,
      tool: 5.6,
      schema: 1.14,
    },
  ],
  [
    /deepseek-v4/,
    { text: 1, request: 82, tools: 200, message: 1, answer: 1, call: 20, result: 15, schema: 1 },
  ],
  [
    /deepseek/,
    { text: 1.01, request: 4, tools: 231, message: 1, answer: 1, call: 20.5, result: 15.5, schema: 1.08 },
  ],
  [
    /qwen|qwq/,
    { text: 1.06, request: 2.4, tools: 151, message: 5, answer: 5, call: 20, result: 12, schema: 0.87 },
  ],
  [
    /m[ai]?[gi]?(is|ix)tral|devstral|codestral/,
    { text: 1.09, request: 4, tools: 7.5, message: 3, answer: 3, call: 10.6, result: 8.6, schema: 1.4 },
  ],
  [/glm/, { text: 0.98, request: 3.4, tools: 107, message: 2, answer: 2, call: 15, result: 10, schema: 1 }],
  [/llama-?4/, { text: 1, request: 5.5, tools: 650, message: 5, answer: 5, call: 15, result: 10, schema: 1 }],
  [/llama/, { text: 1, request: 30, tools: 60, message: 5, answer: 5, call: 15, result: 10, schema: 1 }],
  [/sonar/, { text: 1, request: 1, tools: 0, message: 0, answer: 0, schema: 1 }],
]

/** `family` and `wire` are the window's frozen words; models of one family count alike on every wire but for constants. */
export const tokenScale = (family: string, wire: string): TokenScale => {
  const name = family.toLowerCase()
  const found = families.find(([pattern]) => pattern.test(name))?.[1]
  const scale = { ...unknown, ...found, family: name }
  // What the vendor adds to a request with tools differs with the door and the generation.
  if (found === harmony && wire === 'openai-chat') return { ...scale, tools: 90 }
  if (found === chatml && wire === 'openai-responses') return { ...scale, tools: 240 }
  return scale
}
