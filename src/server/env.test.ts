import { describe, expect, test } from 'vitest'
import { readEnv } from './env.ts'

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 37) % 251)).toString('base64')
const good = {
  DATABASE_URL: 'postgresql://localhost/baton',
  BATON_DATA: '/data',
  BATON_INSTALL_ID: 'test-1',
  AUTH_SECRET: 'k3J9x0qLr7bZ2mVt8yWc5nHs1dFg6pAe',
  BATON_KEY: key,
}

describe('environment', () => {
  test('a complete one is read, with defaults', () => {
    const env = readEnv(good)
    expect(env.PORT).toBe(3_000)
    expect(env.HOST).toBe('127.0.0.1')
    expect(env.BATON_DEMO).toBe(false)
  })

  test.each([
    ['AUTH_SECRET missing', { AUTH_SECRET: undefined }, /AUTH_SECRET is missing/],
    ['AUTH_SECRET short', { AUTH_SECRET: 'short' }, /shorter than 32/],
    [
      'AUTH_SECRET a known default',
      { AUTH_SECRET: 'better-auth-secret-12345678901234567890' },
      /known default/,
    ],
    ['AUTH_SECRET repetitive', { AUTH_SECRET: 'a'.repeat(40) }, /random/],
    ['BATON_KEY of a wrong length', { BATON_KEY: Buffer.from(`${key}more`).toString('base64') }, /32 bytes/],
    ['installation id with other characters', { BATON_INSTALL_ID: 'Not Fine' }, /BATON_INSTALL_ID/],
    ['port out of range', { PORT: '99999' }, /PORT/],
    ['half of a sign-in provider', { BATON_OIDC_ISSUER: 'https://id.example.org' }, /go together/],
    [
      'SEC-47 a provider in the clear',
      { BATON_OIDC_ISSUER: 'http://id.example.org', BATON_OIDC_CLIENT_ID: 'baton' },
      /must begin with https/,
    ],
  ])('SEC-44 %s stops the start', (_name, change, message) => {
    expect(() => readEnv({ ...good, ...change })).toThrow(message)
  })
})
