/** Bodies of a thread by address: read from their beginning as far as wanted, called off where that is enough. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'

export type BodyHead = {
  bytes: Uint8Array<ArrayBuffer>
  text: string
  /** Bytes of the whole; null when the server did not say. */
  total: number | null
  whole: boolean
}

/** How much is read at first, with "more", and with "more" once again. Beyond that there is the download. */
export const bodySteps = [262_144, 2_097_152, 16_777_216] as const

/** The address of a blob of a thread. */
export const blobPath = (threadId: string, hash: string): string => `/t/${threadId}/b/${hash}`

async function readHead(path: string, limit: number, signal: AbortSignal): Promise<BodyHead> {
  const response = await fetch(path, { signal })
  if (!response.ok || response.body === null) throw new Error(String(response.status))
  const length = Number(response.headers.get('content-length'))
  const reader = response.body.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  let whole = false
  while (size < limit) {
    const { done, value } = await reader.read()
    if (done) {
      whole = true
      break
    }
    parts.push(value)
    size += value.byteLength
  }
  if (!whole) await reader.cancel().catch(() => undefined)
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  const text = new TextDecoder().decode(bytes, { stream: !whole })
  return { bytes, text, total: length > 0 ? length : whole ? size : null, whole }
}

/** The text of a body; null when it is longer than `limit` bytes. */
export async function readWhole(path: string, limit: number, signal: AbortSignal): Promise<string | null> {
  const { text, whole } = await readHead(path, limit, signal)
  return whole ? text : null
}

/** The beginning of a body; bodies never change. `limit` in bytes, at least; undefined path = nothing wanted. */
export const useBody = (path: string | undefined, limit: number = bodySteps[0]): UseQueryResult<BodyHead> =>
  useQuery({
    queryKey: ['body', path, limit],
    enabled: path !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // Bodies are large: what is not on the screen is let go soon.
    gcTime: 60_000,
    // More of the same body, never another one.
    placeholderData: (before, query) => (query?.queryKey[1] === path ? before : undefined),
    queryFn: ({ signal }) => readHead(path ?? '', limit, signal),
  })
