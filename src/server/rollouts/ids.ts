/**
 * Ids of a rollout that comes from another installation, or twice into this one: each is changed by a salt of its thread,
 * so that it is new here and names nobody of this team. The same change backwards gives the file's own ids again.
 */
import { randomBytes } from 'node:crypto'

/** Digits of a UUIDv7 that are random: 3 after the version, one and a half after the variant's two bits, 12 at the end. */
const saltDigits = 19

const idPattern =
  /^((?:usr|team|prj|thr|win|trn|stp|itm|op|cmd|sbx|chk|apr|grt|shr|rev|cmt|tok|inv|prv|imp|own)_[0-9a-f]{8}-[0-9a-f]{4}-7)([0-9a-f]{3})-([89ab])([0-9a-f]{3})-([0-9a-f]{12})$/

/** A salt for one thread: 19 hex digits. It is kept with the thread, because the way back needs it. */
export const newIdSalt = (): string => randomBytes(10).toString('hex').slice(0, saltDigits)

const digits = '0123456789abcdef'

const xor = (text: string, salt: string): string => {
  let out = ''
  for (let at = 0; at < text.length; at++)
    out += digits[Number.parseInt(text[at] ?? '0', 16) ^ Number.parseInt(salt[at] ?? '0', 16)]
  return out
}

/** The variant's two high bits stay. */
const xorVariant = (digit: string, salt: string): string =>
  digits[Number.parseInt(digit, 16) ^ (Number.parseInt(salt, 16) & 3)] ?? digit

/**
 * One text: an id of ours becomes another one of the same kind and time, anything else stays. Twice with the same salt
 * is the text again.
 */
export const saltId = (text: string, salt: string): string => {
  const found = idPattern.exec(text)
  if (found === null) return text
  const [, head = '', a = '', variant = '', b = '', c = ''] = found
  return `${head}${xor(a, salt)}-${xorVariant(variant, salt[3] ?? '0')}${xor(b, salt.slice(4))}-${xor(c, salt.slice(7))}`
}

/** Every id in a JSON value, keys included. Texts that only contain an id stay as they are. */
export const saltIds = <T>(value: T, salt: string): T => salted(value, salt) as T

const salted = (value: unknown, salt: string): unknown => {
  if (typeof value === 'string') return saltId(value, salt)
  if (Array.isArray(value)) return value.map((each) => salted(each, salt))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [saltId(key, salt), salted(each, salt)]),
  )
}
