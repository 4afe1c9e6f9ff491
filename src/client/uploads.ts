/** Files of a message on their way to the server over HTTP. */
import { type ErrorFact, ErrorFact as ErrorFactSchema } from '../protocol/error.ts'
import type { ContentPart } from '../protocol/item.ts'

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
type ImageType = (typeof imageTypes)[number]

const isImage = (type: string): type is ImageType => (imageTypes as readonly string[]).includes(type)

/** An error answer of an HTTP door as a fact. */
export async function factOfResponse(response: Response): Promise<ErrorFact> {
  const body: unknown = await response.json().catch(() => null)
  const found = ErrorFactSchema.safeParse((body as { error?: unknown } | null)?.error)
  return found.success
    ? found.data
    : { code: 'internal', message: `The server answered ${response.status}.`, next: 'Try again.' }
}

export class UploadFailed extends Error {
  readonly fact: ErrorFact
  constructor(fact: ErrorFact) {
    super(fact.message)
    this.fact = fact
  }
}

/** Stores a file under a thread and gives the part of a message that names it. Rejects with `UploadFailed`. */
export async function uploadFile(threadId: string, file: File): Promise<ContentPart> {
  const response = await fetch(`/api/t/${threadId}/blobs`, {
    method: 'POST',
    headers: { 'content-type': file.type || 'application/octet-stream' },
    body: file,
  })
  if (!response.ok) throw new UploadFailed(await factOfResponse(response))
  const { hash } = (await response.json()) as { hash: string }
  return isImage(file.type)
    ? { type: 'image', blob: hash, mediaType: file.type, name: file.name, bytes: file.size }
    : {
        type: 'file',
        blob: hash,
        name: file.name,
        mediaType: file.type || 'application/octet-stream',
        bytes: file.size,
      }
}
