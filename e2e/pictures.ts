// The pictures of README.md, of the real product: `BATON_PICTURES=1 npm test -- e2e` takes them anew into docs/. No journey:
// it proves nothing and is not run otherwise.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

const folder = join(import.meta.dirname, '../docs')
const demo = { project: 'Sample project', model: 'Demo model (offline, scripted)' }
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
/** What a reader of the README has to load for one picture at most. */
const mostBytes = 300_000

async function picture(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The colours of a diff are painted a moment after its words.
    await page.waitForTimeout(1_500)
    const path = join(folder, `${name}-${colorScheme}.png`)
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
    expect(statSync(path).size, path).toBeLessThanOrEqual(mostBytes)
  }
}

test('pictures', async ({ page, browser, baseURL, state }) => {
  await page.setViewportSize(wide)
  await startThread(page, { ...demo, text: 'Which discounts does the cart know?' })
  await expectTurnEnded(page)
  await startThread(page, { ...demo, model: 'waiting', text: 'Watch the nightly import until it is done' })
  await expect(log(page).getByText('I wait for a word.')).toBeVisible({ timeout: 120_000 })
  const question = await startThread(page, { ...demo, model: 'asker', text: 'Restyle the checkout button' })
  await expect(page.getByRole('region', { name: 'Question', exact: true })).toBeVisible({ timeout: 120_000 })

  const thread = await startThread(page, { ...demo, text: 'Fix the failing test' })
  await expect(log(page).getByText('The tests pass now')).toBeVisible({ timeout: 180_000 })
  await expectTurnEnded(page)
  await log(page)
    .getByRole('button', { name: /Worked .* steps/ })
    .click()
  await log(page)
    .getByRole('button', { name: /node --test/ })
    .last()
    .click()
  await picture(page, 'thread')
  await page.getByRole('tab', { name: 'Window' }).click()
  await expect(page.getByTestId('window-panel').getByText('Used')).toBeVisible()
  await picture(page, 'window')

  await page.goto(`/threads/${thread}/rollout`)
  await expect(page.getByTestId('rollout-overview').getByText('Context by step')).toBeVisible()
  await picture(page, 'rollout')
  await page.getByTestId('rollout-rows').locator('[data-row=step]').nth(4).click()
  await expect(page.getByTestId('request-blocks').locator('[data-block=instructions]')).toBeVisible()
  await picture(page, 'rollout-request')

  const held = await browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    storageState: state,
    viewport: phone,
    isMobile: true,
    hasTouch: true,
  })
  const hand = await held.newPage()
  await hand.goto(`/threads/${question}`)
  await expect(hand.getByRole('region', { name: 'Question', exact: true })).toBeVisible()
  await picture(hand, 'phone-question')
  await hand.goto(`/threads/${thread}`)
  await expect(log(hand).getByText('The tests pass now')).toBeVisible()
  await picture(hand, 'phone-thread')
  await hand.getByRole('button', { name: 'Show the panel' }).tap()
  await hand.getByRole('tab', { name: /Changes/ }).tap()
  await expect(hand.getByText('item.price * item.quantity').first()).toBeVisible()
  await picture(hand, 'phone-changes')
  await held.close()
})
