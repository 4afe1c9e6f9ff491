'use client'
import { useRouter } from 'next/navigation'
import { useCallback, useEffect } from 'react'
import { noAddress, writeAddress } from '../../client/rollout-address.ts'
import { useThreadStore } from '../../client/use-thread.ts'
import type { SearchHit } from '../../protocol/history.ts'
import { FindBar } from '../rollout/find/find-bar.tsx'
import { useFindStore } from '../rollout/find/use-find.ts'
import { useSeek } from './opened.tsx'

/** Older pages that are loaded for a hit; what lies further back is shown in the rollout. */
const mostPages = 20

/** Find in the thread: the same search as everywhere; a hit is brought into view, however old it is. */
export function ThreadFind() {
  const store = useThreadStore()
  const find = useFindStore()
  const seek = useSeek()
  const router = useRouter()
  const onHit = useCallback(
    async (hit: SearchHit) => {
      const { threadId } = store.getState()
      const isHere = (): boolean => store.getState().view.items.has(hit.itemId)
      for (let page = 0; page < mostPages && !isHere() && store.getState().before !== null; page += 1)
        await store.loadOlder()
      if (isHere()) seek(hit.itemId, hit.turnId)
      else {
        const { query } = find.getState()
        router.push(
          `/threads/${threadId}/rollout${writeAddress({ ...noAddress, at: { itemId: hit.itemId }, find: query })}`,
        )
      }
    },
    [store, find, seek, router],
  )
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.shiftKey) return
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'f') return
      event.preventDefault()
      find.show()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [find])
  return <FindBar onHit={(hit) => void onHit(hit)} />
}
