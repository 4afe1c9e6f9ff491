// What is known about a model: figures from the bundled price package, a person's overrides, else a careful guess.
// Prices are never written here. Limits and switches that the package does not have are conservative and editable.
import { calcPrice, findProvider } from '@pydantic/genai-prices'
import type { Effort } from '../../protocol/settings.ts'
import { hostKind } from './hosts.ts'
import type { ModelInfo, ModelOverride, Prices, ProviderConnection, Rates, Usage, WireKind } from './types.ts'

export const DEMO_MODEL_ID = 'baton-demo'

/** Assumed of a model nobody knows. */
const UNKNOWN_CONTEXT_TOKENS = 32_768
/** No window is filled to the brim: counting differs between vendors. */
const MOST_USABLE = 0.95

type Address = Pick<ProviderConnection, 'wire' | 'baseUrl' | 'demo'>

/** `now` chooses between dated prices. */
export function modelInfo(
  address: Address,
  id: string,
  override: ModelOverride = {},
  now = new Date(),
): ModelInfo {
  if (address.demo) return { ...DEMO_MODEL, wire: address.wire, id }
  const found = lookUp(address, id, now)
  const context = override.contextTokens ?? found?.contextTokens ?? usualWindow(id)
  const shape = shapeOf(id, address.wire)
  const efforts = override.efforts ?? (onlyWithoutThought(address, id) ? ['none' as const] : shape.efforts)
  const maxOutputTokens =
    override.maxOutputTokens ?? Math.min(shape.maxOutputTokens, Math.floor(context * 0.4))
  const usable = Math.floor(((context - maxOutputTokens) / context) * 100) / 100
  const own = /local|ollama/.test(hostKind(address))
  const edited = Object.values(override).some((value) => value !== undefined)
  return {
    id,
    label: override.label ?? found?.label ?? id,
    wire: address.wire,
    family: override.family ?? familyOf(id),
    contextTokens: context,
    usableShare: override.usableShare ?? Math.min(MOST_USABLE, usable),
    maxOutputTokens,
    efforts,
    defaultEffort: override.defaultEffort !== undefined ? override.defaultEffort : usualEffort(efforts),
    prices: override.prices !== undefined ? override.prices : own ? null : (found?.prices ?? null),
    supports: override.supports ?? shape.supports,
    explicitCache: override.explicitCache ?? false,
    source: edited ? 'settings' : found !== null ? 'catalogue' : 'guess',
  }
}

/** Models of the vendor behind an address that are worth offering, for a picker without `/models`. */
export function knownModels(address: Address): string[] {
  if (address.demo) return [DEMO_MODEL_ID]
  const provider = providerOf(address)
  const ids = (provider?.models ?? [])
    .filter(
      (model) =>
        model.deprecated !== true &&
        (model.context_window ?? usualWindow(model.id, 0)) >= UNKNOWN_CONTEXT_TOKENS,
    )
    .map((model) => model.id)
  // The package lists what Google's cloud rents out for others; this wire speaks to Google's own.
  const own = address.wire === 'google-genai' ? /^gemini-\d/ : /./
  // The package lists by name; the newest of a line come first when that is turned round, lines that go on before others.
  const offered = ids.filter((id) => own.test(id) && !NO_AGENT.test(id)).reverse()
  return offered.sort((a, b) => Number(SIDE_LINE.test(a)) - Number(SIDE_LINE.test(b)))
}
// Lines beside the main one of their vendor.
const SIDE_LINE = /^(?:o\d|gpt-oss|chatgpt|codex)/
// Kinds of models that cannot run tools.
const NO_AGENT =
  /image|audio|realtime|tts|transcribe|embedding|moderation|search|instruct|vision|ocr|voice|guard|deep-research|gpt-3|^o1-(mini|preview)|claude-[23]-|claude-v|-live-/

/** Micro-dollars of one request, rounded up so that no use is free by rounding. Null prices: 0. */
export function costMicros(prices: Prices | null, usage: Usage): number {
  if (prices === null) return 0
  const tier = prices.tiers?.findLast((each) => usage.inputTokens > each.aboveInputTokens)
  const rates: Rates = tier ?? prices
  const fresh = Math.max(0, usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens)
  const cost =
    fresh * rates.input +
    usage.cachedInputTokens * rates.cachedInput +
    usage.cacheWriteTokens * rates.cacheWrite +
    usage.outputTokens * rates.output
  return Math.ceil(cost / 1_000_000)
}

type Found = { label: string; contextTokens: number | null; prices: Prices | null }

