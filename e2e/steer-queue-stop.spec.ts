import type { Page } from '@playwright/test'
import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const queue = (page: Page) => page.getByRole('region', { name: 'Queued messages' })
const entry = (page: Page, text: RegExp) => queue(page).getByRole('listitem').filter({ hasText: text })

test('a turn is steered, queued behind and stopped, from two tabs', async ({ page: first, context }) => {
  const threadId = await startThread(first, { text: 'wait here', model: 'waiting' })
  await expect(log(first).getByText('I wait for a word.')).toBeVisible({ timeout: 120_000 })
  const second = await context.newPage()
  await second.goto(`/threads/${threadId}`)
  await expect(log(second).getByText('I wait for a word.')).toBeVisible()

  await test.step('what is queued in one tab is in both, and either may reorder and edit it', async () => {
    for (const text of ['say alpha', 'say beta']) {
      await box(first).fill(text)
      await box(first).press('Enter')
    }
    await expect(queue(second).getByRole('listitem')).toHaveText([/say alpha/, /say beta/])
    await entry(second, /say beta/)
      .getByRole('button', { name: 'Earlier' })
      .click()
    for (const page of [first, second])
      await expect(queue(page).getByRole('listitem')).toHaveText([/say beta/, /say alpha/])
    await entry(first, /say alpha/)
      .getByRole('button', { name: 'Edit' })
      .click()
    await first.getByRole('textbox', { name: 'Queued message' }).fill('say gamma')
    await first.getByRole('textbox', { name: 'Queued message' }).press('Enter')
    await expect(entry(second, /say gamma/)).toBeVisible()
  })

  await test.step('a steered word reaches the running turn, then the queue runs in its order', async () => {
    await box(second).fill('release')
    await box(second).press('ControlOrMeta+Enter')
    for (const page of [first, second]) {
      await expect(log(page).getByText('Finished, because I was told so.')).toBeVisible()
      await expect(log(page).getByText('Said: beta')).toBeVisible()
      await expect(log(page).getByText('Said: gamma')).toBeVisible()
      await expect(queue(page)).toHaveCount(0)
    }
    const text = (await log(first).textContent()) ?? ''
    expect(text.indexOf('Said: beta')).toBeLessThan(text.indexOf('Said: gamma'))
    expect(text).not.toContain('alpha')
    await expectTurnEnded(first)
  })

  await test.step('the other tab stops a turn, and both say so', async () => {
    await box(first).fill('wait again')
    await box(first).press('Enter')
    await expect(log(second).getByText('I wait for a word.').last()).toBeVisible()
    await second.getByRole('button', { name: 'Stop' }).click()
    for (const page of [first, second]) {
      await expect(log(page).getByText('Stopped. What was done so far is kept.')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0)
    }
  })
})
