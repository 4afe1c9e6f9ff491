import { describe, expect, test } from 'vitest'
import { originPolicy } from './origin.ts'

const request = (headers: Record<string, string>) => ({ headers })

describe('origin policy', () => {
  const local = originPolicy(undefined)
  const team = originPolicy('https://baton.example.org')

  test.each([
    ['localhost:3000', true],
    ['127.0.0.1:3000', true],
    ['[::1]:3000', true],
    ['evil.example:3000', false],
    ['localhost.evil.example', false],
    ['', false],
  ])('SEC-41 Host %s without a public address: %s', (host, allowed) => {
    expect(local.hostAllowed(request({ host }))).toBe(allowed)
  })

  test('the public address is answered too', () => {
    expect(team.hostAllowed(request({ host: 'baton.example.org' }))).toBe(true)
    expect(team.hostAllowed(request({ host: 'baton.example.org.evil.example' }))).toBe(false)
  })

  test.each([
    ['http://localhost:3000', true],
    ['http://localhost:4000', false],
    ['https://evil.example', false],
    ['null', false],
    ['not an origin', false],
  ])('SEC-41 Origin %s at localhost:3000: %s', (origin, allowed) => {
    expect(local.originAllowed(request({ host: 'localhost:3000', origin }))).toBe(allowed)
  })

  test('behind a proxy the public origin counts', () => {
    const headers = { host: 'baton.example.org', origin: 'https://baton.example.org' }
    expect(team.originAllowed(request(headers))).toBe(true)
    expect(team.originAllowed(request({ ...headers, origin: 'https://other.example.org' }))).toBe(false)
  })

  test('SEC-41 a request without Origin counts unless the browser says it is cross-site', () => {
    expect(local.originAllowed(request({ host: 'localhost:3000' }))).toBe(true)
    expect(local.originAllowed(request({ host: 'localhost:3000', cookie: 'a=b' }))).toBe(false)
    expect(local.originAllowed(request({ host: 'localhost:3000', 'sec-fetch-site': 'cross-site' }))).toBe(
      false,
    )
  })
})
