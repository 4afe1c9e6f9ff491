// The rollout viewer in a real browser: how soon a rollout of any length can be used, whether it scrolls without strain from
// one end to the other, how soon a link and a word are found, and what it costs in rows, memory and bytes.
// Options: `--sizes 10000,100000` (events; default 10000,100000,340000).
import { parseArgs } from 'node:util'
import { type CDPSession, chromium, type Page } from '@playwright/test'
import { figure, median, progress } from '../setup/figures.ts'
import { seedRollout } from './parts/seed-rollout.ts'
import { startWholeApp } from './parts/whole-app.ts'

/** Milliseconds to be usable, by events. */
const goals: readonly (readonly [events: number, ms: number])[] = [
  [10_000, 1_000],
  [100_000, 2_000],
  [340_000, 3_000],
]
const wantedFrames = 50
const longestTask = 200
const maxRows = 60
const maxHeap = 300
const maxResponse = 1_000_000
const linkGoal = 500
const searchGoal = 100
const screenGoal = 300
const opens = 3
const links = 6
/** How long it is scrolled from the first row to the last. */
const scrollMs = 12_000
/** Words that the rollout has often, seldom and not at all. */
const words = ['cache', 'upload-7', 'notinhere']

type Scrolled = { framesPerSecond: number; longestTask: number; rows: number }

const { values } = parseArgs({ options: { sizes: { type: 'string' } } })
const sizes = (values.sizes?.split(',').map(Number) ?? goals.map(([events]) => events)).map((events) => ({
  events,
  goal: goals.find(([most]) => events <= most)?.[1] ?? goals.at(-1)?.[1] ?? 0,
}))
if (sizes.some(({ events }) => !Number.isInteger(events) || events < 1))
  throw new Error('--sizes takes whole numbers of events, for example 10000,100000')

