'use client'
import { type RefObject, useEffect } from 'react'

const found = 'baton-found'
/** Characters that are looked through in one element, and places that are marked. */
const maxChars = 400_000
const maxMarks = 500

/** What a query looks for: itself, or each of its words. */
const wantedOf = (query: string, words: boolean): string[] =>
  (words ? (query.match(/[\p{L}\p{N}_]+/gu) ?? []) : [query]).filter((text) => text !== '')

function rangesIn(element: Element, wanted: readonly string[], words: boolean): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let left = maxChars
  for (let node = walker.nextNode(); node !== null && left > 0; node = walker.nextNode()) {
    const data = node.nodeValue ?? ''
    left -= data.length
    const text = words ? data.toLowerCase() : data
    for (const piece of wanted) {
      const needle = words ? piece.toLowerCase() : piece
      for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
        // Lower case may have another length; a mark beside its word is worse than none.
        if (at + needle.length > data.length || ranges.length >= maxMarks) break
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + needle.length)
        ranges.push(range)
      }
    }
  }
  return ranges
}

/**
 * Marks what is looked for in all that an element shows, without changing the document: the browser paints over ranges of
 * text. Where it cannot, nothing is marked.
 */
export function useHighlights(box: RefObject<Element | null>, query: string, words: boolean): void {
  useEffect(() => {
    const element = box.current
    if (element === null || query === '' || typeof Highlight === 'undefined') return
    const wanted = wantedOf(query, words)
    let frame = 0
    const mark = (): void => {
      CSS.highlights.set(found, new Highlight(...rangesIn(element, wanted, words)))
    }
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    })
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    mark()
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(found)
    }
  }, [box, query, words])
}
