import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

test('a question waits for a person and its answer goes back to the model', async ({ page, context }) => {
  const threadId = await startThread(page, { text: 'Paint the button', model: 'asker' })
  const question = page.getByRole('region', { name: 'Question', exact: true })
  await expect(question.getByText('Which colour should the button have?')).toBeVisible({ timeout: 120_000 })
  await expect(page.locator('[data-turn=waiting_for_person]')).toBeVisible()
  await expect(page.getByRole('link', { name: /needs you\s+Paint the button$/ })).toBeVisible()

  const other = await context.newPage()
  await other.goto(`/threads/${threadId}`)
  await expect(other.getByRole('region', { name: 'Question', exact: true })).toContainText('Which colour')

  await expect(question.getByRole('button', { name: 'Answer' })).toBeDisabled()
  await question.getByRole('radio', { name: /Blue/ }).check()
  await question.getByRole('button', { name: 'Answer' }).click()
  for (const tab of [page, other])
    await expect(
      log(tab)
        .getByText(/The answer was:[\s\S]*Blue/)
        .first(),
    ).toBeVisible()
  await expectTurnEnded(page)
})
