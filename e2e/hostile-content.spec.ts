import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

test('what a model and a command write stays text', async ({ page }) => {
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await startThread(page, { text: '<img src=x onerror=alert(1)> look', model: 'hostile' })
  await expect(log(page).getByText('The end of the hostile text.').last()).toBeVisible({ timeout: 120_000 })
  await expectTurnEnded(page)
  await log(page)
    .getByRole('button', { name: /Worked .* step/ })
    .click()
  await log(page).getByText('printf').first().click()
  await expect(log(page).getByText('visible end').first()).toBeVisible()
  await expect(log(page).getByText('ansi link').first()).toBeVisible()

  const harmful =
    'script, iframe, object, embed, [onerror], [onclick], img[src="x"], a[href^="javascript:" i], a[href^="data:" i]'
  await expect(log(page).locator(harmful)).toHaveCount(0)
  expect(await page.title()).not.toMatch(/pwned|evil|^\d$/)
  expect(dialogs).toEqual([])
  const own = new URL(page.url()).origin
  expect(
    asked.filter((url) => !url.startsWith(own) && !url.startsWith('data:') && !url.startsWith('blob:')),
  ).toEqual([])
})
