/** Blobs that come in pieces, stored as they come: one at a time, never whole in memory. */
import { importLimits } from '../../../protocol/import.ts'
import type { Store } from '../../store/types.ts'
import type { Piece } from './types.ts'

type Part = Extract<Piece, { type: 'part' }>
type Open = { hash: string; give(bytes: Uint8Array): Promise<void>; end(isWhole: boolean): Promise<boolean> }

const givenUp = new Error('given up')

export const createBlobStreams = (store: Pick<Store, 'blobs'>) => {
  let open: Open | null = null

  const start = (hash: string): Open => {
    let next = Promise.withResolvers<Uint8Array | null>()
    let taken = Promise.withResolvers<void>()
    let isWhole = false
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (;;) {
        const piece = await next.promise
        next = Promise.withResolvers()
        taken.resolve()
        if (piece === null) {
          if (!isWhole) throw givenUp
          return
        }
        yield piece
      }
    }
    const stored = store.blobs.putStream(pieces(), importLimits.bytes)
    stored.catch((error: unknown) => taken.reject(error))
    taken.promise.catch(() => undefined)
    return {
      hash,
      give: async (bytes) => {
        taken = Promise.withResolvers()
        taken.promise.catch(() => undefined)
        next.resolve(bytes)
        await taken.promise
      },
      end: async (whole) => {
        isWhole = whole
        next.resolve(null)
        try {
          await stored
          return true
        } catch (error) {
          if (error === givenUp) return false
          throw error
        }
      },
    }
  }

  return {
    /** `refs` gains the blob's name once it is stored. */
    take: async ({ hash, bytes, isLast }: Part, refs: string[]): Promise<void> => {
      if (open !== null && open.hash !== hash) {
        await open.end(false)
        open = null
      }
      open ??= start(hash)
      if (bytes !== null) await open.give(bytes)
      if (!isLast && bytes !== null) return
      const ended = open
      open = null
      if (await ended.end(bytes !== null)) refs.push(hash)
    },
    /** Whatever is open is given up. */
    close: async (): Promise<void> => {
      const left = open
      open = null
      await left?.end(false).catch(() => undefined)
    },
  }
}
