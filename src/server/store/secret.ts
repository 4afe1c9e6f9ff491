/**
 * Encryption of stored keys: AES-256-GCM, a fresh nonce each, bound to the row that holds it. Knows no table.
 * Layout: version (1) · nonce (12) · tag (16) · cipher text.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { Fault } from '../../protocol/error.ts'

const version = 1
const nonceBytes = 12
const tagBytes = 16

/** `key` is 32 bytes; `row` is the id of the row, so that a cipher text moved to another row does not open. */
export const seal = (key: Uint8Array, row: string, plain: string): Uint8Array<ArrayBuffer> => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(row))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return new Uint8Array(Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), body]))
}

/** Fault `internal` when the key changed or the bytes are damaged. */
export const open = (key: Uint8Array, row: string, sealed: Uint8Array): string => {
  try {
    const bytes = Buffer.from(sealed)
    if (bytes[0] !== version) throw new Error('unknown version')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + nonceBytes))
    decipher.setAAD(Buffer.from(row))
    decipher.setAuthTag(bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes))
    const body = bytes.subarray(1 + nonceBytes + tagBytes)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Fault(
      'internal',
      'A stored key cannot be opened.',
      'Enter the key again in the settings; the server’s own key has changed.',
      undefined,
      cause,
    )
  }
}
