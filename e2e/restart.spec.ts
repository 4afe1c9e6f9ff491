import { expect, test } from '@playwright/test'
import pg from 'pg'
import {
  type Baton,
  expectTurnEnded,
  log,
  makeOwner,
  screenText,
  startBaton,
  startThread,
} from './setup/baton.ts'

let baton: Baton

test.beforeAll(async () => {
  test.setTimeout(240_000)
  baton = await startBaton()
})
test.afterAll(() => baton.stop())

/** The log of a thread has no holes; the words of its messages, in order. */
async function logOf(threadId: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: baton.app.databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ seq: string; type: string }>(
      'select "seq", "type" from "Event" where "threadId" = $1 order by "seq"',
      [threadId],
    )
    expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_, at) => at + 1))
    return rows.map(({ type }) => type)
  } finally {
    await client.end()
  }
}

test('a reload and a killed server in the middle of a turn lose nothing', async ({ browser }) => {
  const context = await browser.newContext({
    baseURL: baton.app.url,
    storageState: await makeOwner(baton.app),
  })
  const page = await context.newPage()
  const threadId = await startThread(page, { text: 'wait here', model: 'waiting' })
  await expect(log(page).getByText('I wait for a word.')).toBeVisible({ timeout: 120_000 })

  await test.step('a reload shows the running turn as it is', async () => {
    await page.reload()
    await expect(log(page).getByText('I wait for a word.')).toBeVisible()
    await expect(page.locator('[data-turn=working]')).toBeVisible()
  })

  await test.step('the server dies and comes back; the turn goes on and can be steered', async () => {
    baton.app.kill()
    await expect(page.getByText('reconnecting, nothing is lost').first()).toBeVisible()
    await expect(page.locator('[data-connection=live]')).toBeVisible({ timeout: 120_000 })
    await expect(log(page).getByText(/The server restarted/)).toBeVisible({ timeout: 120_000 })
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.fill('release')
    await box.press('ControlOrMeta+Enter')
    await expect(log(page).getByText('Finished, because I was told so.')).toBeVisible({ timeout: 120_000 })
    await expectTurnEnded(page)
  })

  await test.step('what is on the screen is what the log says', async () => {
    const types = await logOf(threadId)
    expect(types).toContain('server.restarted')
    expect(types.filter((type) => type === 'turn.completed')).toHaveLength(1)
    const fresh = await context.newPage()
    await fresh.goto(`/threads/${threadId}`)
    await expectTurnEnded(fresh)
    await expect.poll(() => screenText(fresh), { timeout: 60_000 }).toBe(await screenText(page))
  })
  await context.close()
})
