// Real error bodies of vendors, and the odd ones every proxy sends, to codes.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../test/setup/cases.ts'
import {
  classifyResponse,
  classifyStreamError,
  classifyTransport,
  isHeadCopyGone,
  providerError,
} from './errors.ts'

const FOLDER = casesIn('streams', 'http-errors').path
type Recorded = { status: number; body: string; protocol: string; host: string }

const recorded = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ name, ...(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Recorded) }))
  : []

function classify(status: number, body: string, headers: Record<string, string> = {}) {
  return classifyResponse({ status, body, headers: new Headers(headers) }, Date.UTC(2026, 0, 1))
}

/** What a reader of the body would call it. */
function meaning({ status, body }: Recorded): string {
  if (/API key provided|API key not valid|Invalid API [Kk]ey|invalid subscription key/.test(body))
    return 'provider_auth'
  if (/context length|too long|exceeds the maximum number of tokens/.test(body)) return 'context_overflow'
  if (/model_not_found|is not found for API version/.test(body)) return 'model_not_found'
  return status === 429 ? 'provider_rate_limited' : 'provider_bad_request'
}

it.skipIf(recorded.length === 0)('classifies every recorded error body (needs CASES_DIR)', () => {
  const got = recorded.map((each) => [each.name, classify(each.status, each.body).code])
  expect(got).toEqual(recorded.map((each) => [each.name, meaning(each)]))
  for (const each of recorded) {
    const error = classify(each.status, each.body)
    expect(error.retryable).toBe(each.status === 429)
    expect(error.message).not.toMatch(/[\n{]/)
  }
})

describe('classifyResponse', () => {
  it('tells a quota from a rate', () => {
    const quota = '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}'
    expect(classify(429, quota)).toMatchObject({ code: 'provider_quota', retryable: false })
    expect(classify(429, '{"error":{"message":"slow down"}}', { 'retry-after': '7' })).toMatchObject({
      code: 'provider_rate_limited',
      retryable: true,
      retryAfterMs: 7000,
    })
    expect(classify(402, '')).toMatchObject({ code: 'provider_quota', retryable: false })
  })

  it('reads Retry-After in every form and refuses absurd ones', () => {
    const waits = (headers: Record<string, string>) => classify(503, '', headers).retryAfterMs
    expect(waits({ 'retry-after-ms': '250' })).toBe(250)
    expect(waits({ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' })).toBe(5000)
    expect(waits({ 'retry-after': 'Thu, 01 Jan 2015 00:00:05 GMT' })).toBeNull()
    expect(waits({ 'retry-after': '9999999' })).toBeNull()
    expect(waits({})).toBeNull()
  })

  it('takes 5xx, 529, 408 and 409 as retryable', () => {
    for (const status of [408, 500, 502, 503, 504, 522, 529])
      expect(classify(status, '')).toMatchObject({ code: 'provider_overloaded', retryable: true, status })
    expect(classify(409, '{"error":"busy"}')).toMatchObject({ retryable: true })
    expect(classify(400, '{"error":"bad"}')).toMatchObject({ retryable: false })
  })

  it('says what an HTML page means', () => {
    const page = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>x</body></html>'
    const error = classify(502, page)
    expect(error.code).toBe('provider_overloaded')
    expect(error.message).toContain('web page (502 Bad Gateway)')
  })

  it('reads what Google says in details: a dead key, a minute’s limit, a day’s', () => {
    const body = (message: string, details: unknown[]) => JSON.stringify({ error: { message, details } })
    const dead = body('API key expired. Please renew the API key.', [{ reason: 'API_KEY_INVALID' }])
    expect(classify(400, dead).code).toBe('provider_auth')
    const quota = (quotaId: string) =>
      body('You exceeded your current quota. Please retry in 1.5s.', [
        { violations: [{ quotaId }] },
        { retryDelay: '1s' },
      ])
    expect(classify(429, quota('GenerateRequestsPerMinutePerProject'))).toMatchObject({
      code: 'provider_rate_limited',
      retryable: true,
      retryAfterMs: 1500,
    })
    expect(classify(429, quota('GenerateRequestsPerDayPerProject'))).toMatchObject({
      code: 'provider_quota',
      retryable: false,
    })
    expect(classify(400, body('key AIzaSyA1234567890 is odd', [])).message).not.toContain('1234567890')
  })

  it('keeps keys out of messages', () => {
    const error = classify(401, '{"error":{"message":"Incorrect API key provided: sk-proj-abcdefghijkl."}}')
    expect(error.message).not.toContain('abcdefghijkl')
  })

  it('recognises policy refusals and missing models', () => {
    expect(classify(400, '{"error":{"code":"content_policy_violation","message":"no"}}').code).toBe(
      'provider_policy',
    )
    expect(
      classify(404, '{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}').code,
    ).toBe('model_not_found')
  })
})

describe('errors inside a stream', () => {
  it('stand for the status they would have had', () => {
    expect(classifyStreamError({ type: 'overloaded_error', message: 'Overloaded' })).toMatchObject({
      code: 'provider_overloaded',
      retryable: true,
    })
    expect(classifyStreamError({ code: 'rate_limit_exceeded', message: 'slow' }).code).toBe(
      'provider_rate_limited',
    )
    expect(classifyStreamError({ code: 'context_length_exceeded', message: 'x' }).code).toBe(
      'context_overflow',
    )
    expect(classifyStreamError({ code: 'insufficient_quota', message: 'x' })).toMatchObject({
      code: 'provider_quota',
      retryable: false,
    })
    const limited = { code: 'rate_limit_exceeded', message: 'Rate limit reached. Please try again in 1.5s.' }
    expect(classifyStreamError(limited)).toMatchObject({ code: 'provider_rate_limited', retryAfterMs: 1500 })
    const flagged = { code: 'invalid_prompt', message: 'Flagged as potentially violating our usage policy.' }
    expect(classifyStreamError(flagged)).toMatchObject({ code: 'provider_policy', retryable: false })
    expect(classifyStreamError('odd').code).toBe('provider_protocol')
  })
})

it('tells why a connection could not be made', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' })
  const error = classifyTransport(new TypeError('fetch failed', { cause }))
  expect(error).toMatchObject({ code: 'provider_unreachable', retryable: true })
  expect(error.message).toContain('ECONNREFUSED')
  const wrapped = new Error('Connection error.', { cause: new TypeError('fetch failed') })
  expect(classifyTransport(wrapped).message).toBe('Connection error: fetch failed')
})

it('tells a copy of the head that is gone from every other refusal', () => {
  const said = (status: number, message: string) =>
    isHeadCopyGone(providerError('provider_auth', message, { status }))
  expect(said(403, 'CachedContent not found (or permission denied)')).toBe(true)
  expect(said(404, 'Cached content cachedContents/x was not found')).toBe(true)
  expect(said(400, 'Cache content 42 is expired.')).toBe(true)
  expect(said(403, 'Your API key was reported as leaked.')).toBe(false)
  expect(said(503, 'The cache is overloaded.')).toBe(false)
})