function providerOf(address: Address): ReturnType<typeof findProvider> {
  const named = {
    'openai-responses': 'openai',
    'openai-chat': 'openai',
    'anthropic-messages': 'anthropic',
    'google-genai': 'google',
  }
  return address.baseUrl === null
    ? findProvider({ providerId: named[address.wire] })
    : findProvider({ providerApiUrl: address.baseUrl })
}

/** By the address first; a model served elsewhere is looked up by its own name. */
function lookUp(address: Address, id: string, timestamp: Date): Found | null {
  const provider = providerOf(address)
  const name = id.split('/').at(-1) ?? id
  for (const [modelId, options] of [
    [id, provider === undefined ? null : { provider, timestamp }],
    [id, { timestamp }],
    [name, { timestamp }],
  ] as const) {
    if (options === null) continue
    try {
      const known = calcPrice({ input_tokens: 1, output_tokens: 1 }, modelId, options)
      if (known === null) continue
      return {
        label: known.model.name ?? id,
        contextTokens: known.model.context_window ?? null,
        prices: toPrices(known.model_price),
      }
    } catch {
      // The package throws for models without a price per token; such a model counts as unknown.
    }
  }
  return null
}

type Listed = number | { base: number; tiers: { start: number; price: number }[] } | undefined

function toPrices(listed: Record<string, Listed>): Prices | null {
  const { input_mtok: input, output_mtok: output } = listed
  if (input === undefined || output === undefined) return null
  const fields = {
    input,
    output,
    cachedInput: listed.cache_read_mtok ?? input,
    cacheWrite: listed.cache_write_mtok ?? input,
  }
  const ratesAt = (tokens: number): Rates => ({
    input: microsAt(fields.input, tokens),
    cachedInput: microsAt(fields.cachedInput, tokens),
    cacheWrite: microsAt(fields.cacheWrite, tokens),
    output: microsAt(fields.output, tokens),
  })
  const starts = new Set(
    Object.values(fields).flatMap((each) =>
      typeof each === 'number' ? [] : each.tiers.map((tier) => tier.start),
    ),
  )
  const tiers = [...starts]
    .sort((a, b) => a - b)
    .map((start) => ({ aboveInputTokens: start, ...ratesAt(start + 1) }))
  return { ...ratesAt(0), ...(tiers.length > 0 ? { tiers } : {}) }
}

/** Dollars per million tokens as listed, to micro-dollars per million. */
function microsAt(listed: Exclude<Listed, undefined>, tokens: number): number {
  if (typeof listed === 'number') return Math.round(listed * 1_000_000)
  const tier = listed.tiers.findLast((each) => tokens > each.start)
  return Math.round((tier?.price ?? listed.base) * 1_000_000)
}

