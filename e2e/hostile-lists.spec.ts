import type { Page } from '@playwright/test'
import { corpus } from '../test/hostile/corpus.ts'
import { expect, test, walk } from './setup/hostile.ts'

const nearlyAll = Math.floor(corpus.length * 0.9)
/** Names hold three payloads each, the lists the newest 200 of them. */
const names = 150

const frames = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  )

test('SEC-51 SEC-54 names of threads, projects, providers and models in lists, menus and settings', async ({
  page,
  watch,
  seeded,
}) => {
  await page.goto('/')
  await expect(
    page
      .locator('main')
      .getByRole('link')
      .nth(names - 1),
  ).toBeVisible()
  await watch.expectQuiet('home and sidebar')
  const sidebar = page.getByRole('navigation')
  await expect(sidebar.getByRole('link', { name: /onerror/ }).first()).toBeVisible()

  await test.step('the search of the sidebar', async () => {
    const search = sidebar.getByRole('searchbox').or(sidebar.getByRole('textbox')).first()
    await search.fill('<script>')
    await expect(sidebar.getByRole('link', { name: /<script>/ }).first()).toBeVisible()
    await search.fill('no such thread <img src=x onerror=alert(1)>\u202e')
    await expect(sidebar.getByText('no such thread').first()).toBeVisible()
    await watch.expectQuiet('search in the sidebar')
    await search.fill('')
  })

  await test.step('the palette', async () => {
    await page.keyboard.press('ControlOrMeta+k')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toBeVisible()
    await expect(dialog.getByText('onerror').first()).toBeAttached()
    await frames(page)
    await watch.expectQuiet('the palette')
    await page.keyboard.press('Escape')
  })

  await test.step('menus of a new thread', async () => {
    await page.goto('/new')
    for (const menu of ['Project', 'Model']) {
      await page.getByRole('button', { name: menu, exact: true }).click()
      await expect(page.getByRole('menuitemradio').nth(20)).toBeAttached()
      await frames(page)
      await watch.expectQuiet(`menu ${menu}`)
      await page.keyboard.press('Escape')
    }
  })

  for (const part of ['providers', 'projects'] as const)
    await test.step(`settings of ${part}`, async () => {
      await page.goto(`/settings/${part}`)
      await expect(page.getByRole('heading', { level: 3 }).nth(5)).toBeVisible()
      await watch.expectQuiet(`settings of ${part}`)
      await page
        .getByRole('button', { name: /^Edit .*<script>/ })
        .first()
        .click()
      await frames(page)
      await watch.expectQuiet(`the form of ${part}`)
    })

  await test.step('all rollouts and the queue of reviews', async () => {
    await page.goto('/rollouts')
    const rows = page.getByRole('row')
    await expect(rows.nth(5)).toBeVisible()
    while ((await rows.count()) < names) {
      const before = await rows.count()
      await page.getByRole('button', { name: 'More' }).click()
      await expect.poll(() => rows.count()).toBeGreaterThan(before)
    }
    await watch.expectQuiet('list of rollouts')
    await page.goto('/reviews')
    await expect(page.locator('[data-queue-line]').first()).toBeVisible()
    await watch.expectQuiet('queue of reviews')
  })

  await test.step('the title of the tab', async () => {
    const hostile = (await seeded.store.threads.list({ ownerId: seeded.ownerId, limit: 200 })).filter(
      ({ title }) => /<\/title>|\u202e|document\.title/.test(title),
    )
    expect(hostile.length).toBeGreaterThan(2)
    for (const { id } of hostile.slice(0, 4)) {
      await page.goto(`/threads/${id}`)
      await expect(page).toHaveTitle(/ · Baton$/)
      expect(await page.title()).not.toMatch(/[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/)
    }
    await watch.expectQuiet('titles of tabs')
  })
})

test('SEC-51 SEC-54 notes, plan, window and changes beside a thread', async ({ page, watch, seeded }) => {
  await page.setViewportSize({ width: 1_400, height: 3_000 })
  await page.goto(`/threads/${seeded.threadId}`)
  const open = async (tab: string): Promise<void> => {
    const trigger = page.getByRole('tab', { name: tab })
    await trigger.click()
    await expect(trigger).toHaveAttribute('aria-selected', 'true')
  }
  await expect(page.getByRole('tab', { name: 'Plan' })).toBeVisible()

  await test.step('the queue above the composer', async () => {
    await expect.poll(() => page.locator('[data-queue-entry]').count()).toBeGreaterThanOrEqual(nearlyAll)
    await watch.expectQuiet('the queue')
  })

  await test.step('the plan', async () => {
    await open('Plan')
    await expect(page.getByRole('tabpanel', { name: 'Plan' }).getByRole('listitem').first()).toBeVisible()
    await watch.expectQuiet('the plan')
  })

  await test.step('the windows: what fills each, and what it was told', async () => {
    await open('Window')
    const which = page.getByLabel('Which window')
    await expect(which).toBeVisible()
    const ids = await which
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))
    expect(ids.length).toBe(seeded.turns)
    for (const id of ids) {
      await which.selectOption(id)
      await expect(page.locator('[data-heap]').first()).toBeVisible()
      await walk(page, '[data-testid=window-panel]', { press: '[data-heap][aria-expanded=false]' })
    }
    await watch.expectQuiet('windows')
  })

  await test.step('the notes', async () => {
    await open('Notes')
    const panel = page.getByRole('tabpanel', { name: 'Notes' })
    const entries = panel.getByRole('list').getByRole('button')
    await expect(entries.first()).toBeVisible()
    const more = panel.getByRole('button', { name: 'More' })
    while (await more.isVisible()) {
      const before = await entries.count()
      await more.click()
      await expect.poll(() => entries.count()).toBeGreaterThan(before)
    }
    expect(await entries.count()).toBeGreaterThanOrEqual(nearlyAll)
    await watch.expectQuiet('list of notes')
    for (const at of [0, 50, 200, 300]) {
      await entries.nth(at).click()
      await expect(panel.getByTestId('note')).toBeVisible()
      await expect(panel.getByTestId('note-text').or(panel.getByRole('alert'))).toBeVisible()
      await panel.getByTestId('note').getByRole('button').first().click()
      await expect(entries.first()).toBeVisible()
    }
    await watch.expectQuiet('a note')
  })

  await test.step('the changes', async () => {
    await open('Changes')
    await expect(page.getByRole('tabpanel', { name: 'Changes' }).getByRole('alert')).toBeVisible()
    await watch.expectQuiet('changes')
  })
})
