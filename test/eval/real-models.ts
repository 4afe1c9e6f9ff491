/** The real models that keys in the environment give: one for each vendor, `EVAL_MODEL` in the place of the first choice. */
import type { ProviderKind } from '../../src/protocol/settings.ts'
import { describeModel, offeredModels, resolveModel } from '../../src/server/providers/directory.ts'
import type { EvaluatedModel } from './harness.ts'

type Kind = Exclude<ProviderKind, 'demo' | 'openai-chat'>
const vendors: { kind: Kind; keys: string[]; url: string }[] = [
  { kind: 'openai-responses', keys: ['OPENAI_API_KEY'], url: 'OPENAI_BASE_URL' },
  { kind: 'anthropic-messages', keys: ['ANTHROPIC_API_KEY'], url: 'ANTHROPIC_BASE_URL' },
  { kind: 'google-genai', keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], url: 'GOOGLE_BASE_URL' },
]

export const realModels = (env: Record<string, string | undefined>): EvaluatedModel[] =>
  vendors.flatMap(({ kind, keys, url }) => {
    const key = keys.map((name) => env[name]).find((each) => each !== undefined && each !== '')
    if (key === undefined) return []
    const baseUrl = env[url] || null
    const chosen = env.EVAL_MODEL
      ? describeModel(kind, env.EVAL_MODEL, baseUrl)
      : offeredModels(kind, baseUrl)[0]
    if (chosen === undefined) return []
    const { model } = resolveModel({ kind, baseUrl, key }, chosen)
    return [{ connection: { wire: kind, baseUrl, apiKey: key }, info: model }]
  })
