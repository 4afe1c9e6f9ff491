// What journeys through hostile texts share: a server of their own that is full of them, and a watch over the browser that
// tells everything a text must never do, with the payload that did it.
import { randomBytes } from 'node:crypto'
import type { BrowserContext, Page } from '@playwright/test'
import { createStore } from '../../src/server/store/store.ts'
import type { Store } from '../../src/server/store/types.ts'
import { canary, corpus, foreignHost, tellPayload } from '../../test/hostile/corpus.ts'
import { type Hostile, seedHostileNames, seedHostileThread } from '../../test/hostile/seed.ts'
import { test as base, expect } from './baton.ts'
import { inspectPage } from './hostile-page.ts'

export type Seeded = Hostile & { store: Store; ownerId: string }

/** What happened since it was last asked for, in words that name the payload. */
export type Watch = {
  /** Fails, without ending the test, when anything happened that must not; `place` is what was shown. */
  expectQuiet(place: string): Promise<void>
  /** The same, but for so many downloads, which are wanted. */
  expectDownloads(place: string, count: number): Promise<void>
}

const numberIn = (text: string): string => {
  const number = new RegExp(`p(\\d+)\\.${foreignHost}|${canary}\\((\\d+)\\)`).exec(text)
  return number === null ? '' : `: ${tellPayload(Number(number[1] ?? number[2]))}`
}

