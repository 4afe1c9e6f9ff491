import { createHash } from 'node:crypto'

/** The SHA-256 of bytes or of a text's UTF-8, in lower-case hex: what blobs are named by. Node only. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
