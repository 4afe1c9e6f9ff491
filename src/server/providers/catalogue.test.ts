import { describe, expect, it } from 'vitest'
import { costMicros, familyOf, knownModels, modelInfo } from './catalogue.ts'
import { windowTraits } from './traits.ts'

const openai = { wire: 'openai-responses', baseUrl: null } as const
const anthropic = { wire: 'anthropic-messages', baseUrl: null } as const
const at = (baseUrl: string) => ({ wire: 'openai-chat', baseUrl }) as const

describe('modelInfo', () => {
  it('takes prices and context from the bundled data', () => {
    const gpt5 = modelInfo(openai, 'gpt-5')
    expect(gpt5).toMatchObject({ source: 'catalogue', contextTokens: 400_000 })
    expect(gpt5.prices).toEqual({
      input: 1_250_000,
      cachedInput: 125_000,
      cacheWrite: 1_250_000,
      output: 10_000_000,
    })
    expect(modelInfo(anthropic, 'claude-haiku-4-5-20251001').prices?.cacheWrite).toBe(1_250_000)
  })

  it('keeps tiers of long prompts', () => {
    const { prices } = modelInfo(openai, 'gpt-5.4')
    const usage = {
      inputTokens: 272_000,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
    }
    expect(costMicros(prices, usage)).toBe(1_360_000)
    expect(costMicros(prices, { ...usage, inputTokens: 100_000 })).toBe(250_000)
  })

  it('knows a model behind another address by its name, but claims no price of a local one', () => {
    expect(modelInfo(at('https://gateway.example/v1'), 'openai/gpt-5').prices?.input).toBe(1_250_000)
    expect(modelInfo(at('http://localhost:11434/v1'), 'gpt-5').prices).toBeNull()
  })

  it('guesses carefully and says so', () => {
    const info = modelInfo(at('https://models.example/v1'), 'house-model')
    expect(info).toMatchObject({ source: 'guess', prices: null, contextTokens: 32_768, efforts: [] })
    expect(info.usableShare * info.contextTokens + info.maxOutputTokens).toBeLessThanOrEqual(
      info.contextTokens,
    )
  })

  it('lets a person change any of it', () => {
    const prices = { input: 1, cachedInput: 1, cacheWrite: 1, output: 2 }
    const info = modelInfo(openai, 'gpt-5', { prices, contextTokens: 1000, label: 'Ours' })
    expect(info).toMatchObject({ prices, contextTokens: 1000, label: 'Ours', source: 'settings' })
  })

  it('names the efforts that each model takes, and asks for none that it refuses', () => {
    const of = (id: string, address: Parameters<typeof modelInfo>[0] = openai) => modelInfo(address, id)
    expect(of('gpt-5').efforts).toEqual(['minimal', 'low', 'medium', 'high'])
    expect(of('gpt-5-codex').efforts).toEqual(['low', 'medium', 'high'])
    expect(of('gpt-5.1').efforts).toEqual(['none', 'low', 'medium', 'high'])
    expect(of('gpt-5.1-codex-max').efforts).toEqual(['low', 'medium', 'high', 'xhigh'])
    expect(of('gpt-5.4-mini').efforts).toEqual(['none', 'low', 'medium', 'high', 'xhigh'])
    expect(of('gpt-5.6-sol').efforts).toEqual(['none', 'low', 'medium', 'high', 'xhigh', 'max'])
    expect(of('gpt-5-pro')).toMatchObject({ efforts: ['high'], defaultEffort: 'high' })
    expect(of('o4-mini').efforts).toEqual(['low', 'medium', 'high'])
    expect(of('gpt-4o').efforts).toEqual([])
    expect(of('claude-sonnet-4-5', anthropic).efforts).toEqual(['low', 'medium', 'high'])
    expect(of('claude-opus-4-6', anthropic).efforts).toEqual(['low', 'medium', 'high', 'max'])
    expect(of('claude-opus-5-5', anthropic).efforts).toEqual(['low', 'medium', 'high', 'xhigh', 'max'])
    const google = { wire: 'google-genai', baseUrl: null } as const
    expect(of('gemini-3.1-pro-preview', google).efforts).toEqual(['low', 'medium', 'high'])
    // Chat Completions of the vendor itself takes tools from these models only when they do not think.
    const chat = { wire: 'openai-chat', baseUrl: null } as const
    expect(of('gpt-5.4', chat)).toMatchObject({ efforts: ['none'], defaultEffort: 'none' })
    expect(of('gpt-5', chat).efforts).toContain('high')
    expect(of('openai/gpt-5.4', at('https://openrouter.ai/api/v1')).efforts).toContain('xhigh')
    // A person's list holds for the default too.
    expect(modelInfo(openai, 'gpt-5', { efforts: ['low', 'max'] }).defaultEffort).toBeNull()
    expect(modelInfo(openai, 'gpt-5', { efforts: [] }).defaultEffort).toBeNull()
  })

  it('offers models that can work', () => {
    expect(knownModels(anthropic)).toContain('claude-haiku-4-5')
    expect(knownModels(openai).some((id) => /image|audio|embedding/.test(id))).toBe(false)
  })
})

