/**
 * What secrets look like: one row for each format, by the prefixes that their issuers give them in public documents.
 * A row is a literal to look for and an expression that is tried at its place alone. No expression has a part that
 * repeats within a repetition, nor one that can give back what it took: what fails has cost at most its shortest match.
 */

export type SecretFormat = {
  kind: string
  /** Literals that every match holds. */
  marks: readonly string[]
  /** Sticky; tried where the mark begins, or `back` characters of this class before it. */
  at: RegExp
  back?: { of: RegExp; most: number }
  /** The part of the match that is the secret, when it is not all of it. */
  group?: 1
  /** True when it may stand in the middle of a word: marks that occur nowhere else. */
  anywhere?: boolean
  /** True when it may not follow a hyphen either. */
  alone?: boolean
}

const key = (kind: string, marks: string, at: RegExp, more: Partial<SecretFormat> = {}): SecretFormat => ({
  kind,
  marks: marks.split(' '),
  at: new RegExp(at.source, 'y'),
  ...more,
})

const digits = /\d/
const hex = /[0-9a-f]/

/** Models and their hosts. */
const models: SecretFormat[] = [
  key('anthropic-key', 'sk-ant-', /sk-ant-[a-z]{3,8}\d{2}-[\w-]{20,512}/),
  key('openrouter-key', 'sk-or-', /sk-or-(?:v\d-)?[0-9a-f]{40,128}/),
  key('langfuse-key', 'sk-lf-', /sk-lf-[0-9a-f-]{36}/),
  key('openai-key', 'sk-', /sk-(?:proj|svcacct|admin|service|None)-[\w-]{20,512}/),
  key('openai-key', 'sk-', /sk-[A-Za-z0-9]{20,256}/),
  key('google-api-key', 'AIza', /AIza[\w-]{35,60}/),
  key('huggingface-token', 'hf_ api_org_', /(?:hf|api_org)_[A-Za-z0-9]{30,128}/),
  key('groq-key', 'gsk_', /gsk_[A-Za-z0-9]{40,128}/),
  key('xai-key', 'xai-', /xai-[A-Za-z0-9]{60,256}/),
  key('perplexity-key', 'pplx-', /pplx-[A-Za-z0-9]{40,128}/),
  key('replicate-token', 'r8_', /r8_[A-Za-z0-9]{37,64}/),
  key('langsmith-key', 'lsv2_', /lsv2_[ps][tk]_[0-9a-f]{32}_[0-9a-f]{10}/),
]

/** Clouds and what runs in them. */
const clouds: SecretFormat[] = [
  key('aws-access-key', 'AKIA ASIA ABIA ACCA', /A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}/),
  key('google-oauth', 'ya29. GOCSPX- 1//0', /(?:ya29\.|GOCSPX-|1\/\/0)[\w-]{24,1024}/),
  key('azure-storage-key', 'AccountKey=', /AccountKey=([A-Za-z0-9+/]{86}==)/, { group: 1, anywhere: true }),
  key('azure-storage-key', 'SharedAccessKey=', /SharedAccessKey=([A-Za-z0-9+/]{43}=)/, {
    group: 1,
    anywhere: true,
  }),
  key('azure-sas', '&sig= ?sig=', /[&?]sig=([A-Za-z0-9%+/=_-]{40,128})/, { group: 1, anywhere: true }),
  key('azure-client-secret', 'Q~', /[\w~.-]{3}\dQ~[\w~.-]{31,40}/, {
    back: { of: /[\w~.-]/, most: 4 },
    anywhere: true,
  }),
  key('digitalocean-token', 'doo_v1_ dop_v1_ dor_v1_', /do[opr]_v1_[0-9a-f]{64}/),
  key('cloudflare-token', 'cfut_ cfat_ cfk_', /cf(?:ut|at|k)_[\w-]{30,256}/),
  key('cloudflare-token', 'v1.0-', /v1\.0-[0-9a-f]{24}-[0-9a-f]{100,200}/),
  key('heroku-key', 'HRKU-', /HRKU-[\w-]{30,128}/),
  key('vercel-token', 'vcp_ vci_ vca_ vcr_ vck_', /vc[piark]_[A-Za-z0-9]{24,128}/),
  key('vercel-token', 'vercel_blob_rw_', /vercel_blob_rw_\w{24,128}/),
  key('netlify-token', 'nfp_ nfc_ nfo_ nfu_ nfb_', /nf[pcoub]_\w{30,128}/),
  key('supabase-key', 'sbp_ sb_secret_', /(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,128})/),
  key('vault-token', 'hvs. hvb. hvr.', /hv[sbr]\.[\w-]{24,512}/),
  key('terraform-token', '.atlasv1.', /[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,128}/, {
    back: { of: /[A-Za-z0-9]/, most: 14 },
    anywhere: true,
  }),
  key('databricks-token', 'dapi', /dapi[0-9a-f]{32}/),
  key('planetscale-token', 'pscale_', /pscale_(?:tkn|oauth|pw)_[\w.-]{30,128}/),
  key('pulumi-token', 'pul-', /pul-[0-9a-f]{40}/),
  key('fly-token', 'fm1_ fm2_ fo1_', /f(?:m[12]|o1)_[A-Za-z0-9+/=_-]{40,2048}/),
  key('tailscale-key', 'tskey-', /tskey-[a-z]{2,16}-[A-Za-z0-9]{6,64}-[A-Za-z0-9]{16,64}/),
  key('doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa.', /dp\.[psc][at]\.[\w.-]{40,128}/),
]