/** The id without its date, its routing suffix and `latest`: such ids name the same weights or their next snapshot. */
export function familyOf(id: string): string {
  return id
    .toLowerCase()
    .replace(/[:@].*$/, '')
    .replace(/-(?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '')
}

/** What is asked for when nobody chose. A model that knows no other word is told that one: silence may mean one it refuses. */
function usualEffort(efforts: readonly Effort[]): Effort | null {
  if (efforts.includes('medium')) return 'medium'
  return efforts.length === 1 ? (efforts[0] ?? null) : null
}

/** The vendor's newer models refuse tools on Chat Completions unless they are told not to think; Responses has no such limit. */
function onlyWithoutThought(address: Address, id: string): boolean {
  return address.wire === 'openai-chat' && hostKind(address) === 'openai' && gptVersion(id) >= 5.2
}

/** 5.4 of `gpt-5.4-mini`; 0 when there is none. Versions of one digit behind the point are all there are. */
function gptVersion(id: string): number {
  return Number(/(?:^|\/)gpt-(\d+(?:\.\d)?)/.exec(id.toLowerCase())?.[1] ?? 0)
}

/** As the vendor lists them for each generation; the lines for code have no `none`, those for chat no choice at all. */
function gptEfforts(name: string, version: number): Effort[] {
  const isCode = /codex/.test(name)
  if (/-pro\b/.test(name)) return version >= 5.2 ? ['medium', 'high', 'xhigh'] : ['high']
  const least: Effort[] = isCode ? [] : version >= 5.1 ? ['none'] : ['minimal']
  const top: Effort[] =
    version >= 5.6 ? ['xhigh', 'max'] : version >= 5.2 || /codex-max/.test(name) ? ['xhigh'] : []
  return [...least, 'low', 'medium', 'high', ...top]
}

type Shape = Pick<ModelInfo, 'maxOutputTokens' | 'efforts' | 'supports'>

function shapeOf(id: string, wire: WireKind): Shape {
  const name = (id.split('/').at(-1) ?? id).toLowerCase()
  if (/claude/.test(name)) return claude(name)
  if (/^gemini/.test(name)) return gemini(name)
  const supports = { images: false, tools: true, parallelTools: true, reasoning: false }
  const openai = /^gpt-(\d+)(?:\.(\d+))?|^o(\d)/.exec(name)
  if (/^gpt-oss/.test(name))
    return {
      maxOutputTokens: 32_768,
      efforts: ['low', 'medium', 'high'],
      supports: { ...supports, reasoning: true },
    }
  if (openai !== null) {
    const version = Number(`${openai[1] ?? 0}.${openai[2] ?? 0}`)
    const reasons = (openai[3] !== undefined || version >= 5) && !/chat/.test(name)
    return {
      maxOutputTokens:
        version >= 5 ? 128_000 : openai[3] !== undefined ? 100_000 : /4\.1/.test(name) ? 32_768 : 16_384,
      efforts: !reasons ? [] : version >= 5 ? gptEfforts(name, version) : ['low', 'medium', 'high'],
      supports: { ...supports, images: true, reasoning: reasons },
    }
  }
  const reasons =
    /reason|think|deepseek-(v[4-9]|r1)|kimi-k[23]|glm-[4-9]|qwen-?3|qwq|magistral|minimax|grok-[34]/.test(
      name,
    )
  const sees = /vl\b|vision|kimi-k(2\.[5-9]|3)|grok-4|pixtral|llama-4|gemma-[34]|qwen3\.[5-9]/.test(name)
  return {
    maxOutputTokens: 32_768,
    efforts: [],
    supports: {
      ...supports,
      images: sees,
      reasoning: reasons,
      parallelTools: wire !== 'openai-chat' || !/gemma|llama/.test(name),
    },
  }
}

function claude(name: string): Shape {
  const generation = claudeGeneration(name)
  const top: Effort[] = generation >= 4.7 ? ['xhigh', 'max'] : generation >= 4.6 ? ['max'] : []
  return {
    maxOutputTokens: generation < 3.7 ? 4096 : /opus-4-[01]/.test(name) ? 32_000 : 64_000,
    efforts: generation >= 3.7 ? ['low', 'medium', 'high', ...top] : [],
    supports: { images: true, tools: true, parallelTools: true, reasoning: generation >= 3.7 },
  }
}

/** Where the package names no window: every Gemini since 1.5 takes 1,048,576 tokens, as its vendor's list of models says. */
function usualWindow(id: string, otherwise = UNKNOWN_CONTEXT_TOKENS): number {
  return geminiGeneration(id) >= 1.5 ? 1_048_576 : otherwise
}

function gemini(name: string): Shape {
  const generation = geminiGeneration(name)
  const reasons = generation >= 2.5
  const levels: Effort[] = /pro/.test(name)
    ? generation === 3
      ? ['low', 'high']
      : ['low', 'medium', 'high']
    : ['minimal', 'low', 'medium', 'high']
  return {
    maxOutputTokens: reasons ? 65_536 : 8_192,
    efforts: reasons ? levels : [],
    supports: { images: true, tools: true, parallelTools: true, reasoning: reasons },
  }
}

/** 2.5 of `gemini-2.5-flash`, 3 of `gemini-3-pro-preview`; 0 when there is none. */
export function geminiGeneration(id: string): number {
  return Number(/gemini-(\d+(?:\.\d+)?)/.exec(id.toLowerCase())?.[1] ?? 0)
}

/** The smallest head that the vendor makes a copy of, as its guide lists them. */
export function leastCopiedTokens(id: string): number {
  return geminiGeneration(id) >= 3 ? 4_096 : 2_048
}

/** 4.6 of `claude-opus-4-6`, 5 of `claude-sonnet-5`, 3.7 of `claude-3-7-sonnet-latest`; 0 when there is none. */
export function claudeGeneration(id: string): number {
  const found = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?/.exec(id.toLowerCase())
  return found === null ? 0 : Number(`${found[1]}.${found[2] ?? 0}`)
}

const DEMO_MODEL: Omit<ModelInfo, 'wire' | 'id'> = {
  label: 'Demo model (offline, scripted)',
  family: DEMO_MODEL_ID,
  contextTokens: 128_000,
  usableShare: 0.9,
  maxOutputTokens: 8192,
  efforts: [],
  defaultEffort: null,
  prices: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 },
  supports: { images: false, tools: true, parallelTools: true, reasoning: true },
  explicitCache: false,
  source: 'catalogue',
}
