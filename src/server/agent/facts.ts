/** The errors that the loop itself makes, as facts with a next step. */
import type { ErrorCode, ErrorFact } from '../../protocol/error.ts'
import type { ProviderError } from '../providers/types.ts'

const providerNext: Record<ProviderError['code'], string> = {
  provider_auth: 'Check the key of this provider in the settings.',
  provider_quota: 'Check the plan and the balance of the account at the provider.',
  provider_rate_limited: 'Wait a moment, then send the message again.',
  provider_overloaded: 'The provider is overloaded; try again later or choose another model.',
  provider_unreachable: 'Check the base URL and the network, then send the message again.',
  provider_bad_request: 'The provider refused the request; the message says why.',
  provider_protocol:
    'The provider answered in a way this wire does not know; check the kind of the provider.',
  provider_policy: 'The provider refused for reasons of policy; change the request.',
  context_overflow: 'Send a shorter message, or choose a model with a larger window.',
  stream_cut: 'The connection broke; send the message again to go on.',
  model_not_found: 'Choose a model that this provider offers.',
}

export const fact = (
  code: ErrorCode,
  message: string,
  next: string,
  details?: ErrorFact['details'],
): ErrorFact => ({
  code,
  message: message.slice(0, 2_000),
  next: next.slice(0, 500),
  ...(details === undefined ? {} : { details }),
})

export const providerFact = (error: ProviderError): ErrorFact => {
  const details: Record<string, string | number> = {}
  if (error.status !== null) details.status = error.status
  if (error.requestId !== null) details.requestId = error.requestId
  return fact(error.code, error.message, providerNext[error.code], details)
}
