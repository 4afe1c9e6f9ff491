import type { Page } from '@playwright/test'
import { corpus } from '../test/hostile/corpus.ts'
import { expect, type Seeded, test, walk } from './setup/hostile.ts'

const nearlyAll = Math.floor(corpus.length * 0.9)
const rows = (page: Page) => page.getByTestId('rollout-rows')

const openRollout = async (page: Page, { threadId }: Seeded, query = ''): Promise<void> => {
  await page.goto(`/threads/${threadId}/rollout${query}`)
  await expect(rows(page).getByRole('option').first()).toBeVisible()
  await expect(rows(page).locator('[data-row=loading]')).toHaveCount(0)
}

/** Selects one row after the other of a list that fits the screen. */
const eachRow = async (page: Page, visit: (at: number) => Promise<void>, by = 1): Promise<number> => {
  const options = rows(page).getByRole('option')
  const count = await options.count()
  for (let at = 0; at < count; at += by) {
    await options.nth(at).click()
    await expect(options.nth(at)).toHaveAttribute('aria-selected', 'true')
    await visit(at)
  }
  return count
}

test('SEC-51 SEC-54 the rows, lanes, figures and marks of a rollout', async ({ page, watch, seeded }) => {
  await openRollout(page, seeded)
  const { seen } = await walk(page, '[data-testid=rollout-rows]', {
    kinds: {
      tools: '[data-row=tool]',
      messages: '[data-row=message]',
      markers: '[data-row=marker]',
      turns: '[data-row=turn]',
      unseen: '[data-unseen]',
    },
  })
  for (const kind of ['tools', 'messages', 'markers'])
    expect.soft(seen[kind], `different texts of ${kind}`).toBeGreaterThanOrEqual(nearlyAll)
  expect.soft(seen.turns).toBe(seeded.turns)
  expect.soft(seen.unseen, 'marks of what cannot be seen').toBeGreaterThan(20)
  await watch.expectQuiet('rows of a rollout')

  await test.step('under the pointer', async () => {
    const canvas = page.locator('canvas').first()
    const box = await canvas.boundingBox()
    if (box === null) throw new Error('there are no lanes')
    for (let y = box.y + 6; y < box.y + box.height; y += 12)
      for (let x = box.x + 10; x < box.x + box.width; x += box.width / 12) await page.mouse.move(x, y)
    await watch.expectQuiet('words under the pointer')
  })

  await test.step('the whole of it', async () => {
    await walk(page, '[data-testid=rollout-overview]')
    await watch.expectQuiet('overview of a rollout')
  })
})

test('SEC-51 SEC-52 SEC-53 SEC-54 steps of a rollout: saw, did, changed, raw', async ({
  page,
  watch,
  seeded,
}) => {
  test.slow()
  await page.setViewportSize({ width: 1_400, height: 2_400 })
  const content = '#step-panel [tabindex="0"]'
  const counted: Record<string, number> = {}
  // What was done is drawn in many ways, so each step is looked at; the other tabs draw in few, so every third shows all.
  for (const [tab, by, kinds, press] of [
    ['saw', 3, { blocks: '[data-block]' }, '[data-block=user] button[aria-expanded=false]'],
    ['did', 1, { items: '[data-item-id]', calls: '[data-testid=tool-call]' }, undefined],
    ['changed', 3, { files: 'code' }, undefined],
    ['raw', 3, {}, undefined],
  ] as const)
    await test.step(tab, async () => {
      await openRollout(page, seeded, `?kind=step&tab=${tab}`)
      const look = async (): Promise<void> => {
        await expect(page.locator(content).first()).toBeVisible()
        const { seen } = await walk(page, content, { kinds, ...(press === undefined ? {} : { press }) })
        for (const [kind, count] of Object.entries(seen)) counted[kind] = (counted[kind] ?? 0) + count
      }
      await eachRow(page, look, by)
      await watch.expectQuiet(`steps, ${tab}`)
    })
  for (const kind of ['items', 'calls'])
    expect.soft(counted[kind], `different texts of ${kind}`).toBeGreaterThanOrEqual(nearlyAll)
  for (const kind of ['blocks', 'files'])
    expect.soft(counted[kind], `different texts of ${kind}`).toBeGreaterThanOrEqual(nearlyAll / 3)
})

test('SEC-51 SEC-54 windows, turns and events of a rollout, and what find finds', async ({
  page,
  watch,
  seeded,
}) => {
  await page.setViewportSize({ width: 1_400, height: 1_500 })
  for (const [kind, by] of [
    ['window', 2],
    ['turn', 6],
    ['marker', 30],
  ] as const)
    await test.step(kind, async () => {
      await openRollout(page, seeded, `?kind=${kind}`)
      await eachRow(
        page,
        async () => {
          await expect(page.getByRole('group').first()).toBeVisible()
        },
        by,
      )
      await watch.expectQuiet(`each ${kind}`)
    })

  await test.step('find in one rollout', async () => {
    await openRollout(page, seeded)
    await rows(page).press('/')
    const field = page.getByRole('searchbox', { name: 'Find' }).or(page.locator('search input')).first()
    await field.fill('onerror')
    await field.press('Enter')
    await page.getByRole('button', { name: 'List all places' }).click()
    await expect(page.locator('search mark').first()).toBeVisible()
    await watch.expectQuiet('find in a rollout')
    await field.fill('<img src=x onerror=hostileRan(1)> \u202e no such words')
    await expect(page.locator('search [role=status]')).not.toBeEmpty()
    await watch.expectQuiet('find that finds nothing')
  })

  await test.step('find in all rollouts', async () => {
    for (const wanted of ['onerror', 'javascript', 'script']) {
      await page.goto(`/rollouts?find=${wanted}`)
      await expect(page.locator('mark').first()).toBeVisible()
      await watch.expectQuiet(`find ${wanted} everywhere`)
    }
    await page.goto(`/rollouts?find=${encodeURIComponent('"><img src=x onerror=hostileRan(1)>')}`)
    await expect(page.locator('main')).toContainText(/Nothing found|onerror/)
    await watch.expectQuiet('find markup everywhere')
  })
})
