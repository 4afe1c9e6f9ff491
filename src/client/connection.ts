/**
 * What a person is told about the socket: one small store beside it. Offline is what the browser says or what repeated
 * failures say; a first connection that is still opening is `connecting`.
 */
import { create } from 'zustand'
import type { ConnectionStatus } from '../protocol/thread.ts'
import { socketState } from './api.ts'

type Connection = { status: Exclude<ConnectionStatus, 'catching_up'>; since: number }

export const useConnection = create<Connection>(() => ({ status: 'connecting', since: Date.now() }))

const change = (status: Connection['status']): void => {
  if (useConnection.getState().status !== status) useConnection.setState({ status, since: Date.now() })
}

if (typeof window !== 'undefined') {
  let wasLive = false
  socketState.subscribe({
    next: (state) => {
      if (state.state === 'pending') {
        wasLive = true
        change('live')
      } else if (state.state === 'connecting' && (state.error || wasLive || !navigator.onLine))
        change('offline')
      else if (state.state === 'connecting') change('connecting')
    },
  })
  window.addEventListener('offline', () => change('offline'))
  window.addEventListener('online', () => {
    if (socketState.get().state === 'pending') change('live')
  })
}
