/**
 * A person's content as the model reads it: texts as they are, pictures as data, files by name. Blobs are read through
 * the function that is given.
 */
import type { ContentPart } from '../../protocol/item.ts'
import type { PromptPart } from '../providers/types.ts'
import { readableText } from './text.ts'

/** Bytes of an attached text file that are put before the model; the rest is named. */
const fileBytes = 65_536

/** Fault `not_found` of `readBlob` passes through. */
export const promptParts = async (
  content: readonly ContentPart[],
  readBlob: (hash: string) => Promise<Uint8Array>,
): Promise<PromptPart[]> => {
  const parts: PromptPart[] = []
  for (const part of content) {
    if (part.type === 'text') {
      const whole =
        part.blob === undefined ? part.text : Buffer.from(await readBlob(part.blob)).toString('utf8')
      parts.push({ type: 'text', text: readableText(whole) })
    } else if (part.type === 'image') {
      const data = Buffer.from(await readBlob(part.blob)).toString('base64')
      parts.push({ type: 'image', mediaType: part.mediaType, data })
    } else parts.push({ type: 'text', text: await fileText(part, readBlob) })
  }
  return parts
}

const fileText = async (
  file: Extract<ContentPart, { type: 'file' }>,
  readBlob: (hash: string) => Promise<Uint8Array>,
): Promise<string> => {
  const name = JSON.stringify(file.name)
  const isText = /^text\/|json|xml|yaml|toml|javascript|x-sh/.test(file.mediaType)
  if (!isText) return `<file name=${name} bytes="${file.bytes}">(not text: ${file.mediaType})</file>`
  const bytes = await readBlob(file.blob)
  const shown = readableText(Buffer.from(bytes.subarray(0, fileBytes)).toString('utf8'))
  const left = bytes.length - Math.min(bytes.length, fileBytes)
  return `<file name=${name}>\n${shown}\n${left > 0 ? `(${left} more bytes)\n` : ''}</file>`
}
