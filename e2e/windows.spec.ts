import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const divider = (page: Page, number: number) =>
  log(page).getByRole('button', { name: new RegExp(`^Window ${number}\\b`) })

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

test('a task over three windows: meter, dividers, panel, pins, and a note between person and agent', async ({
  page,
}) => {
  await startThread(page, { text: 'Do both parts and tell me the port', model: 'windows' })
  await expect(log(page).getByText('Everything is done: the port is 4711')).toBeVisible({ timeout: 120_000 })
  await expectTurnEnded(page)

  await test.step('each window has its divider, and the meter leads to what fills the last', async () => {
    await expect(divider(page, 2)).toContainText('the agent asked for it')
    await expect(divider(page, 3)).toContainText('the agent asked for it')
    await page.getByTestId('context-meter').click()
    const panel = page.getByRole('tabpanel', { name: 'Window' })
    await expect(panel.getByLabel('Which window')).toContainText('Window 3 (now)')
    await expect(panel.getByText('Remaining')).toBeVisible()
    await panel.getByRole('button', { name: /^Instructions/ }).click()
    await expect(panel.getByText('since the window began').first()).toBeVisible()
    await expect(panel.getByTestId('hint')).toContainText('progress.md')
    await expectClean(page, 'window panel')
  })

  await test.step('a divider opens to what was given and what stayed behind; one click pins it', async () => {
    await divider(page, 2).click()
    const opened = log(page).getByTestId('hand-over')
    await expect(opened.getByRole('heading', { name: /Given at its start/ })).toBeVisible()
    await expect(opened.getByTestId('hint')).toContainText('progress.md')
    const left = opened.getByRole('region', { name: 'Stayed behind' })
    const said = left.getByRole('listitem').filter({ hasText: 'Nothing yet, so I do the first part.' })
    await said.getByRole('button', { name: /^Pin / }).click()
    await expect(said.getByRole('button', { name: /^Unpin / })).toBeVisible()
    await expectClean(page, 'divider')
    await divider(page, 2).click()
    await expect(opened).toHaveCount(0)
  })

  await test.step('a person edits the agent’s note; its versions are kept', async () => {
    await page.getByRole('tab', { name: 'Notes' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Notes' })
    await panel.getByRole('button', { name: /progress\.md/ }).click()
    await expect(panel.getByTestId('note-text')).toContainText('second part done')
    await panel.getByRole('button', { name: 'Edit', exact: true }).click()
    await panel.getByRole('textbox', { name: 'Text of progress.md' }).fill('the port moved to 4712\n')
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(panel.getByTestId('note-text')).toContainText('the port moved to 4712')
    await expect(panel.getByText('You wrote version 3')).toBeVisible()
    await panel.getByRole('button', { name: /^Versions/ }).click()
    await expect(panel.getByRole('list', { name: 'Versions' }).getByRole('listitem')).toHaveCount(3)
    await expect(panel.getByText('What version 3 changed')).toBeVisible()
    await expectClean(page, 'notes')
  })

  await test.step('a window by hand: the pin comes along, and the agent reads what the person wrote', async () => {
    await box(page).fill('/new')
    await expect(page.getByRole('option', { name: /new-window/ })).toBeVisible()
    await box(page).press('Tab')
    await box(page).pressSequentially('the port has moved')
    await box(page).press('Enter')
    await expect(page.getByText('A new window starts', { exact: false })).toBeVisible()
    await expect(box(page)).toHaveValue('')
    await box(page).fill('read the note')
    await box(page).press('Enter')
    await expect(log(page).getByText(/The note says:.*the port moved to 4712/s)).toBeVisible()
    await expectTurnEnded(page)
    await expect(divider(page, 4)).toContainText('started by hand')
    await divider(page, 4).click()
    const opened = log(page).getByTestId('hand-over')
    await expect(opened.getByText('the port has moved', { exact: true })).toBeVisible()
    await expect(opened.getByRole('button', { name: /^Pinned/ })).toBeVisible()
  })

  await test.step('what a person chose outlasts a reload', async () => {
    await page.reload()
    await expect(divider(page, 4)).toBeVisible()
    await page.keyboard.press('Escape')
    await page.getByRole('tab', { name: 'Window' }).click()
    const pins = page.getByRole('region', { name: 'Comes along into the next window' })
    await expect(pins.getByRole('button', { name: /^Unpin / })).toHaveCount(1)
    await box(page).fill('/strategy layers')
    await box(page).press('Enter')
    await expect(page.getByText('Strategy: Layers')).toBeVisible()
    await expect(page.getByRole('radio', { name: /^Layers/ })).toBeChecked()
  })
})

test('a hand-over document that is written between turns is seen, and gone on without', async ({ page }) => {
  await startThread(page, { text: 'hello', model: 'writer' })
  await expect(log(page).getByText('Said: hello')).toBeVisible()
  await expectTurnEnded(page)
  await box(page).fill('/strategy handoff')
  await box(page).press('Enter')
  await expect(page.getByText('Strategy: Hand-over document')).toBeVisible()
  await box(page).fill('/new')
  await expect(page.getByRole('option', { name: /new-window/ })).toBeVisible()
  await box(page).press('Tab')
  await box(page).pressSequentially('what matters')
  await box(page).press('Enter')
  const strip = page.getByRole('region', {
    name: 'The model writes a hand-over document for the next window',
  })
  await expect(strip).toBeVisible()
  await expectClean(page, 'hand-over document')
  await strip.getByRole('button', { name: 'Go on without it' }).click()
  await expect(strip).toHaveCount(0)
  await expect(divider(page, 2)).toContainText('started by hand')
  await box(page).fill('and now')
  await box(page).press('Enter')
  await expect(log(page).getByText('Said: and now')).toBeVisible()
  await expectTurnEnded(page)
})

test('notes and windows before anything was said or sent', async ({ page }) => {
  await startThread(page, { text: 'say hello', model: 'waiting' })
  await expectTurnEnded(page)
  await page.getByRole('tab', { name: 'Notes' }).click()
  const panel = page.getByRole('tabpanel', { name: 'Notes' })
  await expect(panel.getByText('No notes yet')).toBeVisible()

  await test.step('a person writes a first note, in two tabs', async () => {
    await panel.getByRole('button', { name: 'New note' }).click()
    await panel.getByRole('textbox', { name: 'Name of the note' }).fill('../escape.md')
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(panel.getByRole('alert')).toContainText('..')
    await panel.getByRole('textbox', { name: 'Name of the note' }).fill('todo.md')
    await panel.getByRole('textbox', { name: 'Text', exact: true }).fill('one\n')
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(panel.getByTestId('note-text')).toContainText('one')
  })

  await test.step('who edits is told of what others wrote meanwhile', async () => {
    await panel.getByRole('button', { name: 'Edit', exact: true }).click()
    await panel.getByRole('textbox', { name: 'Text of todo.md' }).fill('one and mine\n')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('tab', { name: 'Notes' }).click()
    const theirs = other.getByRole('tabpanel', { name: 'Notes' })
    await theirs.getByRole('button', { name: /todo\.md/ }).click()
    await theirs.getByRole('button', { name: 'Edit', exact: true }).click()
    await theirs.getByRole('textbox', { name: 'Text of todo.md' }).fill('one and theirs\n')
    await theirs.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(theirs.getByTestId('note-text')).toContainText('one and theirs')
    await other.close()
    await expect(panel.getByTestId('note-newer')).toContainText('wrote version 2 while you edit')
    await panel.getByRole('button', { name: 'Show both' }).click()
    await expect(panel.getByText('Version 2 against yours')).toBeVisible()
  })
})
