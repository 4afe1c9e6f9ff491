// Long threads in a real browser: how soon the newest page stands there, how soon older ones come when one scrolls, and
// what it costs in rows, memory and bytes.
import { type CDPSession, chromium, type Page } from '@playwright/test'
import { figure, median, progress } from '../setup/figures.ts'
import { writeLongThread } from './parts/long-thread.ts'
import { startWholeApp } from './parts/whole-app.ts'

const sizes = [
  { events: 10_000, goal: 1_000 },
  { events: 100_000, goal: 2_000 },
]
const opens = 5
const pagesBack = 10
const maxRows = 60
const maxHeap = 300
const maxResponse = 1_000_000

type Seen = { openMs: number; scrollMs: number; rows: number; heapMb: number; largest: number }

/** Bytes of the largest answer, over HTTP or in one message of the socket. */
const watchSizes = async (cdp: CDPSession): Promise<() => number> => {
  let largest = 0
  await cdp.send('Network.enable')
  cdp.on('Network.webSocketFrameReceived', ({ response }) => {
    largest = Math.max(largest, Buffer.byteLength(response.payloadData))
  })
  return () => largest
}

const rowsIn = (page: Page): Promise<number> => page.locator('[data-testid=thread-list] [data-row]').count()

const open = async (page: Page, url: string): Promise<Seen> => {
  const cdp = await page.context().newCDPSession(page)
  const largest = await watchSizes(cdp)
  const from = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  // The newest answer is there, and a frame with it has been shown.
  await page.getByTestId('thread-list').getByText('The newest answer.').last().waitFor()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const openMs = performance.now() - from

  const scrolls: number[] = []
  let rows = await rowsIn(page)
  for (let back = 0; back < pagesBack; back += 1) {
    const took = await page.evaluate(async () => {
      const list = document.querySelector('[data-testid=thread-list]')
      if (!list) throw new Error('there is no list')
      const oldest = (): number =>
        Math.min(
          ...[...(list.textContent ?? '').matchAll(/Question (\d+)/g)].map(([, number]) => Number(number)),
        )
      const before = oldest()
      const began = performance.now()
      while (!(oldest() < before)) {
        if (performance.now() - began > 10_000) throw new Error(`nothing older than question ${before} came`)
        // The list follows its end until a person scrolls.
        list.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }))
        list.scrollTop = 0
        list.dispatchEvent(new Event('scroll'))
        await new Promise((done) => requestAnimationFrame(done))
      }
      return performance.now() - began
    })
    scrolls.push(took)
    rows = Math.max(rows, await rowsIn(page))
  }
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  await cdp.detach()
  return { openMs, scrollMs: Math.max(...scrolls), rows, heapMb: usedSize / 1_000_000, largest: largest() }
}

const app = await startWholeApp()
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
})
try {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  await context.addCookies(app.cookies)
  for (const { events, goal } of sizes) {
    progress(`writing ${events} events`)
    const threadId = await writeLongThread(app.store, app.projectId, app.userId, events)
    progress(`opening it ${opens} times`)
    const seen: Seen[] = []
    for (let time = 0; time <= opens; time += 1) {
      const page = await context.newPage()
      const result = await open(page, `${app.url}/threads/${threadId}`)
      await page.close()
      // The first visit compiles pages and scripts; a person has them after their first thread.
      if (time > 0) seen.push(result)
    }
    const name = `open.${events / 1_000}k`
    const most = (value: (each: Seen) => number): number => Math.max(...seen.map(value))
    const method = `Chromium, new tab each time, n = ${opens}`
    figure({
      name,
      value: median(seen.map(({ openMs }) => openMs)),
      unit: 'ms',
      goal: { atMost: goal },
      method: `address to the newest page painted, median; ${method}`,
    })
    figure({
      name: `${name}.scroll`,
      value: most(({ scrollMs }) => scrollMs),
      unit: 'ms',
      goal: { atMost: goal },
      method: `to the top of what is loaded until an older question is there; slowest of ${pagesBack * opens}`,
    })
    figure({
      name: `${name}.rows`,
      value: most(({ rows }) => rows),
      unit: 'rows',
      goal: { atMost: maxRows },
      method: 'most in the document, while scrolling too',
    })
    figure({
      name: `${name}.heap`,
      value: most(({ heapMb }) => heapMb),
      unit: 'MB',
      goal: { atMost: maxHeap },
      method: `JavaScript heap after ${pagesBack} older pages and a collection`,
    })
    figure({
      name: `${name}.response`,
      value: most(({ largest }) => largest),
      unit: 'bytes',
      goal: { atMost: maxResponse },
      method: 'largest message of the socket',
    })
  }
} finally {
  await browser.close()
  await app.stop()
}
