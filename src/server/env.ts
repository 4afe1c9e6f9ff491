/**
 * The only reader of the process environment. Everything else gets what it needs as arguments. A setting that is
 * missing or unsafe stops the start with one sentence that says what to do.
 */
import { z } from 'zod'

/** Secrets that anybody knows: examples from documents and defaults of libraries. */
const knownSecrets = new Set([
  'secret',
  'changeme',
  'change-me',
  'password',
  'better-auth-secret-123456789',
  'better-auth-secret-12345678901234567890',
  'please-change-this-secret-before-production',
])

const secret = (name: string) =>
  z
    .string({ error: `${name} is missing: start with npm start, or set it to 32 random bytes in base64` })
    .min(32, `${name} is shorter than 32 characters: make one with: openssl rand -base64 32`)
    .refine(
      (value) => !knownSecrets.has(value.toLowerCase()),
      `${name} is a known default: make one of your own`,
    )
    .refine((value) => new Set(value).size >= 8, `${name} repeats a few characters: make a random one`)

const blank = (value: unknown) => (value === '' ? undefined : value)
const optional = z.preprocess(blank, z.string().optional())

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Keys of a provider that are fetched in the clear could be anybody's. */
const Issuer = z
  .url({ protocol: /^https?$/, error: 'BATON_OIDC_ISSUER must be the address of the provider' })
  .refine((value) => {
    const { protocol, hostname } = new URL(value)
    return protocol === 'https:' || loopback.has(hostname)
  }, 'BATON_OIDC_ISSUER must begin with https://')
  .refine((value) => !new URL(value).username, 'BATON_OIDC_ISSUER must not hold a user name')

const Settings = z.object({
  DATABASE_URL: z
    .string({ error: 'DATABASE_URL is missing: start with npm start, or name your PostgreSQL' })
    .min(1),
  BATON_DATA: z.string({ error: 'BATON_DATA is missing: name the folder that holds the data' }).min(1),
  BATON_INSTALL_ID: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{2,62}$/, 'BATON_INSTALL_ID must be 3 to 63 of a-z, 0-9 and -'),
  AUTH_SECRET: secret('AUTH_SECRET'),
  BATON_KEY: secret('BATON_KEY').refine(
    (value) => Buffer.from(value, 'base64').length === 32,
    'BATON_KEY must be 32 bytes in base64: make one with: openssl rand -base64 32',
  ),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3_000),
  HOST: z.preprocess(blank, z.string().default('127.0.0.1')),
  BATON_URL: z.preprocess(blank, z.url().optional()),
  BATON_SANDBOX_IMAGE: optional,
  BATON_POOL: z.coerce.number().int().min(0).max(20).default(1),
  BATON_DEMO_URL: z.preprocess(blank, z.url().optional()),
  BATON_DEMO: z.preprocess((value) => value === '1' || value === 'true', z.boolean()),
  BATON_LOG: z.preprocess(blank, z.enum(['debug', 'info', 'warn', 'error']).default('info')),
  BATON_OIDC_ISSUER: z.preprocess(blank, Issuer.optional()),
  BATON_OIDC_CLIENT_ID: optional,
  BATON_OIDC_CLIENT_SECRET: optional,
  BATON_OIDC_NAME: z.preprocess(blank, z.string().max(100).default('Single sign-on')),
  /** What somebody becomes who comes by it uninvited; absent = they need an invitation. */
  BATON_OIDC_ROLE: z.preprocess(blank, z.enum(['admin', 'member', 'viewer']).optional()),
  /** Domains of addresses that may come in, separated by commas. */
  BATON_OIDC_DOMAINS: optional,
  /** The provider does not say `email_verified`, and its addresses are. */
  BATON_OIDC_TRUST_EMAIL: z.preprocess((value) => value === '1' || value === 'true', z.boolean()),
  DOCKER_HOST: optional,
  OPENAI_API_KEY: optional,
  OPENAI_BASE_URL: optional,
  ANTHROPIC_API_KEY: optional,
  ANTHROPIC_BASE_URL: optional,
  GOOGLE_API_KEY: optional,
  GEMINI_API_KEY: optional,
  GOOGLE_BASE_URL: optional,
  NODE_ENV: optional,
})

const Env = Settings.superRefine((env, context) => {
  const { BATON_OIDC_ISSUER: issuer, BATON_OIDC_CLIENT_ID: clientId } = env
  if ((issuer === undefined) === (clientId === undefined)) return
  context.addIssue({
    code: 'custom',
    path: [issuer === undefined ? 'BATON_OIDC_ISSUER' : 'BATON_OIDC_CLIENT_ID'],
    message: 'BATON_OIDC_ISSUER and BATON_OIDC_CLIENT_ID go together: set both or neither',
  })
})

export type Env = z.infer<typeof Env>

/** Reads and checks the environment. Throws an Error whose message is for the person who starts the server. */
export const readEnv = (source: Record<string, string | undefined> = process.env): Env => {
  const result = Env.safeParse(source)
  if (result.success) return result.data
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The environment is not usable:\n${lines.join('\n')}`)
}
