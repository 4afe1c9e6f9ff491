import type { Page } from '@playwright/test'
import { expect, expectTurnEnded, log, test } from './setup/baton.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

async function expectNoSideways(page: Page): Promise<void> {
  const { wide, seen } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    seen: window.innerWidth,
  }))
  expect(wide).toBeLessThanOrEqual(seen)
}

test('on a phone: drawer, a new thread, a question by thumb, the panel as a sheet', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Open navigation' }).tap()
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /^New thread/ })
    .first()
    .tap()
  const box = page.getByRole('textbox', { name: 'First message' })
  await expect(box).toBeVisible()
  await page.getByRole('button', { name: 'Model', exact: true }).tap()
  await page.getByRole('menuitemradio', { name: 'asker', exact: true }).tap()
  await box.fill('Paint the button on the phone')
  await page.getByRole('button', { name: 'Send' }).tap()
  await page.waitForURL(/\/threads\/thr_/)
  const question = page.getByRole('region', { name: 'Question', exact: true })
  await expect(question).toBeVisible({ timeout: 120_000 })
  await expectNoSideways(page)
  await question.getByRole('radio', { name: /Red/ }).tap()
  await question.getByRole('button', { name: 'Answer' }).tap()
  await expect(
    log(page)
      .getByText(/The answer was:[\s\S]*Red/)
      .first(),
  ).toBeVisible()
  await expectTurnEnded(page)
  await page.getByRole('button', { name: 'Show the panel' }).tap()
  await expect(page.getByRole('dialog').getByRole('tab', { name: /Changes/ })).toBeVisible()
  await page.keyboard.press('Escape')

  for (const path of ['/', '/settings/providers', '/settings/projects', '/settings/account']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectNoSideways(page)
  }
})