const watchOver = async (context: BrowserContext, own: string): Promise<Watch> => {
  const happened: string[] = []
  const note = (what: string): void => {
    if (happened.length < 200) happened.push(what)
  }
  const pages: Page[] = []
  await context.exposeFunction(canary, (id: unknown) => note(`script ran: ${tellPayload(Number(id))}`))
  await context.exposeFunction('hostileTell', (what: string) => note(`${what}${numberIn(what)}`))
  await context.addInitScript(inspectPage, { own })
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${own}/`) && !/^(data|blob|file):/.test(url))
      note(`asked for ${url}${numberIn(url)}`)
  })
  const look = (page: Page): void => {
    pages.push(page)
    if (pages.length > 1 && page.url() !== 'about:blank') note(`opened a page: ${page.url()}`)
    page.on('dialog', (dialog) => {
      note(`dialog: ${dialog.message()}${numberIn(dialog.message())}`)
      void dialog.dismiss()
    })
    page.on('popup', (popup) => note(`opened a window: ${popup.url()}`))
    page.on('download', (download) => note(`began a download: ${download.url()}`))
    page.on('websocket', (socket) => {
      if (new URL(socket.url()).host !== new URL(own).host) note(`opened a socket to ${socket.url()}`)
    })
    page.on('framenavigated', (frame) => {
      const url = frame.url()
      if (frame !== page.mainFrame()) note(`a frame shows ${url}`)
      else if (!url.startsWith(own) && !/^(about:blank|file:)/.test(url))
        note(`went to ${url}${numberIn(url)}`)
    })
    page.on('pageerror', (error) => note(`the page broke: ${error.message}`))
    page.on('console', (message) => {
      // What React and the translations say of what they could not draw.
      if (
        /React error|INVALID_MESSAGE|INSUFFICIENT_PATH|FORMATTING_ERROR|MISSING_MESSAGE/.test(message.text())
      )
        note(`the page says: ${message.text().slice(0, 400)}`)
    })
  }
  context.pages().forEach(look)
  context.on('page', look)
  const isDownload = (what: string): boolean => what.startsWith('began a download')
  const watch: Watch = {
    expectQuiet: async (place) => {
      for (const page of pages) {
        if (page.isClosed() || page.url().startsWith('file:')) continue
        const title = await page.title()
        if (title !== '' && !/(^| · )Baton$/.test(title)) note(`the title is ${title}`)
      }
      expect.soft(happened.splice(0), place).toEqual([])
    },
    expectDownloads: async (place, count) => {
      await expect.poll(() => happened.filter(isDownload).length).toBe(count)
      happened.splice(0, happened.length, ...happened.filter((what) => !isDownload(what)))
      await watch.expectQuiet(place)
    },
  }
  return watch
}

export const test = base.extend<{ watch: Watch }, { seeded: Seeded }>({
  seeded: [
    async ({ baton, state }, use) => {
      // The session is what makes the owner; the store is the server's own, past it.
      expect(state.cookies.length).toBeGreaterThan(0)
      const store = createStore({ databaseUrl: baton.app.databaseUrl, secretKey: randomBytes(32) })
      const ownerId = (await store.members.list())[0]?.userId ?? ''
      const project = await store.projects.create({ name: 'Hostile' }, ownerId)
      await seedHostileNames(store, { ownerId, payloads: corpus })
      const thread = await seedHostileThread(store, { ownerId, projectId: project.id, payloads: corpus })
      await use({ ...thread, store, ownerId })
      await store.close()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  watch: async ({ context, baton }, use) => {
    const watch = await watchOver(context, baton.app.url)
    await use(watch)
    await watch.expectQuiet('at the end')
  },
})

export { expect }

export type Walked = { steps: number; seen: Record<string, number> }

export type Walk = {
  /** From the end to the beginning. */
  up?: boolean
  /** Selectors of elements whose different texts are counted, by a name. */
  kinds?: Record<string, string>
  /** What is pressed wherever it is seen, each once. Default: everything that opens. */
  press?: string
  /** A text that stands at the end of the way: rows that are still to come are waited for until it is seen. */
  until?: string
}

/** Everything that opens, and no menu. */
const openers = 'button[aria-expanded=false]:not([aria-haspopup])'

/** Goes through all that scrolls in an element, opening it on the way, until there is no more. */
export const walk = (page: Page, box: string, options: Walk = {}): Promise<Walked> =>
  page.evaluate(
    async ({ box, up, kinds, press, until }) => {
      const frame = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => done()))
      const pressed = new WeakSet<Element>()
      const seen = new Map<string, Set<string>>(Object.keys(kinds).map((kind) => [kind, new Set()]))
      const element = document.querySelector(box)
      if (!element) throw new Error(`there is no ${box}`)
      /** Rows that come from the server are waited for. */
      const arrived = async (): Promise<void> => {
        for (let at = 0; at < 1_200 && element.querySelector('[data-row=loading]') !== null; at += 1)
          await frame()
      }
      const look = (): void => {
        for (const [kind, selector] of Object.entries(kinds))
          for (const found of element.querySelectorAll(selector)) seen.get(kind)?.add(found.textContent ?? '')
      }
      const openAll = async (): Promise<boolean> => {
        let any = false
        for (let round = 0; press !== '' && round < 30; round += 1) {
          const fresh = [...element.querySelectorAll(press)].filter((button) => !pressed.has(button))
          if (fresh.length === 0) break
          any = true
          for (const button of fresh) {
            pressed.add(button)
            ;(button as HTMLElement).click()
          }
          await frame()
        }
        return any
      }
      let isThere = until === ''
      let still = 0
      let steps = 0
      if (!up) {
        element.scrollTop = 0
        element.dispatchEvent(new Event('scroll'))
        await frame()
        await frame()
      }
      while (still < 5) {
        await arrived()
        const opened = await openAll()
        look()
        isThere ||= element.textContent?.includes(until) === true
        const before = element.scrollTop
        const height = element.scrollHeight
        element.dispatchEvent(new WheelEvent('wheel', { deltaY: up ? -100 : 100, bubbles: true }))
        element.scrollTop += (up ? -0.8 : 0.8) * element.clientHeight
        await frame()
        await frame()
        const moved = element.scrollTop !== before || element.scrollHeight !== height
        still = opened || moved || !isThere ? 0 : still + 1
        steps += 1
        if (steps > 20_000) throw new Error(`${box} has no end, or ${until} never came`)
      }
      return { steps, seen: Object.fromEntries([...seen].map(([kind, texts]) => [kind, texts.size])) }
    },
    { box, up: false, kinds: {}, press: openers, until: '', ...options },
  )
