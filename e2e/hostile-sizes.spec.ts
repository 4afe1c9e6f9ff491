import type { Locator, Page } from '@playwright/test'
import { seedLargeThread } from '../test/hostile/large.ts'
import { log } from './setup/baton.ts'
import { expect, test, walk } from './setup/hostile.ts'
import { expectLively, sizeOf } from './setup/hostile-size.ts'

/** Whatever is in a thread, no more of it than this is in the document before a person asks for more. */
const most = { elements: 25_000, chars: 1_500_000, longest: 200_000, rows: 60 }

const expectBounded = async (page: Page, place: string): Promise<void> => {
  const size = await sizeOf(page)
  expect.soft(size.elements, `elements, ${place}`).toBeLessThan(most.elements)
  expect.soft(size.chars, `characters, ${place}`).toBeLessThan(most.chars)
  expect.soft(size.longest, `the longest text, ${place}`).toBeLessThanOrEqual(most.longest)
  expect.soft(size.rows, `rows, ${place}`).toBeLessThanOrEqual(most.rows)
}

/** Presses "more" once wherever it stands. */
const pressMore = async (box: Locator): Promise<void> => {
  const buttons = box.getByRole('button', { name: /more|whole|show all|earlier|read on/i })
  for (const button of (await buttons.all()).slice(0, 12)) if (await button.isVisible()) await button.click()
}

test('SEC-57 deep nesting, a line of 10 MB, a million values and 100,000 changed lines leave the tab alive', async ({
  page,
  watch,
  seeded,
}) => {
  test.slow()
  const { threadId } = await seedLargeThread(seeded.store, seeded)

  await test.step('the thread opens, and everything in it', async () => {
    await page.goto(`/threads/${threadId}`)
    await expect(log(page).getByText('This is the end of it.')).toBeVisible()
    await walk(page, '[data-testid=thread-list]', { press: '[data-item=turn] button[aria-expanded=false]' })
    await walk(page, '[data-testid=thread-list]')
    await expectBounded(page, 'a thread with everything open')
    await expectLively(page)
    await pressMore(log(page))
    await expectLively(page)
    await watch.expectQuiet('a large thread')
  })

  await test.step('its rollout opens, and the step with all of it', async () => {
    await page.goto(`/threads/${threadId}/rollout?kind=step&tab=did`)
    await page.getByTestId('rollout-rows').getByRole('option').first().click()
    await expect(page.getByTestId('step-did')).toBeVisible()
    await walk(page, '[data-testid=step-did]')
    await expectBounded(page, 'a step with everything open')
    await expectLively(page)
    await pressMore(page.getByTestId('step-did'))
    await expectLively(page)
    for (const tab of ['Changed', 'Raw', 'Saw']) {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
      await expect(page.locator('#step-panel [tabindex="0"]').first()).toBeVisible()
      await expectLively(page)
      await expectBounded(page, `a step, ${tab}`)
    }
    await watch.expectQuiet('a large rollout')
  })
})
