'use client'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { useMe } from '../../../client/query.ts'
import { setAside } from '../../../client/reviews.ts'
import { type ReviewHeap, type ReviewLine, reviewHeaps } from '../../../protocol/review.ts'
import { comparePath } from '../compare/compare-button.tsx'

const inField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const isElsewhere = (): boolean => document.querySelector('[role=dialog], [role=menu]') !== null

/** Keys of the queue: j k move, Enter opens, s sets aside, x marks one of two to compare, [ ] change the heap. */
export function useQueueKeys(
  lines: readonly ReviewLine[],
  heap: ReviewHeap,
  choose: (heap: ReviewHeap) => void,
): { at: number; marked: string[]; setAt: (at: number) => void; toggle: (threadId: string) => void } {
  const router = useRouter()
  const me = useMe().data?.user?.id
  const [wanted, setAt] = useState(0)
  const [marked, setMarked] = useState<string[]>([])
  const at = Math.max(0, Math.min(wanted, lines.length - 1))

  const toggle = (threadId: string): void => {
    const next = marked.includes(threadId)
      ? marked.filter((each) => each !== threadId)
      : [...marked, threadId]
    const [a, b] = next
    setMarked(next.slice(-2))
    if (a !== undefined && b !== undefined) router.push(comparePath(a, b))
  }

  useEffect(() => {
    let afterG = 0
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.metaKey || event.ctrlKey || event.altKey)
        return
      if (inField(event.target) || isElsewhere()) return
      // The second key of a way to another screen is not ours.
      if (event.key === 'g') {
        afterG = Date.now()
        return
      }
      if (Date.now() - afterG < 1_000) return
      const line = lines[at]
      const move = (by: number): void => {
        const next = Math.max(0, Math.min(lines.length - 1, at + by))
        setAt(next)
        document
          .querySelector(`[data-queue-line="${lines[next]?.threadId}"]`)
          ?.scrollIntoView({ block: 'nearest' })
      }
      const turn = (by: number): void => {
        const next = reviewHeaps[reviewHeaps.indexOf(heap) + by]
        if (next !== undefined) choose(next)
      }
      const key = event.key === 'ArrowDown' ? 'j' : event.key === 'ArrowUp' ? 'k' : event.key
      const actions: Record<string, () => void> = {
        j: () => move(1),
        k: () => move(-1),
        '[': () => turn(-1),
        ']': () => turn(1),
        ...(line === undefined
          ? {}
          : {
              o: () => router.push(`/threads/${line.threadId}/rollout`),
              s: () => void setAside(line.threadId, me),
              x: () => toggle(line.threadId),
            }),
      }
      const onLink = event.target instanceof HTMLElement && event.target.closest('a, button') !== null
      if (event.key === 'Enter' && !onLink && line !== undefined) actions.o?.()
      else if (actions[key] !== undefined) actions[key]?.()
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  })

  return { at, marked, setAt, toggle }
}
