import type { Page } from '@playwright/test'
import { expectClean } from './setup/axe.ts'
import { expect, expectTurnEnded, startThread, test } from './setup/baton.ts'

const rows = (page: Page) => page.getByTestId('rollout-rows')
const comments = (page: Page) => page.getByRole('region', { name: 'Comments' })
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Threads and projects' })
const heap = (page: Page) =>
  sidebar(page)
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: /^To review/ }) })

test('a rollout is reviewed: comments in two tabs, a verdict with its reason, labels, export', async ({
  page,
  context,
}) => {
  const title = 'Check the release notes'
  const threadId = await startThread(page, { text: title, model: 'careful' })
  await expectTurnEnded(page)
  await expect(heap(page).getByRole('link', { name: title })).toBeVisible()
  const other = await context.newPage()

  await test.step('c writes on what is selected; another tab sees it', async () => {
    await page.goto(`/threads/${threadId}/rollout`)
    await rows(page).getByRole('option').filter({ hasText: 'all 12 tests' }).first().click()
    await expect(page.getByRole('button', { name: 'Comment', exact: true })).toBeVisible()
    await page.keyboard.press('c')
    const box = page.getByRole('textbox', { name: 'Say something about this' })
    await box.fill('Which `tests` are these? <b>not bold</b>')
    // The address follows the selection a moment later.
    await page.waitForURL(/[?&][is]=/)
    await other.goto(page.url())
    await expect(other.getByRole('button', { name: 'Comment', exact: true })).toBeVisible()
    await box.press('Control+Enter')
    await expect(box).toHaveCount(0)
    for (const tab of [page, other]) {
      await expect(comments(tab).locator('code')).toHaveText('tests')
      await expect(comments(tab).getByText('<b>not bold</b>')).toBeVisible()
      await expect(rows(tab).getByText('1 comment, 1 open')).toHaveCount(1)
    }
    await expectClean(page, 'comment')
  })

  const edit = async (tab: Page): Promise<void> => {
    await comments(tab).getByRole('button', { name: 'Actions for the comment by You' }).first().click()
    await tab.getByRole('menuitem', { name: 'Edit' }).click()
  }

  await test.step('two tabs edit it: the second is told, nothing is lost', async () => {
    await edit(page)
    await edit(other)
    const mine = page.getByRole('textbox', { name: 'Your comment' })
    const theirs = other.getByRole('textbox', { name: 'Your comment' })
    await mine.fill('Which suite is this?')
    await theirs.fill('Name the suite, please.')
    await theirs.press('Control+Enter')
    await expect(theirs).toHaveCount(0)
    await expect(comments(page).getByRole('alert')).toContainText('Name the suite, please.')
    await expect(mine).toHaveValue('Which suite is this?')
    await page.getByRole('button', { name: 'Save over it' }).click()
    await expect(mine).toHaveCount(0)
    await expect(comments(other).getByText('Which suite is this?')).toBeVisible()
    await comments(page).getByRole('button', { name: 'edited' }).click()
    const history = page.getByRole('dialog', { name: 'History of the comment' })
    await expect(history.getByRole('listitem')).toHaveCount(3)
    await expect(history).toContainText('Name the suite, please.')
    await history.getByRole('button', { name: 'Close' }).click()
  })

  await test.step('an answer, then it is resolved', async () => {
    await comments(page).getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('textbox', { name: 'Your answer' }).fill('The unit tests.')
    await page.getByRole('textbox', { name: 'Your answer' }).press('Control+Enter')
    await expect(comments(other).getByText('The unit tests.')).toBeVisible()
    await comments(page).getByRole('button', { name: 'Resolve' }).click()
    await expect(comments(other).getByText('Resolved by You')).toBeVisible()
    await expect(rows(page).getByText('2 comments, 0 open')).toHaveCount(1)
  })

  await test.step('too long is told before it is sent, and nothing is cut', async () => {
    await page.keyboard.press('c')
    const box = page.getByRole('textbox', { name: 'Say something about this' })
    await box.fill('x'.repeat(5_001))
    await expect(comments(page).getByRole('alert')).toContainText('5001 of 5000')
    await expect(comments(page).getByRole('button', { name: 'Comment', exact: true })).toBeDisabled()
    await comments(page).getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('a verdict needs its reason; the thread leaves the heap', async () => {
    await page.getByRole('button', { name: 'Review', exact: true }).click()
    await page.getByRole('radio', { name: 'Needs work' }).click()
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Say which suite ran.')
    const labels = page.getByRole('combobox', { name: 'Labels of this rollout' })
    await labels.fill('unclear')
    await labels.press('Enter')
    await expect(page.getByRole('button', { name: 'Take off “unclear”' })).toBeVisible()
    await expectClean(page, 'review form')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Needs work', exact: true })).toBeVisible()
    await expect(heap(page).getByRole('link', { name: title })).toHaveCount(0)
  })

  await test.step('the queue has it where it belongs, by keyboard', async () => {
    await page.goto('/reviews')
    await expect(page.getByRole('tab', { name: /^To review/ })).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press(']')
    await page.keyboard.press(']')
    await expect(page.getByRole('tab', { name: /^Done/ })).toHaveAttribute('aria-selected', 'true')
    const line = page.locator(`[data-queue-line="${threadId}"]`)
    await expect(line).toContainText('Say which suite ran.')
    await expect(line).toContainText('unclear')
    await expectClean(page, 'queue')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/threads\/thr_[^/]+\/rollout/)
  })

  await test.step('everything goes out as lines of JSON', async () => {
    const answer = await context.request.get(`/api/reviews/export?thread=${threadId}`)
    const lines = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; text?: string; verdict?: string; label?: string })
    expect(lines.map(({ type }) => type)).toEqual(['rollout', 'verdict', 'label', 'comment', 'comment'])
    expect(lines[1]).toMatchObject({ verdict: 'needs_work', reason: 'Say which suite ran.' })
    expect(lines[2]).toMatchObject({ label: 'unclear', holds: true })
    expect(lines[3]).toMatchObject({ text: 'Which suite is this?', resolved: expect.anything() })
  })
  await other.close()
})
