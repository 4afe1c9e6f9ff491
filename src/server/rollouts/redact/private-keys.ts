/**
 * Private keys as text: PEM, OpenSSH, PGP and PuTTY, whole, without an end, or with their lines escaped in a string.
 */
import type { Found } from './find.ts'

const begin = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d{1,4}/g
/** Characters between the first and the last line. */
const longest = 65_536
const endMark = '-----END '
/** What stands between the first and the last line; also `\n` as two characters. */
const bodyChars = /[A-Za-z0-9+/=\s\\:,.()"'%-]{0,65536}/y
/** Of a key whose end is missing: hyphens would belong to what follows. */
const looseBody = /[A-Za-z0-9+/=\s\\]{0,65536}/y
const endLine = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y

/** One pass: the search for an end never goes back, so many beginnings without one cost no more than one. */
export const findPrivateKeys = (text: string): Found[] => {
  const found: Found[] = []
  if (!text.includes('PRIVATE KEY') && !text.includes('Private-Lines')) return found
  let nextEnd = -1
  begin.lastIndex = 0
  for (let head = begin.exec(text); head; head = begin.exec(text)) {
    const body = head.index + head[0].length
    if (nextEnd !== Number.POSITIVE_INFINITY && nextEnd < body) {
      const at = text.indexOf(endMark, body)
      nextEnd = at < 0 ? Number.POSITIVE_INFINITY : at
    }
    const end = closing(text, body, head[0].startsWith('-') ? nextEnd : Number.POSITIVE_INFINITY)
    if (end > body || head[0].startsWith('-'))
      found.push({ start: head.index, end: Math.max(end, body), kind: 'private-key' })
    begin.lastIndex = Math.max(end, body)
  }
  return found
}

const closing = (text: string, body: number, nextEnd: number): number => {
  const again = nextEnd - body <= longest ? text.indexOf('-----BEGIN', body) : -1
  // With another beginning in between, the end is not this one's.
  if (nextEnd - body <= longest && (again < 0 || again > nextEnd)) {
    bodyChars.lastIndex = body
    const taken = body + (bodyChars.exec(text)?.[0].length ?? 0)
    endLine.lastIndex = nextEnd
    const last = endLine.exec(text)
    if (last && taken >= nextEnd) return nextEnd + last[0].length
  }
  looseBody.lastIndex = body
  const rest = looseBody.exec(text)?.[0] ?? ''
  return body + rest.trimEnd().length
}

/** For a test that counts their steps. */
export const privateKeyExpressions = { begin, endLine }
