import { expect, expectTurnEnded, log, screenText, startThread, test } from './setup/baton.ts'
import { layCable } from './setup/cable.ts'

test('a tab that lost its connection catches up with what it missed', async ({ baton, page, context }) => {
  const threadId = await startThread(page, { text: 'Count slowly', model: 'paced' })
  const cable = await layCable(baton.app.url)
  try {
    const far = await context.newPage()
    await far.goto(`${cable.url}/threads/${threadId}`)
    await expect(log(far).getByText(/word5\b/)).toBeVisible({ timeout: 120_000 })
    cable.cut()
    await expect(far.getByText('reconnecting, nothing is lost').first()).toBeVisible()

    // What is written while nobody can hear is sent when the cable is whole again.
    await far.getByRole('textbox', { name: 'Message', exact: true }).fill('And once more')
    await far.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
    await expect(log(page).getByText(/word120\b/)).toBeVisible({ timeout: 120_000 })
    cable.mend()
    await expect(
      log(far)
        .getByText(/word120\b/)
        .first(),
    ).toBeVisible({ timeout: 120_000 })
    await expect(log(page).getByText('And once more')).toBeVisible({ timeout: 120_000 })
    await expect(log(page).getByText(/word120\b/)).toHaveCount(2, { timeout: 120_000 })
    await expectTurnEnded(far)
    await expectTurnEnded(page)
    await expect.poll(() => screenText(far), { timeout: 60_000 }).toBe(await screenText(page))
    await far.close()
  } finally {
    await cable.close()
  }
})
