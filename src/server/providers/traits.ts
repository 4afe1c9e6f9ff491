// How a window speaks to one model at one address: chosen when the window opens and kept with it.
import { claudeGeneration, geminiGeneration } from './catalogue.ts'
import { type HostKind, hostKind } from './hosts.ts'
import type { ModelInfo, ProviderConnection, WindowTraits } from './types.ts'

/** `thinking`: whether the window asks for reasoning at all. */
export function windowTraits(
  connection: Pick<ProviderConnection, 'wire' | 'baseUrl'>,
  model: Pick<ModelInfo, 'id' | 'supports'>,
  thinking: boolean,
): WindowTraits {
  const host = hostKind(connection)
  const isChat = connection.wire === 'openai-chat'
  const isGoogle = connection.wire === 'google-genai'
  const own = host === 'openai'
  const reasoning = isChat ? chatReasoning(host) : 'payload'
  return {
    // The chat wire has no switch for thinking, so what comes is handed back where the vendor wants it. Google signs
    // calls whether thoughts were asked for or not, and refuses them without their signature.
    reasoning: isChat || isGoogle || thinking ? reasoning : 'none',
    reasoningOnEveryMessage: isChat && insistsOnReasoning(host, model.id),
    developerRole:
      own && !/o1-(mini|preview)|gpt-3|gpt-4(?!\.|o)/.test(model.id) ? 'developer' : own ? 'system' : 'user',
    maxTokensField: own ? 'max_completion_tokens' : 'max_tokens',
    thinking: thinkingSwitch(connection.wire, model),
    cacheKey: own || connection.wire === 'openai-responses',
    images: model.supports.images,
  }
}

/** The field in which a vendor documents that reasoning is to be handed back; others may refuse it. */
function chatReasoning(host: HostKind): WindowTraits['reasoning'] {
  switch (host) {
    case 'deepseek':
    case 'moonshot':
    case 'zai':
      return 'reasoning_content'
    case 'openrouter':
      return 'reasoning_details'
    case 'ollama':
      return 'reasoning'
    default:
      return 'none'
  }
}

function insistsOnReasoning(host: HostKind, model: string): boolean {
  if (host === 'deepseek') return !/deepseek-chat/.test(model)
  return host === 'moonshot' && /think|k2\.[5-9]|k[3-9]/.test(model)
}

function thinkingSwitch(wire: string, model: Pick<ModelInfo, 'id' | 'supports'>): WindowTraits['thinking'] {
  if (!model.supports.reasoning) return 'none'
  if (wire === 'google-genai') return geminiGeneration(model.id) >= 3 ? 'adaptive' : 'budget'
  if (wire !== 'anthropic-messages') return 'none'
  const generation = claudeGeneration(model.id)
  if (generation === 0) return 'budget'
  return generation >= 4.6 ? 'adaptive' : 'budget'
}
