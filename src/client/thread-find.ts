/**
 * Find within one thread: the server looks, here is only kept which hit one stands on. Hits are in the order of the log.
 * It knows no screen.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { SearchHit, SearchMode } from '../protocol/history.ts'
import { api, factOf } from './api.ts'

export type FindState = {
  open: boolean
  /** Counts how often a person asked for find; a link that opens it does not take the focus. */
  wished: number
  query: string
  mode: SearchMode
  hits: SearchHit[]
  /** How many there are; `more` = there are more than were counted. */
  count: number
  more: boolean
  cursor: string | null
  /** The hit one stands on; -1 = none yet. */
  at: number
  status: 'idle' | 'looking' | 'done' | 'failed'
  error: string | null
}

export type FindStore = StoreApi<FindState> & {
  show(): void
  hide(): void
  ask(query: string, mode: SearchMode): void
  /** The hit after or before the one one stands on, around the ends. */
  step(by: 1 | -1): Promise<SearchHit | null>
  /** Stands on a hit. */
  stand(at: number): SearchHit | null
}

const pageHits = 100
/** Typing is waited for. */
const askAfterMs = 120

export const noFind: FindState = {
  open: false,
  wished: 0,
  query: '',
  mode: 'words',
  hits: [],
  count: 0,
  more: false,
  cursor: null,
  at: -1,
  status: 'idle',
  error: null,
}

export function createFindStore(threadId: string, first: Partial<FindState> = {}): FindStore {
  const store = createStore<FindState>(() => ({ ...noFind, ...first }))
  const { getState, setState } = store
  let timer: ReturnType<typeof setTimeout> | undefined
  let controller: AbortController | undefined

  const read = async (cursor: string | null, signal: AbortSignal) => {
    const { query, mode } = getState()
    return api.history.search.query(
      {
        threadId,
        text: query,
        mode,
        order: 'oldest',
        limit: pageHits,
        count: cursor === null,
        ...(cursor === null ? {} : { cursor }),
      },
      { signal },
    )
  }

  const look = async (fallBack: boolean): Promise<void> => {
    controller?.abort()
    controller = new AbortController()
    const { signal } = controller
    setState({ status: 'looking', error: null })
    try {
      const answer = await read(null, signal)
      if (signal.aborted) return
      // A piece of a word is no word: what finds nothing as words is looked for as it is written.
      if (answer.entries.length === 0 && fallBack && getState().mode === 'words') {
        setState({ mode: 'literal' })
        await look(false)
        return
      }
      setState({
        hits: answer.entries,
        cursor: answer.cursor,
        count: answer.count?.events ?? answer.entries.length,
        more: answer.count?.more ?? answer.cursor !== null,
        at: -1,
        status: 'done',
      })
    } catch (error) {
      if (!signal.aborted) setState({ status: 'failed', error: factOf(error).message })
    }
  }

  return Object.assign(store, {
    show: () => setState({ open: true, wished: getState().wished + 1 }),
    hide() {
      clearTimeout(timer)
      controller?.abort()
      setState({ ...noFind, mode: getState().mode })
    },
    ask(query: string, mode: SearchMode) {
      clearTimeout(timer)
      controller?.abort()
      setState({ query, mode, open: true })
      if (query.trim() === '')
        setState({ hits: [], count: 0, more: false, cursor: null, at: -1, status: 'idle' })
      else timer = setTimeout(() => void look(true), askAfterMs)
    },
    async step(by: 1 | -1) {
      const { hits, at, cursor } = getState()
      if (hits.length === 0) return null
      if (by === 1 && at === hits.length - 1 && cursor !== null) {
        controller = new AbortController()
        const answer = await read(cursor, controller.signal).catch(() => null)
        if (answer !== null)
          setState({ hits: [...getState().hits, ...answer.entries], cursor: answer.cursor })
      }
      const { length } = getState().hits
      const next = at < 0 ? (by === 1 ? 0 : length - 1) : (at + by + length) % length
      setState({ at: next })
      return getState().hits[next] ?? null
    },
    stand(at: number) {
      setState({ at })
      return getState().hits[at] ?? null
    },
  } satisfies Omit<FindStore, keyof StoreApi<FindState>>)
}
