'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { keys } from '../../../client/query.ts'
import { importFile, type Sent } from '../../../client/rollout-import.ts'
import type { ErrorFact } from '../../../protocol/error.ts'
import { newId } from '../../../protocol/ids.ts'
import type { ImportState } from '../../../protocol/import.ts'

export type ImportPhase =
  | { type: 'choosing' }
  | { type: 'running'; file: File; sent: Sent; state: ImportState | null }
  | { type: 'done'; state: ImportState }
  | { type: 'failed'; error: ErrorFact; state: ImportState | null }

/** One import from the choice of its file to its report. Closing the dialog stops it. */
export function useImport() {
  const queries = useQueryClient()
  const [phase, setPhase] = useState<ImportPhase>({ type: 'choosing' })
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])

  const start = async (projectId: string, file: File): Promise<void> => {
    const abort = new AbortController()
    stop.current = abort
    setPhase({ type: 'running', file, sent: { sent: 0, total: file.size }, state: null })
    const change = (more: { sent?: Sent; state?: ImportState }): void =>
      setPhase((now) => (now.type === 'running' ? { ...now, ...more } : now))
    const { state, error } = await importFile(
      { projectId, importId: newId('imp'), file },
      (sent) => change({ sent }),
      (running) => change({ state: running }),
      abort.signal,
    )
    if (error !== null || state === null)
      setPhase({
        type: 'failed',
        state,
        error: error ?? {
          code: 'internal',
          message: 'The server did not answer.',
          next: 'Import the file again.',
        },
      })
    else setPhase({ type: 'done', state })
    await Promise.all([
      queries.invalidateQueries({ queryKey: keys.threads }),
      queries.invalidateQueries({ queryKey: ['rollouts'] }),
    ])
  }

  return {
    phase,
    start,
    stop: () => stop.current?.abort(),
    reset: () => setPhase({ type: 'choosing' }),
  }
}
