/**
 * Who sees a thread and who is there, as the server says it at each change, and what a person may change of it. It knows
 * nothing of the thread's content.
 */
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import {
  isAtLeast,
  type PresentPerson,
  type SharedRole,
  type ThreadRole,
  type ThreadSharing,
} from '../protocol/access.ts'
import { api, type Inputs } from './api.ts'
import { useMe } from './query.ts'
import { useThread, useThreadStore } from './use-thread.ts'

/** Nothing is asked of a thread for longer than this between two signals of writing; the server forgets one after 6 s. */
const typingEveryMs = 2_500

/** The reader's role on the open thread; null until it is known. */
export const useThreadRole = (): ThreadRole | null => useThread((state) => state.role)

/** Whether the reader's role is at least this; the server asks again at each call. */
export const useMay = (least: ThreadRole): boolean => useThread((state) => isAtLeast(state.role, least))

export const useSharing = (): ThreadSharing | null => useThread((state) => state.sharing)

/** Whether anybody but its owner may see the thread. */
export const isShared = (sharing: ThreadSharing | null): boolean =>
  sharing !== null && (sharing.people.length > 1 || sharing.teamRole !== null)

const nobody: PresentPerson[] = []

/** The others who have the thread open. */
export function useOthersHere(): PresentPerson[] {
  const me = useMe().data?.user?.id
  const present = useThread((state) => state.present)
  const others = present.filter(({ userId }) => userId !== me)
  return others.length === 0 ? nobody : others
}

type SharingChange =
  | { type: 'share'; userId: string; role: SharedRole | null }
  | { type: 'team'; role: SharedRole | null }
  | { type: 'handOver'; toUserId: string; keep: SharedRole | null }
  | { type: 'leave' }

const send = (threadId: string, change: SharingChange): Promise<ThreadSharing | null> => {
  switch (change.type) {
    case 'share':
      return api.sharing.share.mutate({ threadId, userId: change.userId, role: change.role })
    case 'team':
      return api.sharing.shareWithTeam.mutate({ threadId, role: change.role })
    case 'handOver': {
      const input: Inputs['sharing']['handOver'] = {
        ...{ threadId, toUserId: change.toUserId, keep: change.keep },
      }
      return api.sharing.handOver.mutate(input)
    }
    case 'leave':
      return api.sharing.leave.mutate({ threadId })
  }
}

/** Changes who sees the open thread. The answer is null when that is not the reader any more. */
export function useChangeSharing() {
  const store = useThreadStore()
  return useMutation({
    mutationFn: (change: SharingChange) => send(store.getState().threadId, change),
    onSuccess: (sharing) => {
      if (sharing !== null) store.setState({ sharing, role: sharing.role })
    },
  })
}

/**
 * Tells the others that something is being written: at most every few seconds, and only while somebody is there to see it.
 * The function takes whether there is text.
 */
export function useTypingSignal(): (writing: boolean) => void {
  const threadId = useThread((state) => state.threadId)
  const isSeen = useOthersHere().length > 0
  const sent = useRef({ typing: false, at: 0 })
  const tell = useCallback(
    (typing: boolean) => {
      sent.current = { typing, at: Date.now() }
      // Who is not told that somebody writes has missed nothing.
      api.sharing.typing.mutate({ threadId, typing }).catch(() => undefined)
    },
    [threadId],
  )
  useEffect(
    () => () => {
      if (sent.current.typing) tell(false)
    },
    [tell],
  )
  return useCallback(
    (writing) => {
      const { typing, at } = sent.current
      if (!writing && typing) tell(false)
      if (writing && isSeen && (!typing || Date.now() - at > typingEveryMs)) tell(true)
    },
    [isSeen, tell],
  )
}
