import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

async function expectClean(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${String(target)} ${html}`),
    )
    expect.soft(found, `${name}, ${colorScheme}`).toEqual([])
  }
}

test('the main screens are accessible in light and dark', async ({ page, browser, baseURL }) => {
  const threadId = await startThread(page, {
    text: 'Fix the failing test',
    project: 'Sample project',
    model: 'Demo model (offline, scripted)',
  })
  await expect(log(page).getByText('The tests pass now')).toBeVisible({ timeout: 180_000 })
  await expectTurnEnded(page)
  await log(page)
    .getByRole('button', { name: /Worked .* steps/ })
    .click()
  await expectClean(page, 'thread')
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Threads' })).toBeVisible()
  await expectClean(page, 'threads')
  await page.goto('/new')
  await expect(page.getByRole('textbox', { name: 'First message' })).toBeVisible()
  await expectClean(page, 'new thread')
  await page.goto('/settings/providers')
  await page.getByRole('button', { name: 'Add a provider' }).click()
  await expectClean(page, 'providers')
  await page.goto('/settings/projects')
  await page.getByRole('button', { name: 'Create a project' }).click()
  await page.getByLabel('Start from a folder').check()
  await expectClean(page, 'projects')
  await page.goto('/settings/account')
  await expect(page.getByText('ada@example.com')).toBeVisible()
  await expectClean(page, 'account')
  await page.goto(`/threads/${threadId}/rollout`)
  await expect(page.getByTestId('rollout-overview').getByText('Context by step')).toBeVisible()
  await expectClean(page, 'rollout')
  await page.getByTestId('rollout-rows').locator('[data-row=step]').first().click()
  await expect(page.getByTestId('request-blocks').locator('[data-block=instructions]')).toBeVisible()
  await expectClean(page, 'request of a step')
  await page.getByRole('tab', { name: /Did/ }).click()
  await expect(page.getByTestId('tool-call').first()).toBeVisible()
  await expectClean(page, 'what a step did')
  await page.goto('/rollouts')
  await expect(page.locator(`[data-rollout="${threadId}"]`)).toBeVisible()
  await expectClean(page, 'rollouts')
  await page.goto(`/threads/${threadId}`)
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('dialog', { name: 'Commands' })).toBeVisible()
  await expectClean(page, 'palette')
  const stranger = await browser.newContext(
    baseURL === undefined ? {} : { baseURL, storageState: { cookies: [], origins: [] } },
  )
  const door = await stranger.newPage()
  await door.goto('/login')
  await expect(door.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expectClean(door, 'sign-in')
  await stranger.close()
})
