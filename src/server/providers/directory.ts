// From what settings hold to what the loop speaks with, and from what is known of models to what settings pages show.
import { Fault } from '../../protocol/error.ts'
import type { ProviderKind, ModelInfo as SettingsModel } from '../../protocol/settings.ts'
import { knownModels, modelInfo } from './catalogue.ts'
import { isProviderFailure } from './errors.ts'
import { createProvider } from './provider.ts'
import { windowTraits } from './traits.ts'
import type { ModelInfo, Provider, ProviderConnection, WindowTraits } from './types.ts'

/** What is stored about a vendor connection; `key` is plain text and stays in memory. */
export type StoredConnection = { kind: ProviderKind; baseUrl: string | null; key: string | null }

/** A provider and one of its models, ready for a turn. */
export type ResolvedModel = { provider: Provider; model: ModelInfo; traits: WindowTraits }

/** Vendors on this machine need no key, but the SDKs insist on one. */
const noKey = 'none'

const connectionOf = ({ kind, baseUrl, key }: StoredConnection): ProviderConnection =>
  kind === 'demo'
    ? { wire: 'openai-responses', baseUrl, apiKey: noKey, demo: true }
    : { wire: kind, baseUrl, apiKey: key ?? noKey }

const toSettings = (info: ModelInfo): SettingsModel => ({
  id: info.id,
  label: info.label,
  family: info.family,
  contextTokens: info.contextTokens,
  maxOutputTokens: info.maxOutputTokens,
  efforts: info.efforts,
  images: info.supports.images,
  ...(info.wire === 'google-genai' ? { explicitCache: info.explicitCache } : {}),
  prices: info.prices && {
    input: info.prices.input,
    cachedInput: info.prices.cachedInput,
    cacheWrite: info.prices.cacheWrite,
    output: info.prices.output,
  },
})

/** What the bundled data or a careful guess says of a model. */
export const describeModel = (kind: ProviderKind, id: string, baseUrl: string | null = null): SettingsModel =>
  toSettings(modelInfo(connectionOf({ kind, baseUrl, key: null }), id))

/** Models worth offering on a wire before the vendor was asked. */
export const offeredModels = (kind: ProviderKind, baseUrl: string | null = null): SettingsModel[] => {
  const address = connectionOf({ kind, baseUrl, key: null })
  return knownModels(address).map((id) => toSettings(modelInfo(address, id)))
}

/** The vendor's own list; a failure is a Fault of the provider codes. */
export const listModels = async (connection: StoredConnection, signal: AbortSignal): Promise<string[]> => {
  try {
    return await createProvider(connectionOf(connection)).listModels(signal)
  } catch (error) {
    if (isProviderFailure(error)) {
      const { code, message } = error.error
      throw new Fault(code, message, 'Check address and key, then test again.')
    }
    if (signal.aborted) {
      throw new Fault('provider_unreachable', 'No answer in time.', 'Check the address, then test again.')
    }
    throw error
  }
}

/** A connection and a model for the loop. What settings say of the model goes before what the catalogue knows. */
export const resolveModel = (connection: StoredConnection, edited: SettingsModel): ResolvedModel => {
  const address = connectionOf(connection)
  const known = modelInfo(address, edited.id)
  const model: ModelInfo =
    connection.kind === 'demo'
      ? known
      : modelInfo(address, edited.id, {
          label: edited.label,
          family: edited.family,
          contextTokens: edited.contextTokens,
          ...(edited.maxOutputTokens === null ? {} : { maxOutputTokens: edited.maxOutputTokens }),
          efforts: edited.efforts,
          ...(edited.explicitCache === undefined ? {} : { explicitCache: edited.explicitCache }),
          prices: edited.prices && {
            ...known.prices,
            input: edited.prices.input,
            output: edited.prices.output,
            cachedInput: edited.prices.cachedInput ?? edited.prices.input,
            cacheWrite: edited.prices.cacheWrite ?? edited.prices.input,
          },
          supports: { ...known.supports, images: edited.images },
        })
  const traits = windowTraits(address, model, model.supports.reasoning)
  return { provider: createProvider(address), model, traits }
}
