'use client'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Distance from the end, in pixels, within which the view counts as being there. */
export const endDistance = 48
/** Long enough for what was opened to be measured. */
const holdMs = 600
/** A scroll event this soon after a person's wheel, finger or key is theirs. */
const intentMs = 700
const userScrolls = ['wheel', 'touchmove', 'pointerdown'] as const

const distanceToEnd = (element: HTMLElement): number =>
  element.scrollHeight - element.scrollTop - element.clientHeight

/** Keeps an element where it is on the screen while rows around it get their sizes; a scrolling person ends it. */
function keepInPlace(box: HTMLElement, target: Element, onEnd: () => void): () => void {
  const { top } = target.getBoundingClientRect()
  const until = performance.now() + holdMs
  let frame = 0
  const end = (): void => {
    cancelAnimationFrame(frame)
    for (const type of userScrolls) box.removeEventListener(type, end)
    onEnd()
  }
  const step = (): void => {
    if (!target.isConnected || performance.now() > until) {
      end()
      return
    }
    const moved = target.getBoundingClientRect().top - top
    if (Math.abs(moved) >= 1) box.scrollTop += moved
    frame = requestAnimationFrame(step)
  }
  for (const type of userScrolls) box.addEventListener(type, end, { passive: true })
  frame = requestAnimationFrame(step)
  return end
}

export type Follow = {
  box: RefObject<HTMLDivElement | null>
  inner: RefObject<HTMLDivElement | null>
  atEnd: boolean
  /** True for a moment after something was opened or closed: the view then stays where it is, even at the end. */
  holding: boolean
  toEnd: () => void
  /** Stops following: the view is led elsewhere. */
  leave: () => void
  hold: (target: Element) => void
  onScroll: () => void
}

/**
 * Follows the end of a growing list while a person is there: any change of the content's or the window's height scrolls
 * to the end, until the person scrolls away; only what a person does counts as scrolling away.
 */
export function useFollow(): Follow {
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const intentAt = useRef(0)
  const releaseHold = useRef<() => void>(undefined)
  const [atEnd, setAtEnd] = useState(true)
  const [holding, setHolding] = useState(false)

  const stick = useCallback(() => {
    const element = box.current
    if (!element) return
    if (following.current) element.scrollTop = element.scrollHeight
    else setAtEnd(distanceToEnd(element) < endDistance)
  }, [])

  useEffect(() => {
    const element = box.current
    if (!element || !inner.current) return
    const observer = new ResizeObserver(stick)
    observer.observe(element)
    observer.observe(inner.current)
    const intend = (): void => {
      intentAt.current = performance.now()
    }
    const events = [...userScrolls, 'keydown'] as const
    for (const type of events) element.addEventListener(type, intend, { passive: true })
    return () => {
      observer.disconnect()
      for (const type of events) element.removeEventListener(type, intend)
      releaseHold.current?.()
    }
  }, [stick])

  const toEnd = useCallback(() => {
    releaseHold.current?.()
    following.current = true
    setAtEnd(true)
    stick()
  }, [stick])

  const leave = useCallback(() => {
    releaseHold.current?.()
    following.current = false
    setAtEnd(false)
  }, [])

  const hold = useCallback((target: Element) => {
    if (!box.current) return
    following.current = false
    releaseHold.current?.()
    setHolding(true)
    releaseHold.current = keepInPlace(box.current, target, () => setHolding(false))
  }, [])

  const onScroll = useCallback(() => {
    const element = box.current
    if (!element) return
    const end = distanceToEnd(element) < endDistance
    if (end && !holding) following.current = true
    else if (performance.now() - intentAt.current < intentMs) following.current = false
    setAtEnd(end || following.current)
  }, [holding])

  return { box, inner, atEnd, holding, toEnd, leave, hold, onScroll }
}
