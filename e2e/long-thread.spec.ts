import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

test('a long thread keeps few rows in the document and scrolls to its beginning', async ({ page }) => {
  const threadId = await startThread(page, { text: 'Do a hundred steps', model: 'many' })
  const rows = log(page).locator('[data-row]')
  await expect(log(page).getByText('All hundred steps are done.')).toBeVisible({ timeout: 180_000 })
  await expectTurnEnded(page)
  await page.goto(`/threads/${threadId}`)
  await log(page)
    .getByRole('button', { name: /Worked .* 101 steps/ })
    .click()
  await expect(
    log(page)
      .getByText(/^Step number \d+ of many\.$/)
      .first(),
  ).toBeAttached()
  expect(await rows.count()).toBeLessThanOrEqual(60)

  await test.step('the beginning can be reached', async () => {
    await expect
      .poll(async () => {
        await log(page).hover()
        await page.mouse.wheel(0, -20_000)
        return log(page).getByText('Do a hundred steps').count()
      })
      .toBe(1)
    await expect(log(page).getByText('Step number 1 of many.')).toBeVisible()
    expect(await rows.count()).toBeLessThanOrEqual(60)
  })

  await test.step('and the end again', async () => {
    await page
      .getByRole('button', { name: /To the end|new/ })
      .last()
      .click()
    await expect(log(page).getByText('All hundred steps are done.')).toBeVisible()
  })
})