it('counts money with cached and written tokens apart', () => {
  const usage = {
    inputTokens: 1000,
    cachedInputTokens: 600,
    cacheWriteTokens: 100,
    outputTokens: 50,
    reasoningTokens: 20,
  }
  const prices = { input: 3_000_000, cachedInput: 300_000, cacheWrite: 3_750_000, output: 15_000_000 }
  expect(costMicros(prices, usage)).toBe(300 * 3 + 180 + 375 + 750)
  expect(costMicros(null, usage)).toBe(0)
})

it('sees through dates and routes in names', () => {
  expect(familyOf('gpt-5.4-2026-03-05')).toBe('gpt-5.4')
  expect(familyOf('claude-haiku-4-5-20251001')).toBe('claude-haiku-4-5')
  expect(familyOf('minimax/minimax-m2:free')).toBe('minimax/minimax-m2')
})

describe('windowTraits', () => {
  const traits = (address: Parameters<typeof modelInfo>[0], id: string, thinking = true) =>
    windowTraits(address, modelInfo(address, id), thinking)

  it('hands reasoning back only to those who want it', () => {
    expect(traits(at('https://api.deepseek.com/v1'), 'deepseek-v4-pro')).toMatchObject({
      reasoning: 'reasoning_content',
      reasoningOnEveryMessage: true,
    })
    expect(traits(at('https://api.mistral.ai/v1'), 'magistral-medium').reasoning).toBe('none')
    expect(traits(at('https://openrouter.ai/api/v1'), 'x/y').reasoning).toBe('reasoning_details')
    expect(traits(at('http://127.0.0.1:11434/v1'), 'qwen3').reasoning).toBe('reasoning')
    expect(traits(openai, 'gpt-5').reasoning).toBe('payload')
    expect(traits(openai, 'gpt-5', false).reasoning).toBe('none')
  })

  it('sends the vendor’s own fields to the vendor alone', () => {
    const own = traits({ wire: 'openai-chat', baseUrl: null }, 'gpt-5')
    expect(own).toMatchObject({
      cacheKey: true,
      maxTokensField: 'max_completion_tokens',
      developerRole: 'developer',
    })
    const other = traits(at('https://models.example/v1'), 'house-model')
    expect(other).toMatchObject({ cacheKey: false, maxTokensField: 'max_tokens', developerRole: 'user' })
  })

  it('knows which switch turns thinking on', () => {
    expect(traits(anthropic, 'claude-sonnet-4-5').thinking).toBe('budget')
    expect(traits(anthropic, 'claude-opus-5-5').thinking).toBe('adaptive')
    expect(traits(anthropic, 'claude-3-haiku').thinking).toBe('none')
    expect(traits(anthropic, 'claude-sonnet-5').thinking).toBe('adaptive')
  })
})