/** Where code lives and packages come from. */
const forges: SecretFormat[] = [
  key('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', /gh[pousr]_[A-Za-z0-9]{36,256}/),
  key('github-token', 'github_pat_', /github_pat_\w{22,256}/),
  key(
    'gitlab-token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- gloas- glimt-',
    /gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-[\w.-]{20,256}/,
  ),
  key('gitlab-token', 'GR1348941', /GR1348941[\w-]{20,64}/),
  key('npm-token', 'npm_', /npm_[A-Za-z0-9]{36,64}/),
  key('npm-token', '_authToken=', /_authToken=([A-Za-z0-9+/=_.-]{16,512})/, { group: 1, anywhere: true }),
  key('pypi-token', 'pypi-AgE', /pypi-AgE[\w-]{50,512}/),
  key('docker-token', 'dckr_pat_ dckr_oat_', /dckr_[po]at_[\w-]{20,128}/),
  key('rubygems-key', 'rubygems_', /rubygems_[0-9a-f]{48}/),
  key('sonar-token', 'sqp_ sqa_ squ_', /sq[pau]_[0-9a-f]{40}/),
  key('atlassian-token', 'ATATT3 ATCTT3 ATBB', /AT(?:[AC]TT3[\w=-]{60,512}|BB[A-Za-z0-9]{32})/),
  key('linear-key', 'lin_api_ lin_oauth_', /lin_(?:api|oauth)_[A-Za-z0-9]{32,128}/),
  key('artifactory-token', 'AKCp', /AKCp[A-Za-z0-9]{60,100}/),
]

/** Payments, messages, documents, watching. */
const others: SecretFormat[] = [
  key('stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_', /[rs]k_(?:live|test)_[A-Za-z0-9]{10,256}/),
  key('stripe-webhook-secret', 'whsec_', /whsec_[A-Za-z0-9+/=]{24,128}/),
  key('square-token', 'EAAA', /EAAA[\w-]{60,128}/),
  key('square-token', 'sq0atp- sq0csp-', /sq0(?:atp|csp)-[\w-]{22,64}/),
  key('shopify-token', 'shpat_ shpca_ shppa_ shpss_ shpua_', /shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}/),
  key(
    'slack-token',
    'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe. xapp-',
    /(?:xox[abcdeoprs][-.]|xapp-)[A-Za-z0-9%.-]{10,512}/,
  ),
  key(
    'slack-webhook',
    'hooks.slack.com/',
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{20,200}/,
    { anywhere: true },
  ),
  key('discord-webhook', '/api/webhooks/', /\/api\/webhooks\/\d{15,22}\/([\w-]{60,100})/, {
    group: 1,
    anywhere: true,
  }),
  key('telegram-token', ':AA', /\d{8,10}:AA[\w-]{32,35}/, { back: { of: digits, most: 10 }, anywhere: true }),
  key('twilio-key', 'SK', /SK[0-9a-f]{32}/),
  key('sendgrid-key', 'SG.', /SG\.[\w-]{16,32}\.[\w-]{16,64}/),
  key('mailgun-key', 'key-', /key-[0-9a-f]{32}/),
  key('mailchimp-key', '-us', /[0-9a-f]{32}-us\d{1,2}/, { back: { of: hex, most: 32 }, anywhere: true }),
  key('notion-token', 'secret_ ntn_', /(?:secret|ntn)_[A-Za-z0-9]{40,64}/),
  key('figma-token', 'figd_ figu_ figo_', /fig[duo]_[\w-]{36,128}/),
  key('postman-key', 'PMAK-', /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/),
  key('airtable-token', 'pat', /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/),
  key('dropbox-token', 'sl.', /sl\.[\w-]{120,2048}/),
  key('sentry-token', 'sntrys_ sntryu_', /sntry[su]_[A-Za-z0-9+/=_-]{40,1024}/),
  key('datadog-key', 'ddapp_ ddapi_', /dda(?:pp|pi)_[A-Za-z0-9]{30,128}/),
  key('newrelic-key', 'NRAK-', /NRAK-[A-Z0-9]{27}/),
  key('grafana-token', 'glsa_ glc_', /gl(?:sa|c)_[A-Za-z0-9+/=_]{32,512}/),
  key('onepassword-token', 'ops_eyJ', /ops_eyJ[\w-]{60,2048}/),
  key('age-key', 'AGE-SECRET-KEY-', /AGE-SECRET-KEY-1[A-Z0-9]{58}/),
  key('jwt', 'eyJ', /eyJ[\w-]{8,4096}\.eyJ[\w-]{8,8192}\.[\w-]{10,2048}/, { alone: true }),
]

export const secretFormats: readonly SecretFormat[] = [...models, ...clouds, ...forges, ...others]

/** No literal marks it, so it is looked for by itself: an id in base64, a time, a signature. */
export const discordToken = /(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}/g
