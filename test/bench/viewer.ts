// The rollout viewer in a real browser: how soon a rollout of any length can be used, whether it scrolls without strain from
// one end to the other, how soon a link and a word are found, and what it costs in rows, memory and bytes.
// Options: `--sizes 10000,100000` (events; default 10000,100000,340000).
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import pg from 'pg'
import { createIndexer } from '../../src/server/search/indexer.ts'
import { figure, median, progress } from '../setup/figures.ts'
import { seedRollout } from './parts/seed-rollout.ts'
import {
  arrived,
  ceiling,
  find,
  openRollout,
  openThread,
  scrollMs,
  scrollThrough,
  watchSizes,
} from './parts/viewer-page.ts'
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
/** Words that the rollout has often, seldom and not at all. */
const words = ['cache', 'upload-7', 'notinhere']

const { values } = parseArgs({ options: { sizes: { type: 'string' } } })
const sizes = (values.sizes?.split(',').map(Number) ?? goals.map(([events]) => events)).map((events) => ({
  events,
  goal: goals.find(([most]) => events <= most)?.[1] ?? goals.at(-1)?.[1] ?? 0,
}))
if (sizes.some(({ events }) => !Number.isInteger(events) || events < 1))
  throw new Error('--sizes takes whole numbers of events, for example 10000,100000')

const app = await startWholeApp()
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
})
const tab = app.tab()
const client = new pg.Client({ connectionString: app.databaseUrl })
/** Derives its rows, says how many they are, and forgets them again. */
const rowsOf = async (threadId: string): Promise<number> => {
  for (;;) {
    const { rows, seq, head } = await app.store.rollouts.derive(threadId, 20_000)
    if (seq < head) continue
    for (const table of ['RolloutRow', 'RolloutMark'])
      await client.query(`delete from "${table}" where "threadId" = $1`, [threadId])
    await client.query('vacuum "RolloutRow"')
    return rows
  }
}

try {
  await client.connect()
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

    const expected = { rows: await rowsOf(threadId), word: words[0] ?? '' }
    progress(`opening it: ${expected.rows} rows`)
    const page = await context.newPage()
    const cold = await openRollout(page, url, expected)
    progress('indexing what it says')
    await createIndexer(app.store).catchUp(threadId, () => false)
    progress('opening it again')
    const warm: (typeof cold)[] = []
    for (let time = 0; time < opens; time += 1) {
      const again = await context.newPage()
      warm.push(await openRollout(again, url, expected))
      await again.close()
    }
    const usable = 'address to rows painted, newest row reached and find answered, new tab'
    figure({
      name: `${name}.cold`,
      value: cold.usableMs,
      unit: 'ms',
      goal: { atMost: goal },
      method: `${usable}; nothing of it was ever derived or indexed, n = 1`,
    })
    figure({
      name: `${name}.cold.rows`,
      value: cold.rowsMs,
      unit: 'ms',
      method: 'of it until the first rows are painted',
    })
    figure({
      name: `${name}.cold.newest`,
      value: cold.newestMs,
      unit: 'ms',
      method: 'of it until the newest row is painted',
    })
    figure({
      name: `${name}.warm`,
      value: median(warm.map(({ usableMs }) => usableMs)),
      unit: 'ms',
      goal: { atMost: goal },
      method: `${usable}; median of ${opens}`,
    })
    figure({
      name: `${name}.warm.newest`,
      value: median(warm.map(({ newestMs }) => newestMs)),
      unit: 'ms',
      method: 'of it until the newest row is painted',
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
    await openRollout(viewer, url, expected)
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
      goal: { atMost: linkGoal },
      method: `the same in a new tab, loading of the page included; median of ${links}`,
    })

    progress('finding')
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
        method: `oldest 20 and their number, through the socket; median of ${opens}`,
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

    progress('opening its thread')
    const threads: Awaited<ReturnType<typeof openThread>>[] = []
    let threadLargest = 0
    for (let time = 0; time <= opens; time += 1) {
      const page = await context.newPage()
      const seen = await watchSizes(await context.newCDPSession(page))
      const opened = await openThread(page, `${app.url}/threads/${threadId}`)
      // The first visit of any thread compiles its page and scripts.
      if (time > 0) threads.push(opened)
      threadLargest = Math.max(threadLargest, seen())
      await page.close()
    }
    figure({
      name: `${name}.thread`,
      value: median(threads.map(({ ms }) => ms)),
      unit: 'ms',
      goal: { atMost: goal },
      method: `address of the thread to its newest rows painted, new tab; median of ${opens}`,
    })
    figure({
      name: `${name}.thread.rows`,
      value: Math.max(...threads.map(({ rows }) => rows)),
      unit: 'rows',
      goal: { atMost: maxRows },
      method: 'in the document then',
    })
    figure({
      name: `${name}.thread.response`,
      value: threadLargest,
      unit: 'bytes',
      goal: { atMost: maxResponse },
      method: 'largest answer over HTTP, or message of the socket',
    })
  }
} finally {
  await client.end()
  await tab.close()
  await browser.close()
  await app.stop()
}
