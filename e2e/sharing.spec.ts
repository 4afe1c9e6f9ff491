import type { Page } from '@playwright/test'
import { expectClean } from './setup/axe.ts'
import { expect, expectTurnEnded, log, owner, startThread, test } from './setup/baton.ts'
import { join } from './setup/people.ts'

const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const here = (page: Page) => page.getByTestId('here-now')
const openShare = (page: Page) => page.getByRole('button', { name: /^(Share|Shared|Team)/ }).click()

test('a thread is shared with two colleagues, live, role by role, handed over and taken back', async ({
  page,
  browser,
  baton,
  state,
}) => {
  const grace = await join(browser, baton.app, state.cookies, { name: 'Grace Hopper' })
  const alan = await join(browser, baton.app, state.cookies, { name: 'Alan Turing' })
  const threadId = await startThread(page, { text: 'wait here', model: 'waiting' })
  await expect(log(page).getByText('I wait for a word.')).toBeVisible({ timeout: 120_000 })

  await test.step('nobody sees it until it is shared', async () => {
    await grace.page.goto(`/threads/${threadId}`)
    await expect(grace.page.getByText('I wait for a word.')).toHaveCount(0)
    await expect(grace.page.getByText('wait here')).toHaveCount(0)
  })

  const give = async (name: string, role: string): Promise<void> => {
    await dialog(page)
      .getByRole('button', { name: new RegExp(`Role of ${name}`) })
      .click()
    await page.getByRole('menuitemradio', { name: new RegExp(`^${role}`) }).click()
    await expect(
      dialog(page).getByRole('button', { name: new RegExp(`Role of ${name}.*${role}`) }),
    ).toBeVisible()
  }

  await test.step('as a viewer she reads along, and each sees that the other is there', async () => {
    await openShare(page)
    const field = dialog(page).getByRole('combobox', { name: 'Add people by name or e-mail' })
    await field.fill('grace')
    await field.press('Enter')
    await expect(dialog(page).getByRole('button', { name: /Role of Grace Hopper.*Viewer/ })).toBeVisible()
    await expectClean(page, 'share dialog')
    await grace.page.goto('/')
    await grace.page
      .getByRole('navigation', { name: 'Threads and projects' })
      .getByRole('link', { name: 'wait here' })
      .click()
    await expect(log(grace.page).getByText('I wait for a word.')).toBeVisible()
    await expect(grace.page.getByText('You watch this thread as a viewer.')).toBeVisible()
    await expect(box(grace.page)).toHaveCount(0)
    await expect(here(grace.page)).toHaveAccessibleName(`${owner.name} is here`)
    // Behind the dialog, which hides it from a reader.
    await expect(here(page)).toHaveAttribute('aria-label', 'Grace Hopper is here')
  })

  await test.step('a commenter may not send either; a driver may, and her name stands on it', async () => {
    await give('Grace Hopper', 'Commenter')
    await expect(grace.page.getByText('You may comment on this thread')).toBeVisible()
    await give('Grace Hopper', 'Driver')
    await box(grace.page).pressSequentially('release')
    await page.keyboard.press('Escape')
    await expect(page.getByTestId('writing')).toHaveText('Grace Hopper is writing …')
    await box(grace.page).press('ControlOrMeta+Enter')
    for (const one of [page, grace.page])
      await expect(log(one).getByText('Finished, because I was told so.')).toBeVisible()
    await expect(log(page).getByText('Grace Hopper').first()).toBeVisible()
    await expectTurnEnded(page)
  })

  await test.step('three at once: one stops while another steers, and all see the same', async () => {
    await openShare(page)
    const field = dialog(page).getByRole('combobox', { name: 'Add people by name or e-mail' })
    await field.fill('alan')
    await field.press('Enter')
    await give('Alan Turing', 'Driver')
    await page.keyboard.press('Escape')
    await alan.page.goto(`/threads/${threadId}`)
    await box(alan.page).fill('wait again')
    await box(alan.page).press('Enter')
    const all = [page, grace.page, alan.page]
    for (const one of all) {
      await expect(log(one).getByText('wait again')).toBeVisible()
      await expect(one.getByRole('button', { name: 'Stop' })).toBeVisible()
    }
    await box(grace.page).fill('say both')
    await Promise.all([
      box(grace.page).press('ControlOrMeta+Enter'),
      alan.page.getByRole('button', { name: 'Stop' }).click(),
    ])
    for (const one of all) {
      await expect(log(one).getByText('say both')).toBeVisible()
      await expect(one.getByRole('button', { name: 'Stop' })).toHaveCount(0)
    }
  })

  await test.step('it is handed over; the new owner takes the old one off, whose page ends', async () => {
    await openShare(page)
    await dialog(page)
      .getByRole('button', { name: /Role of Grace Hopper/ })
      .click()
    await page.getByRole('menuitem', { name: 'Make owner …' }).click()
    await dialog(page).getByRole('button', { name: 'Hand over' }).click()
    await expect(dialog(page)).toHaveCount(0)
    await openShare(grace.page)
    await dialog(grace.page)
      .getByRole('button', { name: new RegExp(`Role of ${owner.name}`) })
      .click()
    await grace.page.getByRole('menuitem', { name: 'Remove' }).click()
    await expect(page.getByText('You cannot see this thread any more')).toBeVisible()
    await expect(page.getByText('Finished, because I was told so.')).toHaveCount(0)
    await page.reload()
    await expect(page.getByText('Finished, because I was told so.')).toHaveCount(0)
    // The other driver is not touched by it.
    await expect(log(alan.page).getByText('Finished, because I was told so.')).toBeVisible()
    await expect(box(alan.page)).toBeVisible()
  })
  await grace.context.close()
  await alan.context.close()
})
