import type { Page } from '@playwright/test'
import { expectClean } from './setup/axe.ts'
import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

test('a public link is made past what it shows, read by a stranger, live, and ends at once', async ({
  page,
  browser,
  baton,
}) => {
  const ask = 'say <img src=x onerror="document.title=1"> SEC-60 hello'
  const threadId = await startThread(page, { text: ask, model: 'waiting' })
  await expectTurnEnded(page)

  const makeLink = async (live: boolean): Promise<string> => {
    await page.getByRole('button', { name: /^(Share|Shared)/ }).click()
    await dialog(page).getByRole('button', { name: 'Make a link …' }).click()
    const form = dialog(page).getByRole('form', { name: 'Make a public link' })
    await form.getByLabel('Title on the page').fill('What we found')
    if (live) await form.getByRole('radio', { name: /^Live/ }).check()
    await form.getByRole('button', { name: 'Look at what it shows' }).click()
    const frame = page.frameLocator('iframe[title="The page"]')
    await expect(frame.getByText('SEC-60 hello').first()).toBeVisible()
    await expect(frame.getByRole('heading', { name: 'What we found' })).toBeVisible()
    await dialog(page).getByRole('button', { name: 'Make the link' }).click()
    const link = await dialog(page).getByRole('textbox', { name: 'The public link' }).inputValue()
    await expectClean(page, live ? 'a live link' : 'a link')
    await page.keyboard.press('Escape')
    return link
  }

  const stranger = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const asked: string[] = []
  stranger.on('request', (request) => asked.push(new URL(request.url()).origin))
  const theirs = await stranger.newPage()
  await test.step('a copy holds what was there, and nothing of what comes later', async () => {
    const link = await makeLink(false)
    await theirs.goto(link)
    await expect(theirs.getByRole('heading', { name: 'What we found' })).toBeVisible()
    await expect(theirs.getByText('SEC-60 hello').first()).toBeVisible()
    expect(await theirs.title()).toBe('What we found')
    await expect(theirs.locator('img')).toHaveCount(0)
    const html = await theirs.content()
    for (const hidden of [threadId, 'ada@example.com', 'Ada Lovelace']) expect(html).not.toContain(hidden)
    await expectClean(theirs, 'shared page')
  })

  await test.step('a live link shows what is said now, and its end is the end of the open page', async () => {
    const link = await makeLink(true)
    await theirs.goto(link)
    await expect(theirs.locator('#state')).toHaveText('live')
    await box(page).fill('say something new')
    await box(page).press('Enter')
    await expect(log(page).getByText('Said: something new')).toBeVisible()
    await expect(theirs.getByText('Said: something new')).toBeVisible()
    await page.goto('/settings/links')
    const mine = page.getByRole('list', { name: 'Your public links' })
    await expect(mine.getByRole('listitem')).toHaveCount(2)
    await expectClean(page, 'links')
    await mine
      .getByRole('listitem')
      .first()
      .getByRole('button', { name: /^Revoke/ })
      .click()
    await expect(theirs.getByText('This link does not open any more')).toBeVisible()
    await expect(theirs.getByText('Said: something new')).toHaveCount(0)
    expect((await theirs.goto(link))?.status()).toBe(404)
    await expect(theirs.getByText('This link does not open anything')).toBeVisible()
  })
  expect([...new Set(asked)]).toEqual([baton.app.url])
  await stranger.close()
})
