// What a failed request means: vendor bodies, statuses and transport faults to the closed list of codes.
// Knows no socket and decides no retry; `retryable` is a fact about the failure.
import { type Json, list, record, word } from './fields.ts'
import type { ProviderError, ProviderErrorCode } from './types.ts'

export class ProviderFailure extends Error {
  readonly error: ProviderError
  constructor(error: ProviderError, cause?: unknown) {
    super(`${error.code}: ${error.message}`, { cause })
    this.name = 'ProviderFailure'
    this.error = error
  }
}

export function isProviderFailure(value: unknown): value is ProviderFailure {
  return value instanceof ProviderFailure
}

/** The head and body of an answer that is not a stream. */
export type FailedResponse = { status: number; headers: Headers; body: string }

const RETRYABLE: ReadonlySet<ProviderErrorCode> = new Set([
  'provider_rate_limited',
  'provider_overloaded',
  'provider_unreachable',
  'stream_cut',
])

export function providerError(
  code: ProviderErrorCode,
  message: string,
  more: Partial<Omit<ProviderError, 'code' | 'message'>> = {},
): ProviderError {
  return {
    code,
    message: oneLine(message),
    retryable: RETRYABLE.has(code),
    retryAfterMs: null,
    status: null,
    requestId: null,
    ...more,
  }
}

/** `now` is the clock in ms, for a Retry-After that is a date. */
export function classifyResponse(answer: FailedResponse, now: number): ProviderError {
  const parsed = parseBody(answer.body)
  const message = parsed.message ?? pageTitle(answer.body) ?? (answer.body.trim() || 'no explanation given')
  const more = {
    status: answer.status,
    requestId: requestIdOf(answer.headers),
    retryAfterMs: retryAfterMs(answer.headers, now) ?? saidWaitMs(message),
  }
  const code = codeFor(answer.status, parsed.words, message)
  const said = parsed.message === null ? `HTTP ${answer.status}: ${message}` : message
  const retryable = retryableStatus(answer.status) && (RETRYABLE.has(code) || code === 'provider_bad_request')
  return providerError(code, said, { ...more, retryable })
}

/** An error object inside a stream that began well (status 200). */
export function classifyStreamError(data: unknown): ProviderError {
  const parsed = parseError(data)
  const message = parsed.message ?? 'the stream reported an error without words'
  const status = parsed.status ?? statusOfWords(parsed.words)
  const code = codeFor(status, parsed.words, message)
  return providerError(code, message, { status, retryAfterMs: saidWaitMs(message) })
}

/** The request never got an answer's head. */
export function classifyTransport(cause: unknown): ProviderError {
  return providerError('provider_unreachable', transportWords(cause))
}

/** The connection broke after the answer began. */
export function cutStream(words: string): ProviderError {
  return providerError('stream_cut', words)
}

export function transportWords(cause: unknown): string {
  const seen: string[] = []
  let error: unknown = cause
  for (let depth = 0; error instanceof Error && depth < 5; depth += 1) {
    const code = word((error as Error & { code?: unknown }).code)
    const words = code !== null && !error.message.includes(code) ? `${code} ${error.message}` : error.message
    if (words !== '' && !seen.includes(words)) seen.push(words)
    error = error.cause
  }
  return seen.length === 0 ? String(cause) : seen.map((words) => words.replace(/\.$/, '')).join(': ')
}

/** The copy of the head that a request named is not there any more, or cannot be used with it. */
export function isHeadCopyGone({ message, status }: ProviderError): boolean {
  const refused = status === 400 || status === 403 || status === 404
  return refused && /cached ?content|cache(d)? (content|entry|resource)|\bcache\b/i.test(message)
}

export function requestIdOf(headers: Headers): string | null {
  return headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('cf-ray')
}

function retryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500
}

function codeFor(status: number, words: readonly string[], message: string): ProviderErrorCode {
  const says = (pattern: RegExp) => pattern.test(message) || words.some((each) => pattern.test(each))
  if (
    says(OVERFLOW) &&
    (status === 400 || status === 413 || status === 422 || status === 0 || status === 429)
  )
    return 'context_overflow'
  if (words.includes(COMES_BACK)) return 'provider_rate_limited'
  if (says(QUOTA) && status !== 401) return 'provider_quota'
  if (says(KEY)) return 'provider_auth'
  if (says(POLICY) && status < 500) return 'provider_policy'
  if (says(MODEL) && (status === 400 || status === 404 || status === 0)) return 'model_not_found'
  if (status === 401 || status === 403) return 'provider_auth'
  if (status === 402) return 'provider_quota'
  if (status === 413) return 'context_overflow'
  if (status === 429) return 'provider_rate_limited'
  if (status >= 500 || status === 408 || status === 425) return 'provider_overloaded'
  return status >= 400 ? 'provider_bad_request' : 'provider_protocol'
}

const OVERFLOW =
  /context[_ -]length|context[_ -]window|maximum context|max(?:imum)? context|prompt (?:is )?too long|input (?:is )?too long|too many (?:input )?tokens|exceeds? the (?:maximum|max)[^.]*tokens|input token count|reduce the length|request_too_large|token limit reached|maximum (?:prompt|input) length/i
