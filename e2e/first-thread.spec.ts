import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

test('the demo model repairs the sample project and the diff is there', async ({ page }) => {
  await startThread(page, {
    text: 'Fix the failing test',
    project: 'Sample project',
    model: 'Demo model (offline, scripted)',
  })
  await expect(log(page).getByText('Fix the failing test')).toBeVisible()
  await expect(log(page).getByText('The tests pass now: 3 passed, 0 failed')).toBeVisible({
    timeout: 180_000,
  })
  await expectTurnEnded(page)

  await test.step('the work unfolds: look, red test, patch, green test', async () => {
    await log(page)
      .getByRole('button', { name: /Worked .* steps/ })
      .click()
    await expect(log(page).getByText('node --test').first()).toBeVisible()
    await expect(log(page).getByText('exit 1').first()).toBeVisible()
    await expect(log(page).getByText('src/cart.js').first()).toBeVisible()
  })

  await test.step('changes and plan are in the panel', async () => {
    const changes = page.getByRole('tabpanel', { name: /Changes/ })
    await expect(changes.getByRole('button', { name: /cart\.js/ })).toBeVisible()
    await expect(changes.getByText('item.price * item.quantity').first()).toBeVisible()
    await page.getByRole('tab', { name: 'Plan' }).click()
    await expect(page.getByRole('tabpanel', { name: 'Plan' }).getByText('Run the tests again')).toBeVisible()
  })
})