/** Bytes of the largest answer, over HTTP or in one message of the socket; scripts and styles of the app do not count. */
const watchSizes = async (cdp: CDPSession): Promise<() => number> => {
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
const find = async (page: Page, word: string): Promise<number> => {
  const field = page.locator('search input')
  await field.fill('')
  const from = performance.now()
  await field.fill(word)
  await page.waitForFunction(() => {
    const said = document.querySelector('search [role=status]')?.textContent ?? ''
    return /\d|No |Nothing/.test(said)
  })
  await frames(page)
  return performance.now() - from
}

/** From the address to: its rows are there; and to: its newest row stands there and find has answered. */
const open = async (page: Page, url: string): Promise<{ rowsMs: number; usableMs: number }> => {
  const from = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await painted(page)
  const rowsMs = performance.now() - from
  await page.keyboard.press('G')
  await page.waitForFunction(() => {
    const last = [...document.querySelectorAll('[data-testid=rollout-rows] [role=option]')].at(-1)
    if (!last || last.getAttribute('data-row') === 'loading') return false
    return last.getAttribute('aria-posinset') === last.getAttribute('aria-setsize')
  })
  await page.keyboard.press('/')
  await status(page).waitFor({ state: 'attached' })
  await find(page, words[0] ?? '')
  return { rowsMs, usableMs: performance.now() - from }
}

/** Scrolls from the first row to the last, a little at each frame, as fast as makes `scrollMs` of it. */
const scrollThrough = (page: Page): Promise<Scrolled> =>
  page.evaluate(
    async ({ scrollMs }) => {
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
    },
    { scrollMs },
  )

/** Frames per second of a page in which one small thing moves: what this machine can show at best. */
const ceiling = async (page: Page): Promise<number> => {
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
const arrived = async (page: Page, idx: number): Promise<void> => {
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

const app = await startWholeApp()
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
})
const tab = app.tab()
try {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  await context.addCookies(app.cookies)
  const empty = await context.newPage()
  const most = await ceiling(empty)
  await empty.close()
  figure({
    name: 'viewer.ceiling',
    value: most,
    unit: 'frames/s',
    method: 'an empty page, one box moves, 3 s',
  })

  for (const { events, goal } of sizes) {
    progress(`writing ${events} events`)
    const { threadId } = await seedRollout(app.store, {
      projectId: app.projectId,
      ownerId: app.userId,
      events,
    })
    const url = `${app.url}/threads/${threadId}/rollout`
    const name = `viewer.${events / 1_000}k`
    // Scripts and pages are there after a person's first visit of any rollout.
    if (events === sizes[0]?.events) {
      const first = await context.newPage()
      await first.goto(`${app.url}/rollouts`)
      await first.getByRole('heading').first().waitFor()
      await first.close()
    }

    progress('opening it')
    const page = await context.newPage()
    const cold = await open(page, url)
    const warm: { rowsMs: number; usableMs: number }[] = []
    for (let time = 0; time < opens; time += 1) {
      const again = await context.newPage()
      warm.push(await open(again, url))
      await again.close()
    }
    const usable = 'address to rows painted, newest row reached and find answered, new tab'
    figure({
      name: `${name}.cold`,
      value: cold.usableMs,
      unit: 'ms',
      goal: { atMost: goal },
      method: `${usable}; nothing of it was ever derived, n = 1`,
    })
    figure({
      name: `${name}.cold.rows`,
      value: cold.rowsMs,
      unit: 'ms',
      method: 'of it until the first rows are painted',
    })
    figure({
      name: `${name}.warm`,
      value: median(warm.map(({ usableMs }) => usableMs)),
      unit: 'ms',
      goal: { atMost: goal },
      method: `${usable}; median of ${opens}`,
    })
    figure({
      name: `${name}.warm.rows`,
      value: median(warm.map(({ rowsMs }) => rowsMs)),
      unit: 'ms',
      method: 'of it until the first rows are painted',
    })

    progress('scrolling through it')
    await page.close()
    const viewer = await context.newPage()
    const cdp = await context.newCDPSession(viewer)
    const largest = await watchSizes(cdp)
    await open(viewer, url)
    await viewer.keyboard.press('Escape')
    const scrolled = await scrollThrough(viewer)
    figure({
      name: `${name}.frames`,
      value: scrolled.framesPerSecond,
      unit: 'frames/s',
      goal: { atLeast: Math.min(wantedFrames, most) },
      method: `first row to last in ${scrollMs / 1_000} s; the goal is ${wantedFrames} or what an empty page reaches`,
    })
    figure({
      name: `${name}.longest-task`,
      value: scrolled.longestTask,
      unit: 'ms',
      goal: { atMost: longestTask },
      method: 'longest task of the main thread on the way (tasks under 50 ms are not told)',
    })
    figure({
      name: `${name}.rows`,
      value: scrolled.rows,
      unit: 'rows',
      goal: { atMost: maxRows },
      method: 'most in the document on the way',
    })

    progress('following links')
    const { total = 0 } = await tab.api.rollout.rows.query({ threadId, limit: 1 })
    const inTab: number[] = []
    const withLoad: number[] = []
    for (let at = 0; at < links; at += 1) {
      const from = Math.floor((total * (at + 0.5)) / links)
      const [row] = (await tab.api.rollout.rows.query({ threadId, from, limit: 1 })).rows
      if (!row) throw new Error(`there is no row ${from}`)
      const link = `${url}?e=${row.seq}`
      const began = performance.now()
      await viewer.evaluate((to) => {
        history.pushState(null, '', to)
        dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
      }, link)
      await arrived(viewer, row.idx)
      inTab.push(performance.now() - began)
      const other = await context.newPage()
      const loading = performance.now()
      await other.goto(link, { waitUntil: 'commit' })
      await arrived(other, row.idx)
      withLoad.push(performance.now() - loading)
      await other.close()
    }
    figure({
      name: `${name}.link`,
      value: median(inTab),
      unit: 'ms',
      goal: { atMost: linkGoal },
      method: `link to an event anywhere until its row is selected and in view, in the open tab; median of ${links}, slowest ${Math.round(Math.max(...inTab))}`,
    })
    figure({
      name: `${name}.link.with-page`,
      value: median(withLoad),
      unit: 'ms',
      method: `the same in a new tab, loading of the page included; median of ${links}`,
    })

    progress('finding')
    await tab.api.history.search.query({ threadId, text: words[0] ?? '', mode: 'words' })
    await viewer.keyboard.press('/')
    for (const word of words) {
      const atServer: number[] = []
      const onScreen: number[] = []
      for (let time = 0; time < opens; time += 1) {
        const began = performance.now()
        await tab.api.history.search.query({
          threadId,
          text: word,
          mode: 'words',
          order: 'oldest',
          count: true,
        })
        atServer.push(performance.now() - began)
        onScreen.push(await find(viewer, word))
      }
      figure({
        name: `${name}.search.${word}`,
        value: median(atServer),
        unit: 'ms',
        goal: { atMost: searchGoal },
        method: `newest 20 through the socket; median of ${opens}`,
      })
      figure({
        name: `${name}.search.${word}.screen`,
        value: median(onScreen) - median(atServer),
        unit: 'ms',
        goal: { atMost: screenGoal },
        method: 'more from the last letter typed to the count on the screen',
      })
    }
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = await cdp.send('Runtime.getHeapUsage')
    figure({
      name: `${name}.heap`,
      value: usedSize / 1_000_000,
      unit: 'MB',
      goal: { atMost: maxHeap },
      method: 'JavaScript heap after all of this and a collection',
    })
    figure({
      name: `${name}.response`,
      value: largest(),
      unit: 'bytes',
      goal: { atMost: maxResponse },
      method: 'largest answer over HTTP, or message of the socket',
    })
    await viewer.close()
  }
} finally {
  await tab.close()
  await browser.close()
  await app.stop()
}
