// What journeys share: one server with its database, containers and scripted models for each worker, its owner signed in,
// and the few moves that every journey makes. A journey that kills its server starts one of its own.
import { test as base, expect, type Page, request } from '@playwright/test'
import { type ScriptedModel, startScriptedModel } from '../../test/scripted-model/scripted-model.ts'
import { type App, startApp } from '../../test/setup/app.ts'
import { scenarios } from './scenarios.ts'

export const owner = { name: 'Ada Lovelace', email: 'ada@example.com', password: 'analytical engine' }

type State = {
  cookies: {
    name: string
    value: string
    domain: string
    path: string
    expires: number
    httpOnly: boolean
    secure: boolean
    sameSite: 'Strict' | 'Lax' | 'None'
  }[]
  origins: never[]
}

export type Baton = {
  app: App
  model: ScriptedModel
  stop(): Promise<void>
}

/** A server with the demo, and with the models of the scenarios as a provider of its environment. */
export async function startBaton(): Promise<Baton> {
  const model = await startScriptedModel({ scenarios, keep: 200 })
  try {
    const app = await startApp({
      BATON_DEMO: '1',
      BATON_DEMO_URL: model.url,
      OPENAI_API_KEY: 'sk-journeys',
      OPENAI_BASE_URL: `${model.url}/v1`,
    })
    return {
      app,
      model,
      async stop() {
        await app.stop()
        await model.close()
      },
    }
  } catch (error) {
    await model.close()
    throw error
  }
}

/** Makes the owner over HTTP and gives the browser state of their session. */
export async function makeOwner({ url, setupUrl }: App): Promise<State> {
  const token = new URL(setupUrl ?? '').searchParams.get('token')
  const context = await request.newContext({ baseURL: url, extraHTTPHeaders: { origin: url } })
  const answer = await context.post('/api/setup', { data: { token, ...owner } })
  expect(answer.status(), await answer.text()).toBe(200)
  const state = (await context.storageState()) as State
  await context.dispose()
  return state
}

type Shared = { baton: Baton; state: State }

export const test = base.extend<object, Shared>({
  baton: [
    // biome-ignore lint/correctness/noEmptyPattern: the fixtures are read from the pattern.
    async ({}, use) => {
      const baton = await startBaton()
      await use(baton)
      await baton.stop()
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  state: [
    async ({ baton }, use) => {
      await use(await makeOwner(baton.app))
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ baton }, use) => use(baton.app.url),
  storageState: async ({ state }, use) => use(state),
})

export { expect }

export type Start = { text: string; model?: string; project?: string }

/** Starts a thread by the page for it, and gives its id once its page is there. */
export async function startThread(page: Page, { text, model, project }: Start): Promise<string> {
  await page.goto('/new')
  const box = page.getByRole('textbox', { name: 'First message' })
  await expect(box).toBeVisible()
  if (project !== undefined) await choose(page, 'Project', project)
  if (model !== undefined) await choose(page, 'Model', model)
  await box.fill(text)
  await box.press('Enter')
  await page.waitForURL(/\/threads\/thr_/)
  return page.url().split('/threads/')[1] ?? ''
}

async function choose(page: Page, menu: string, choice: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click()
  await page.getByRole('menuitemradio', { name: choice, exact: true }).click()
  await expect(page.getByRole('menu')).toHaveCount(0)
}

/** The list of messages and work. */
export const log = (page: Page) => page.getByTestId('thread-list')

/** The newest turn has ended: its line says what it took. */
export async function expectTurnEnded(page: Page): Promise<void> {
  await expect(
    log(page)
      .getByText(/Worked .* step/)
      .last(),
  ).toBeVisible({ timeout: 120_000 })
  await expect(page.locator('[data-turn=working]')).toHaveCount(0)
}

/** Everything that the screen says of a thread, without what changes with time. */
export async function screenText(page: Page): Promise<string> {
  const text = (await log(page).textContent()) ?? ''
  return text.replace(/\s+/g, ' ').trim()
}
