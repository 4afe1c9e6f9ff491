// One browser that watches a thread: at what moment each time that the model said is in the document, on the clock that
// the model reads.
import { chromium } from '@playwright/test'

const now = (): number => Number(process.hrtime.bigint()) / 1_000_000
const asked = 60

export type Screen = {
  /** Shows a thread; resolves when it can be watched. */
  show(url: string): Promise<void>
  /** What was said up to now, and when it came into the document; `off` is how far the clocks may be apart. */
  read(): Promise<{ lags: { lag: number; at: number }[]; off: number }>
  close(): Promise<void>
}

/** Cookies are of whoever may read the thread. */
export const openScreen = async (
  cookies: { name: string; value: string; url: string }[],
): Promise<Screen> => {
  const browser = await chromium.launch({
    ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
  })
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  await context.addCookies(cookies)
  const page = await context.newPage()

  /** What to add to the page's clock: the middle of the quickest answer is right within half its time. */
  const clock = async (): Promise<{ add: number; off: number }> => {
    let best = { add: 0, off: Number.POSITIVE_INFINITY }
    for (let time = 0; time < asked; time += 1) {
      const from = now()
      const there = await page.evaluate(() => performance.now())
      const to = now()
      if ((to - from) / 2 < best.off) best = { add: (from + to) / 2 - there, off: (to - from) / 2 }
    }
    return best
  }

  return {
    show: async (url) => {
      await page.goto(url)
      await page.getByTestId('thread-list').waitFor()
      await page.evaluate(() => {
        const seen = new Map<string, number>()
        Object.assign(window, { seenTimes: seen })
        const list = document.querySelector('[data-testid=thread-list]')
        if (!list) throw new Error('there is no list')
        new MutationObserver(() => {
          const at = performance.now()
          const rows = list.querySelectorAll('[data-row]')
          // What is written now is at the end; the last number may be half.
          const text = [...rows]
            .slice(-3)
            .map((row) => row.textContent ?? '')
            .join(' ')
            .slice(-4_000)
          for (const [said] of text.matchAll(/\d+\.\d{3}(?!\d)/g)) if (!seen.has(said)) seen.set(said, at)
        }).observe(list, { subtree: true, childList: true, characterData: true })
      })
    },
    read: async () => {
      const seen = await page.evaluate(() => [
        ...(window as unknown as { seenTimes: Map<string, number> }).seenTimes,
      ])
      const { add, off } = await clock()
      return { lags: seen.map(([said, at]) => ({ lag: at + add - Number(said), at: at + add })), off }
    },
    close: () => browser.close(),
  }
}
