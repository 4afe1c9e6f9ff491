// How much of what is large stands in the document, and whether the page still answers.
import { expect, type Page } from '@playwright/test'

/** `longest`: characters of the longest text node. Shadow trees count too. */
export type PageSize = { elements: number; chars: number; longest: number; rows: number }

export const sizeOf = (page: Page): Promise<PageSize> =>
  page.evaluate(() => {
    const size = { elements: 0, chars: 0, longest: 0, rows: document.querySelectorAll('[data-row]').length }
    const count = (root: Node): void => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (node instanceof Text) {
          size.chars += node.data.length
          size.longest = Math.max(size.longest, node.data.length)
        } else if (node instanceof Element) {
          size.elements += 1
          if (node.shadowRoot !== null) count(node.shadowRoot)
        }
      }
    }
    count(document.body)
    return size
  })

/** A key that is pressed arrives, and a frame is drawn after it: the page is not busy with something without an end. */
export const expectLively = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    const state = window as unknown as { pressed: number }
    state.pressed = 0
    window.addEventListener('keydown', () => requestAnimationFrame(() => (state.pressed += 1)), {
      once: true,
      capture: true,
    })
  })
  await page.keyboard.press('Shift')
  await expect.poll(() => page.evaluate(() => (window as unknown as { pressed: number }).pressed)).toBe(1)
}
