/**
 * Made-up secrets, one for each format: for tests and for measuring. They are put together when asked for, so that no
 * file of the project looks as if it held one.
 */

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digit = '0123456789'
const letters = lower + upper + digit

/** Characters in an order that a seed decides: the same seed, the same characters. */
const drawn = (seed: number): ((length: number, from?: string) => string) => {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0
  return (length, from = letters) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return from.charAt(Math.floor((state / 4_294_967_296) * from.length))
    }).join('')
}

/** `secret` is what must not be left; `text` is how it stands somewhere. */
export type Canary = { kind: string; name: string; text: string; secret: string }

export const canaries = (seed = 1): Canary[] => {
  const r = drawn(seed)
  const hex = (length: number): string => r(length, '0123456789abcdef')
  const made: Canary[] = []
  const put = (kind: string, name: string, secret: string, around: (secret: string) => string = (s) => s) =>
    made.push({ kind, name, secret, text: around(secret) })
  const dashes = '-'.repeat(5)
  const pem = (label: string, lines: number): string =>
    [
      `${dashes}BEGIN ${label}${dashes}`,
      ...Array.from({ length: lines }, () => r(64, `${letters}+/`)),
      `${dashes}END ${label}${dashes}`,
    ].join('\n')

  put('openai-key', 'openai project', `sk-proj-${r(100)}`)
  put('openai-key', 'openai service account', `sk-svcacct-${r(60)}`)
  put('openai-key', 'openai classic', `sk-${r(20)}T3BlbkFJ${r(20)}`)
  put('openai-key', 'deepseek', `sk-${hex(32)}`)
  put('anthropic-key', 'anthropic', `sk-ant-api03-${r(93)}AA`)
  put('anthropic-key', 'anthropic oauth', `sk-ant-oat01-${r(80)}`)
  put('openrouter-key', 'openrouter', `sk-or-v1-${hex(64)}`)
  put('google-api-key', 'google', `AIza${r(35)}`)
  put('google-oauth', 'google access token', `ya29.${r(80)}`)
  put('google-oauth', 'google client secret', `GOCSPX-${r(28)}`)
  put('huggingface-token', 'hugging face', `hf_${r(34)}`)
  put('groq-key', 'groq', `gsk_${r(52)}`)
  put('xai-key', 'xai', `xai-${r(80)}`)
  put('perplexity-key', 'perplexity', `pplx-${r(48)}`)
  put('replicate-token', 'replicate', `r8_${r(37)}`)
  put('langsmith-key', 'langsmith', `lsv2_pt_${hex(32)}_${hex(10)}`)
  put('aws-access-key', 'aws access key', `AKIA${r(16, `${upper}234567`)}`)
  put('aws-access-key', 'aws temporary key', `ASIA${r(16, `${upper}234567`)}`)
  put('assigned-secret', 'aws secret key', r(40, `${letters}+/`), (s) => `aws_secret_access_key = ${s}`)
  put('assigned-secret', 'aws session token', r(200), (s) => `"SessionToken": "${s}"`)
  put(
    'azure-storage-key',
    'azure storage',
    `${r(86)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=core.windows.net`,
  )
  put('azure-sas', 'azure sas', `${r(43)}%3D`, (s) => `https://a.example.net/c?sv=2024&sig=${s}`)
  put('azure-client-secret', 'azure client secret', `${r(3)}8Q~${r(34)}`)
  put('digitalocean-token', 'digitalocean', `dop_v1_${hex(64)}`)
  put('cloudflare-token', 'cloudflare token', `cfut_${r(48)}`)
  put('cloudflare-token', 'cloudflare origin', `v1.0-${hex(24)}-${hex(146)}`)
  put('heroku-key', 'heroku', `HRKU-${r(60)}`)
  put('vercel-token', 'vercel', `vcp_${r(56)}`)
  put('netlify-token', 'netlify', `nfp_${r(36)}`)
  put('supabase-key', 'supabase', `sbp_${hex(40)}`)
  put('vault-token', 'vault', `hvs.${r(90)}`)
  put('terraform-token', 'terraform', `${r(14)}.atlasv1.${r(65)}`)
  put('databricks-token', 'databricks', `dapi${hex(32)}`)
  put('planetscale-token', 'planetscale', `pscale_tkn_${r(43)}`)
  put('pulumi-token', 'pulumi', `pul-${hex(40)}`)
  put('fly-token', 'fly', `fo1_${r(43)}`)
  put('tailscale-key', 'tailscale', `tskey-auth-${r(12)}-${r(32)}`)
  put('doppler-token', 'doppler', `dp.pt.${r(43)}`)
  for (const mark of ['ghp', 'gho', 'ghu', 'ghs', 'ghr']) put('github-token', mark, `${mark}_${r(36)}`)
  put('github-token', 'github fine grained', `github_pat_${r(22)}_${r(59)}`)
  put('gitlab-token', 'gitlab', `glpat-${r(20)}`)
  put('npm-token', 'npm', `npm_${r(36)}`)
  put('pypi-token', 'pypi', `pypi-AgEIcHlwaS5vcmc${r(140)}`)
  put('docker-token', 'docker hub', `dckr_pat_${r(27)}`)
  put('rubygems-key', 'rubygems', `rubygems_${hex(48)}`)
  put('sonar-token', 'sonar', `sqp_${hex(40)}`)
  put('atlassian-token', 'atlassian', `ATATT3${r(180)}`)
  put('linear-key', 'linear', `lin_api_${r(40)}`)
  put('artifactory-token', 'artifactory', `AKCp${r(69)}`)
  put('stripe-key', 'stripe secret', `sk_live_${r(24)}`)
  put('stripe-key', 'stripe restricted', `rk_live_${r(24)}`)
  put('stripe-webhook-secret', 'stripe webhook', `whsec_${r(32)}`)
  put('square-token', 'square', `EAAA${r(60)}`)
  put('shopify-token', 'shopify', `shpat_${hex(32)}`)
  put('slack-token', 'slack bot', `xoxb-${r(12, digit)}-${r(12, digit)}-${r(24)}`)
  put('slack-token', 'slack app', `xapp-1-A${r(10)}-${r(13, digit)}-${hex(64)}`)
  put(
    'slack-webhook',
    'slack webhook',
    `hooks.slack.com/services/T${r(8, upper)}/B${r(8, upper)}/${r(24)}`,
    (s) => `https://${s}`,
  )
  put('discord-token', 'discord bot', `M${r(25)}.${r(6)}.${r(38)}`)
  put(
    'discord-webhook',
    'discord webhook',
    r(68),
    (s) => `https://discord.com/api/webhooks/${r(18, digit)}/${s}`,
  )
  put('telegram-token', 'telegram', `${r(10, '123456789')}:AA${r(33)}`)
  put('twilio-key', 'twilio', `SK${hex(32)}`)
  put('sendgrid-key', 'sendgrid', `SG.${r(22)}.${r(43)}`)
  put('mailgun-key', 'mailgun', `key-${hex(32)}`)
  put('mailchimp-key', 'mailchimp', `${hex(32)}-us21`)
  put('notion-token', 'notion', `ntn_${r(46)}`)
  put('figma-token', 'figma', `figd_${r(40)}`)
  put('postman-key', 'postman', `PMAK-${hex(24)}-${hex(34)}`)
  put('airtable-token', 'airtable', `pat${r(14)}.${hex(64)}`)
  put('dropbox-token', 'dropbox', `sl.${r(140)}`)
  put('sentry-token', 'sentry', `sntryu_${hex(64)}`)
  put('assigned-secret', 'datadog', hex(32), (s) => `DD_API_KEY=${s}`)
  put('newrelic-key', 'new relic', `NRAK-${r(27, upper + digit)}`)
  put('grafana-token', 'grafana', `glsa_${r(32)}_${hex(8)}`)
  put('age-key', 'age', `AGE-SECRET-KEY-1${r(58, upper + digit)}`)
  put('jwt', 'jwt', `eyJ${r(33)}.eyJ${r(60)}.${r(43)}`)
  put('bearer-token', 'bearer', r(40), (s) => `curl -H "Authorization: Bearer ${s}" http://h`)
  put(
    'basic-auth',
    'basic auth',
    Buffer.from(`someone:${r(16)}`).toString('base64'),
    (s) => `Authorization: Basic ${s}`,
  )
  put('url-password', 'address', `${r(15)}7`, (s) => `https://someone:${s}@example.com/x`)
  put('database-url', 'postgres', `${r(15)}7`, (s) => `postgres://app:${s}@db.internal:5432/app`)
  put('database-url', 'mongodb', `${r(15)}7`, (s) => `mongodb+srv://app:${s}@c.example.net`)
  put('password', 'password', `${r(11)}9z`, (s) => `DB_PASSWORD=${s}`)
  put('private-key', 'pem', pem('RSA PRIVATE KEY', 12))
  put('private-key', 'openssh', pem('OPENSSH PRIVATE KEY', 7))
  put('private-key', 'pgp', pem('PGP PRIVATE KEY BLOCK', 20))
  return made
}
