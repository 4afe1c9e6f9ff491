// Which vendor stands behind an address, as far as that changes what may be sent. The one place with vendors' hosts.
import type { ProviderConnection } from './types.ts'

export type HostKind =
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'deepseek'
  | 'moonshot'
  | 'zai'
  | 'openrouter'
  | 'ollama'
  | 'local'
  | 'other'

const HOSTS: readonly [RegExp, HostKind][] = [
  [/(^|\.)openai\.(com|azure\.com)$|\.azure\.com$/, 'openai'],
  [/(^|\.)anthropic\.com$/, 'anthropic'],
  [/(^|\.)googleapis\.com$/, 'google'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)moonshot\.(ai|cn)$|(^|\.)kimi\.com$/, 'moonshot'],
  [/(^|\.)(z\.ai|bigmodel\.cn)$/, 'zai'],
  [/(^|\.)openrouter\.ai$/, 'openrouter'],
  [/(^|\.)ollama\.com$/, 'ollama'],
  [
    /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1\]?$|host\.docker\.internal$)|\.local$/,
    'local',
  ],
]

const OLLAMA_PORT = '11434'

/** Whose address an empty one stands for. */
const OWN_HOST: Record<ProviderConnection['wire'], HostKind> = {
  'openai-responses': 'openai',
  'openai-chat': 'openai',
  'anthropic-messages': 'anthropic',
  'google-genai': 'google',
}

export function hostKind({ wire, baseUrl }: Pick<ProviderConnection, 'wire' | 'baseUrl'>): HostKind {
  if (baseUrl === null) return OWN_HOST[wire]
  if (!URL.canParse(baseUrl)) return 'other'
  const { hostname, port } = new URL(baseUrl)
  const kind = HOSTS.find(([pattern]) => pattern.test(hostname))?.[1] ?? 'other'
  return kind === 'local' && port === OLLAMA_PORT ? 'ollama' : kind
}
