import type { Page } from '@playwright/test'
import { expectClean } from './setup/axe.ts'
import { expect, expectTurnEnded, startThread, test } from './setup/baton.ts'

const lines = (page: Page) => page.getByTestId('compare-lines')

test('two rollouts side by side: where they part, what each came to, what each model saw', async ({
  page,
}) => {
  const task = 'Make the upload test pass'
  const quick = await startThread(page, { text: task, model: 'quick' })
  await expectTurnEnded(page)
  const careful = await startThread(page, { text: task, model: 'careful' })
  await expectTurnEnded(page)

  await test.step('one is chosen from the rollout of the other', async () => {
    await page.goto(`/threads/${careful}/rollout`)
    await page.getByRole('button', { name: 'Compare with …' }).click()
    const choice = page.getByRole('dialog', { name: 'Compare with' })
    await choice.getByRole('option', { name: task }).first().click()
    await page.waitForURL(new RegExp(`/rollouts/compare\\?a=${careful}&b=${quick}`))
  })

  await test.step('the first difference is named, marked and opened', async () => {
    await expect(page.getByTestId('parting')).toContainText(
      'They part in turn 1: exec_command is called with other arguments',
    )
    const marked = lines(page).locator('[data-differs]')
    await expect(marked).toHaveCount(2)
    await expect(marked.first()).toHaveAttribute('aria-pressed', 'true')
    await expect(marked.first()).toContainText('all 12 tests passed')
    await expect(marked.first()).toContainText('skipped the slow tests')
    const detail = page.getByRole('region', { name: 'What the line says' })
    await expect(detail.getByText('First difference')).toBeVisible()
    await expectClean(page, 'compare')
  })

  await test.step('what each came to stands in a table', async () => {
    const table = page.getByRole('table', { name: 'What each came to' })
    await expect(table.getByRole('row').nth(1)).toContainText('Completed')
    await expect(table.getByRole('row').nth(1)).toContainText('3')
    await expect(table.getByRole('row').nth(3)).toContainText('=')
  })

  await test.step('both models were given the same until then, and not behind it', async () => {
    const detail = page.getByRole('region', { name: 'What the line says' })
    await detail.getByRole('tab', { name: 'What the models saw' }).click()
    await expect(detail.getByText(/blocks in both/)).toBeVisible()
    await page.keyboard.press('n')
    await expect(page.getByText('2 of 2')).toBeVisible()
    await expect(lines(page).locator('[aria-pressed=true]')).toContainText('Done, I think.')
    await detail.getByRole('tab', { name: 'What the models saw' }).click()
    const own = detail.getByRole('region', { name: 'Only A was given' })
    await expect(own.getByText(/all 12 tests passed/).first()).toBeVisible()
  })

  await test.step('keys: back, differences alone, sides swapped; the line is in the address', async () => {
    await page.keyboard.press('p')
    await expect(page.getByText('1 of 2')).toBeVisible()
    await expect(page).toHaveURL(/line=\d+/)
    await page.keyboard.press('d')
    await expect(lines(page).locator('[data-line]')).toHaveCount(2)
    await page.keyboard.press('x')
    await page.waitForURL(new RegExp(`a=${quick}&b=${careful}`))
    await expect(lines(page).locator('[aria-pressed=true]')).toContainText('skipped the slow tests')
  })

  await test.step('a rollout that is not here is told as such', async () => {
    await page.goto(`/rollouts/compare?a=${careful}&b=thr_019a0000-0000-7000-8000-000000000000`)
    await expect(page.getByText('One of the two is not here')).toBeVisible()
    await page.goto('/rollouts/compare')
    await expect(page.getByText('Two rollouts are needed')).toBeVisible()
  })
})