const QUOTA =
  /insufficient[_ ]quota|exceeded your current quota|billing|credit balance|insufficient[_ ](?:balance|credits|funds)|payment required|usage_limit_reached|out of credits|spending limit/i
const KEY =
  /invalid_api_key|api_key_invalid|incorrect api key|invalid api key|api key (?:is )?(?:invalid|not valid|missing)|authentication_error|invalid x-api-key|invalid subscription key|unauthorized|permission_error/i
const POLICY =
  /content_policy|content[_ ]filter|content management policy|cyber_policy|safety system|usage polic|policy_violation|moderation/i
const MODEL =
  /model_not_found|model[^.]{0,80}(?:does not exist|not found|not exist|is not available|unknown)|no such model|unknown model|not_found_error|invalid model|models\/\S+ is not found/i

/** Error words inside a stream stand for the status the same fault has as a plain answer. */
function statusOfWords(words: readonly string[]): number {
  for (const each of words) {
    if (/overloaded/i.test(each)) return 529
    if (/rate_?limit/i.test(each)) return 429
    if (/server_error|api_error|internal|timeout|unavailable/i.test(each)) return 500
    if (/invalid|bad_request|tool_use_failed/i.test(each)) return 400
    if (/not_found/i.test(each)) return 404
  }
  return 0
}

/** Google calls a minute's limit a quota too; only its details tell it from a day's or a bill. */
const COMES_BACK = 'quota_per_minute'
function comesBack(details: unknown): boolean {
  const kinds = list(details).map((each) => record(each) ?? {})
  const waits = kinds.some((each) => typeof each.retryDelay === 'string')
  const ids = kinds.flatMap((each) => list(each.violations)).map((each) => record(each)?.quotaId)
  return waits && ids.every((id) => typeof id === 'string' && /PerMinute/i.test(id))
}

type Parsed = { message: string | null; words: string[]; status: number | null }

function parseBody(body: string): Parsed {
  try {
    return parseError(JSON.parse(body))
  } catch {
    return { message: null, words: [], status: null }
  }
}

/** Vendors wrap errors as {error: {…}}, [{error}], {error: 'words', code}, {detail}, {message}, {errors: […]}. */
function parseError(data: unknown): Parsed {
  const outer = record(Array.isArray(data) ? data[0] : data)
  if (outer === null) return { message: word(data), words: [], status: null }
  const inner: Json = record(outer.error) ?? record(outer.detail) ?? outer
  const words = [inner.type, inner.code, inner.status, outer.code, outer.type].filter(
    (value): value is string => typeof value === 'string' && value !== '' && value !== 'error',
  )
  // Google says in its details what its message may only hint at.
  words.push(...list(inner.details).flatMap((each) => word(record(each)?.reason) ?? []))
  if (comesBack(inner.details)) words.push(COMES_BACK)
  const message =
    word(inner.message) ??
    word(outer.error) ??
    word(outer.detail) ??
    word(outer.message) ??
    word(record(list(outer.errors)[0])?.message) ??
    word(record(list(outer.detail)[0])?.msg)
  const raw = word(record(inner.metadata)?.raw)
  const status = [inner.status_code, inner.code, outer.status]
    .map((given) => (typeof given === 'number' || typeof given === 'string' ? Number(given) : 0))
    .find((given) => given >= 400 && given < 600)
  return {
    message: message !== null && raw !== null ? `${message}: ${raw}` : message,
    words,
    status: status ?? null,
  }
}

/** `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`. Null when absent, past or absurd (> 1 day). */
function retryAfterMs(headers: Headers, now: number): number | null {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN)
  const given = headers.get('retry-after')
  const seconds = Number(given ?? Number.NaN)
  let ms = exact
  if (Number.isNaN(ms)) ms = Number.isNaN(seconds) ? Date.parse(given ?? '') - now : seconds * 1000
  return Number.isFinite(ms) && ms >= 0 && ms <= 86_400_000 ? Math.ceil(ms) : null
}

/** "Please try again in 1.5s": where a vendor says it in words only, as inside a stream. */
function saidWaitMs(message: string): number | null {
  const found = /(?:try again|retry) in ([\d.]+) ?(ms|s)\b/i.exec(message)
  const value = Number(found?.[1] ?? Number.NaN)
  return Number.isFinite(value) ? Math.ceil(found?.[2] === 's' ? value * 1000 : value) : null
}

function pageTitle(body: string): string | null {
  if (!/<(?:!doctype|html|head|body)/i.test(body)) return null
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]?.trim()
  const heading = /<h1[^>]*>([^<]*)<\/h1>/i.exec(body)?.[1]?.trim()
  return `the server answered with a web page${title || heading ? ` (${title || heading})` : ''}; check the base URL`
}

function oneLine(message: string): string {
  const clean = message
    .replace(/\bsk-[\w-]{8,}/g, 'sk-…')
    .replace(/\bAIza[\w-]{8,}/g, 'AIza…')
    .replace(/\s+/g, ' ')
    .trim()
  return clean.length > 1000 ? `${clean.slice(0, 999)}…` : clean
}
