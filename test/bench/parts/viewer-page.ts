// What the benchmark of the rollout viewer does in a page, and how it sees that it is done.
import type { CDPSession, Page } from '@playwright/test'

/** How long a rollout is scrolled from the first row to the last. */
export const scrollMs = 12_000

type Scrolled = { framesPerSecond: number; longestTask: number; rows: number }

/** Bytes of the largest answer, over HTTP or in one message of the socket; scripts and styles of the app do not count. */
export const watchSizes = async (cdp: CDPSession): Promise<() => number> => {
  let largest = 0
  const kinds = new Map<string, string>()
  await cdp.send('Network.enable')
  cdp.on('Network.webSocketFrameReceived', ({ response }) => {
    largest = Math.max(largest, Buffer.byteLength(response.payloadData))
  })
  cdp.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type))
  cdp.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (/^(XHR|Fetch|Document)$/.test(kinds.get(requestId) ?? '')) largest = Math.max(largest, dataLength)
  })
  return () => largest
}

const frames = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  )

const painted = async (page: Page): Promise<void> => {
  await page.locator('[data-testid=rollout-rows] [role=option]:not([data-row=loading])').first().waitFor()
  await frames(page)
}

const status = (page: Page) => page.locator('search [role=status]')

/** Types into the open find and waits for how many places have it. */
export const find = async (page: Page, word: string): Promise<number> => {
  const field = page.locator('search input')
  await field.fill('')
  const from = performance.now()
  await field.fill(word)
  await page.waitForFunction(() => {
    const said = document.querySelector('search [role=status]')?.textContent ?? ''
    return /\d|nothing/.test(said)
  })
  await frames(page)
  return performance.now() - from
}

/** From the address to: its rows are there; and to: the newest of its `rows` stands there and find has answered. */
export const openRollout = async (
  page: Page,
  url: string,
  { rows, word }: { rows: number; word: string },
): Promise<{ rowsMs: number; newestMs: number; usableMs: number }> => {
  const from = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await painted(page)
  const rowsMs = performance.now() - from
  await page.keyboard.press('G')
  await page.waitForFunction(
    (wanted) => {
      const last = [...document.querySelectorAll('[data-testid=rollout-rows] [role=option]')].at(-1)
      return (
        last?.getAttribute('data-row') !== 'loading' && last?.getAttribute('aria-posinset') === `${wanted}`
      )
    },
    rows,
    { timeout: 120_000 },
  )
  await frames(page)
  const newestMs = performance.now() - from
  await page.keyboard.press('/')
  await status(page).waitFor({ state: 'attached' })
  await find(page, word)
  return { rowsMs, newestMs, usableMs: performance.now() - from }
}

/** From the address of a thread to: its newest rows are painted; and how many rows that are. */
export const openThread = async (page: Page, url: string): Promise<{ ms: number; rows: number }> => {
  const from = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(() => {
    const list = document.querySelector('[data-testid=thread-list]')
    const last = list && [...list.querySelectorAll('[data-row]')].at(-1)
    if (!list || !last) return false
    const [place, box] = [last.getBoundingClientRect(), list.getBoundingClientRect()]
    return place.height > 0 && place.top < box.bottom
  })
  await frames(page)
  const ms = performance.now() - from
  return { ms, rows: await page.locator('[data-testid=thread-list] [data-row]').count() }
}

/** Scrolls from the first row to the last, a little at each frame, as fast as makes `scrollMs` of it. */
export const scrollThrough = (page: Page): Promise<Scrolled> =>
  page.evaluate(async (scrollMs) => {
    const list = document.querySelector('[data-testid=rollout-rows]')
    if (!list) throw new Error('there is no list')
    let longest = 0
    const observer = new PerformanceObserver((entries) => {
      for (const { duration } of entries.getEntries()) longest = Math.max(longest, duration)
    })
    observer.observe({ type: 'longtask' })
    list.scrollTop = 0
    await new Promise((done) => setTimeout(done, 500))
    longest = 0
    const began = performance.now()
    let count = 0
    let rows = 0
    for (;;) {
      const at = (performance.now() - began) / scrollMs
      list.scrollTop = Math.min(1, at) * (list.scrollHeight - list.clientHeight)
      await new Promise((done) => requestAnimationFrame(done))
      count += 1
      if (count % 10 === 0) rows = Math.max(rows, list.querySelectorAll('[role=option]').length)
      if (at >= 1) break
    }
    const seconds = (performance.now() - began) / 1_000
    observer.takeRecords().forEach(({ duration }) => {
      longest = Math.max(longest, duration)
    })
    observer.disconnect()
    return { framesPerSecond: count / seconds, longestTask: longest, rows }
  }, scrollMs)

/** Frames per second of a page in which one small thing moves: what this machine can show at best. */
export const ceiling = async (page: Page): Promise<number> => {
  await page.setContent('<div style="position:absolute;width:20px;height:20px;background:red"></div>')
  return page.evaluate(async () => {
    const box = document.querySelector('div')
    const began = performance.now()
    let count = 0
    while (performance.now() - began < 3_000) {
      if (box) box.style.transform = `translateX(${count % 500}px)`
      await new Promise((done) => requestAnimationFrame(done))
      count += 1
    }
    return (count * 1_000) / (performance.now() - began)
  })
}

/** Until the row that a link names is selected and seen. */
export const arrived = async (page: Page, idx: number): Promise<void> => {
  await page.waitForFunction((wanted) => {
    const row = document.querySelector(
      `[data-testid=rollout-rows] [data-idx="${wanted}"][aria-selected=true]`,
    )
    const list = document.querySelector('[data-testid=rollout-rows]')?.getBoundingClientRect()
    const place = row?.getBoundingClientRect()
    return list && place && place.top >= list.top - 1 && place.bottom <= list.bottom + 1
  }, idx)
  await frames(page)
}
