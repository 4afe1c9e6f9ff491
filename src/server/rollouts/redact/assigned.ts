/**
 * Secrets that only their surroundings tell: values given to a name such as `API_KEY`, headers of authorization, and
 * passwords in addresses.
 */
import type { Found } from './find.ts'

const name =
  /(?:secret|token|passw(?:or)?d|passphrase|passwd|pwd|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|auth[_-]?key|client[_-]?key|credentials?)/gi
/** From the end of the name: the rest of it, what assigns, and the value in quotes or bare. */
const value =
  /(?:s|[_-]?(?:key|value|id|string|hash|prod|dev|test|main)){0,2}(?:\\?["'])?\s{0,4}(?::=|=>|[=:])\s{0,4}(?:\\?"([^"\\\s]{6,512})|\\?'([^'\\\s]{6,512})|([^\s"'`,;(){}[\]<>|&\\]{6,512}))/iy
const bearer = /\bbearer\s{1,3}([A-Za-z0-9._~+/-]{16,4096}={0,2})/gi
const basic = /\bauthorization["']?\s{0,3}[:=]\s{0,3}["']?basic\s{1,3}([A-Za-z0-9+/_-]{8,1024}={0,2})/gi
const address = /:\/\/([^\s/?#@:"'<>\\]{0,128}):([^\s/?#@"'<>\\]{1,256})@/g

const databases =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|clickhouse|cockroachdb|jdbc|srv|psycopg2?|asyncpg|pymysql)$/i
const placeholder =
  /^(?:[x*.•#_-]+|<.*|\[.*|\$.*|%[a-z({].*|\{.*|(?:your|my|some|example|change|insert|enter|dummy|fake|sample|placeholder|redacted|hidden)[\w -]*|(?:null|none|undefined|true|false|string|password|secret|token|optional|required)s?)$/i
/** `process.env.TOKEN`, `getToken`, `config.password`: code that names a value. */
const expression = /^(?:[A-Za-z_$][\w$]*(?:[.:[?!].*|\(.*)?|[A-Za-z_$][\w$-]*)$/

const looksSecret = (text: string, isPassword: boolean, isQuoted: boolean): boolean => {
  if (placeholder.test(text) || text.includes('[redacted:')) return false
  const hasDigit = /\d/.test(text)
  if (isPassword && isQuoted)
    return text.length >= 6 && (hasDigit || /[^\w.-]/.test(text) || text.length >= 12)
  if (isPassword) return hasDigit && /[A-Za-z]/.test(text) && !/^[A-Za-z_$][\w$]*[.[(]/.test(text)
  if (text.length < 12 || !hasDigit || !/[A-Za-z]/.test(text)) return false
  if (/^[a-z]+:\/\//i.test(text) || /^\.{0,2}\//.test(text)) return false
  if (!isQuoted && /^[A-Za-z_$][\w$]*[.[(]/.test(text)) return false
  return new Set(text).size >= 8 && !(expression.test(text) && !/\d.*\d/.test(text))
}

const findNamed = (text: string): Found[] => {
  const found: Found[] = []
  name.lastIndex = 0
  for (let hit = name.exec(text); hit; hit = name.exec(text)) {
    value.lastIndex = hit.index + hit[0].length
    const given = value.exec(text)
    const secret = given?.[1] ?? given?.[2] ?? given?.[3]
    if (!given || secret === undefined) continue
    const end = given.index + given[0].length
    const isPassword = /^(?:p|credential)/i.test(hit[0]) && !/^private/i.test(hit[0])
    if (looksSecret(secret, isPassword, given[3] === undefined)) {
      found.push({ start: end - secret.length, end, kind: isPassword ? 'password' : 'assigned-secret' })
      name.lastIndex = end
    }
  }
  return found
}

const findHeaders = (text: string): Found[] => {
  const found: Found[] = []
  for (const match of text.matchAll(bearer)) {
    const secret = match[1] ?? ''
    if (/\d/.test(secret) && !placeholder.test(secret)) found.push(tail(match, secret, 'bearer-token'))
  }
  for (const match of text.matchAll(basic)) found.push(tail(match, match[1] ?? '', 'basic-auth'))
  return found
}

const tail = (match: RegExpExecArray, secret: string, kind: string): Found => {
  const end = match.index + match[0].length
  return { start: end - secret.length, end, kind }
}

const findAddresses = (text: string): Found[] => {
  const found: Found[] = []
  for (const match of text.matchAll(address)) {
    const secret = match[2] ?? ''
    if (placeholder.test(secret)) continue
    const scheme = text.slice(Math.max(0, match.index - 16), match.index)
    const end = match.index + match[0].length - 1
    found.push({
      start: end - secret.length,
      end,
      kind: databases.test(scheme) ? 'database-url' : 'url-password',
    })
  }
  return found
}

export const findAssigned = (text: string): Found[] => [
  ...findNamed(text),
  ...findHeaders(text),
  ...findAddresses(text),
]

/** Field names seen before, bounded: records have few. */
const fields = new Map<string, 'none' | 'password' | 'other'>()

/** Whether a value under this name of a JSON object may be a secret by the name alone. */
export const secretField = (field: string): 'password' | 'other' | null => {
  const known = fields.get(field)
  if (known !== undefined) return known === 'none' ? null : known
  name.lastIndex = 0
  const hit = field.length > 64 ? null : name.exec(field)
  name.lastIndex = 0
  const rest = hit ? field.slice(hit.index + hit[0].length) : ''
  const isOne = hit !== null && /^(?:s|[_-]?(?:key|value|string|prod|dev|test|main))?$/i.test(rest)
  const kind = isOne ? (/^p(?:ass|wd)/i.test(hit[0]) ? 'password' : 'other') : 'none'
  if (fields.size < 5_000) fields.set(field, kind)
  return kind === 'none' ? null : kind
}

export const isSecretField = (field: string, text: string): boolean => {
  const kind = secretField(field)
  if (kind === null || text.length < 6 || text.length > 4_096 || /\s/.test(text)) return false
  return looksSecret(text, kind === 'password', true)
}

/** For a test that counts their steps; `value` is tried behind a name alone. */
export const assignedExpressions = { name, bearer, basic, address }
export const valueExpression = value
