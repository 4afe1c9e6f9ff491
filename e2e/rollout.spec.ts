// The rollout viewer: a step inspected down to its bytes, links that open their place, everything by keyboard, a rollout
// that is watched while it is made.
import type { Page } from '@playwright/test'
import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

const demo = {
  text: 'Fix the failing test',
  project: 'Sample project',
  model: 'Demo model (offline, scripted)',
}
const rows = (page: Page) => page.getByTestId('rollout-rows')
const selected = (page: Page) => rows(page).locator('[role=option][aria-selected=true]')

async function makeDemo(page: Page): Promise<string> {
  const threadId = await startThread(page, demo)
  await expect(log(page).getByText('The tests pass now')).toBeVisible({ timeout: 180_000 })
  await expectTurnEnded(page)
  return threadId
}

test('a step is inspected: what the model saw, what it did, what changed, the bytes', async ({ page }) => {
  await makeDemo(page)
  await page.getByRole('link', { name: 'Rollout', exact: true }).click()
  const overview = page.getByTestId('rollout-overview')
  await expect(overview.getByText('Context by step')).toBeVisible()
  await expect(overview.getByRole('slider', { name: /Context by step/ })).toBeVisible()

  await test.step('the call that patched', async () => {
    await rows(page).locator('[data-row=tool]', { hasText: 'apply_patch' }).click()
    await expect(page.getByRole('tab', { name: /Did/ })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByTestId('step-did').locator('[data-file="src/cart.js"]')).toBeVisible()
  })

  await test.step('what changed by it', async () => {
    await page.getByRole('tab', { name: /Changed/ }).click()
    const panel = page.getByRole('tabpanel')
    await expect(panel.locator('[data-file="src/cart.js"]')).toBeVisible()
    await expect(panel.getByText('item.price * item.quantity').first()).toBeVisible()
  })

  await test.step('the exact request, block by block', async () => {
    await page.getByRole('tab', { name: /Saw/ }).click()
    await expect(page.getByTestId('request-hash')).toHaveText(/exactly what was sent/)
    const blocks = page.getByTestId('request-blocks')
    await expect(blocks.locator('[data-block=tools]')).toBeVisible()
    await blocks.locator('[data-block=instructions] button').first().click()
    await expect(blocks.getByText(/You are Baton/).last()).toBeVisible()
    await blocks.locator('[data-block="world:rules"] button').first().click()
    await expect(blocks.getByText('hash ok').first()).toBeVisible()
  })

  await test.step('the difference to the step before', async () => {
    await page.getByRole('button', { name: 'Difference', exact: true }).click()
    const difference = page.getByTestId('difference')
    await expect(difference.getByText(/blocks? the same/)).toBeVisible()
    await expect(difference.getByText('Only in this step')).toBeVisible()
    await expect(page).toHaveURL(/vs=stp_/)
    await page.getByRole('button', { name: 'All', exact: true }).last().click()
  })

  await test.step('the bytes, hashed in the browser', async () => {
    await page.getByRole('tab', { name: 'Raw' }).click()
    await page.getByRole('button', { name: 'Check the hash here' }).click()
    await expect(page.getByTestId('hash-check')).toHaveAttribute('data-result', 'ok')
    await expect(page.getByRole('tabpanel').getByText(/events? of a stream/)).toBeVisible()
  })
})

test('a link opens, expands and marks its place; filters stand in the address', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const threadId = await makeDemo(page)
  await page.goto(`/threads/${threadId}/rollout`)
  await rows(page).locator('[data-row=tool]', { hasText: 'node --test' }).last().click()
  await expect(page).toHaveURL(/i=itm_/)
  await page.keyboard.press('y')
  await expect(page.getByText('Link copied')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toContain(`/threads/${threadId}/rollout?i=itm_`)

  await test.step('in another tab', async () => {
    const other = await context.newPage()
    await other.goto(link)
    await expect(selected(other)).toContainText('node --test')
    const itemId = new URL(link).searchParams.get('i')
    await expect(other.locator(`[data-item-id="${itemId}"]`)).toBeInViewport()
    await other.close()
  })

  await test.step('a link to a step, to an event, and to nowhere', async () => {
    await page.goto(`/threads/${threadId}/rollout?e=1`)
    await expect(selected(page)).toHaveCount(1)
    await page.goto(`/threads/${threadId}/rollout?s=stp_01890000-0000-7000-8000-000000000000`)
    await expect(page.getByText('This link leads nowhere')).toBeVisible()
    await page.getByRole('button', { name: 'The whole rollout' }).last().click()
    await expect(page.getByTestId('rollout-overview')).toBeVisible()
  })

  await test.step('a filter is kept over a reload', async () => {
    await page.goto(`/threads/${threadId}/rollout`)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('checkbox', { name: /apply_patch/ }).check()
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/tool=apply_patch/)
    await page.reload()
    await expect(rows(page).locator('[data-row=tool]')).toHaveCount(1)
    await page.getByRole('button', { name: /Remove the filter apply_patch/ }).click()
    await expect(rows(page).locator('[data-row=tool]', { hasText: 'node --test' }).first()).toBeVisible()
  })

  await test.step('find in all rollouts leads to the place', async () => {
    // At once after the filter went, whose address is still to be written.
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('checkbox', { name: /apply_patch/ }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /Remove the filter apply_patch/ }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await expect(page.getByRole('heading', { name: 'Rollouts' })).toBeVisible()
    await expect(page.locator(`[data-rollout="${threadId}"]`)).toBeVisible()
    await page.getByRole('searchbox', { name: 'Find in all rollouts' }).fill('quantity')
    await page.getByRole('region', { name: 'Places that were found' }).getByRole('link').nth(1).click()
    await expect(page).toHaveURL(/rollout\?i=itm_.*find=quantity/)
    await expect(selected(page)).toHaveCount(1)
  })
})

test('everything by keyboard: turns, steps, lanes, errors, find, focus; few rows in the document', async ({
  page,
}) => {
  const threadId = await startThread(page, { text: 'Do a hundred steps', model: 'many' })
  await expect(log(page).getByText('All hundred steps are done.')).toBeVisible({ timeout: 180_000 })
  await expectTurnEnded(page)
  await page.goto(`/threads/${threadId}/rollout`)
  await expect(rows(page).locator('[data-row=turn]').first()).toBeVisible()
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }

  await press('j')
  await expect(selected(page)).toContainText('Turn 1')
  await press('n')
  await expect(page.getByRole('heading', { name: /^Step 1\b/ })).toBeVisible()
  await press('n')
  await expect(page.getByRole('heading', { name: /^Step 2\b/ })).toBeVisible()
  await press('p')
  await expect(page.getByRole('heading', { name: /^Step 1\b/ })).toBeVisible()
  await press('ArrowDown')
  await expect(selected(page)).toContainText('Step number 1 of many.')
  await press('G')
  await expect(selected(page)).toHaveAttribute('aria-posinset', /^(30\d|3[1-9]\d)$/)
  expect(await page.locator('[data-row]').count()).toBeLessThanOrEqual(60)
  await press('g', 'g')
  await expect(selected(page)).toHaveAttribute('aria-posinset', '1')
  await press('l')
  await expect(page.getByRole('button', { name: 'tools', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  await press('h')
  await expect(page.getByRole('button', { name: 'steps', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  )

  await test.step('find', async () => {
    await press('/')
    const find = page.getByRole('searchbox', { name: 'Find' })
    await expect(find).toBeFocused()
    await find.fill('output 77')
    await expect(page.getByText('1 found')).toBeVisible()
    await find.press('Enter')
    await expect(selected(page)).toContainText('echo output 77')
    await expect(page.getByTestId('step-did').getByText('echo output 77').first()).toBeVisible()
    await find.press('Escape')
    await expect(find).toHaveCount(0)
  })

  await press('f')
  await expect(page).toHaveURL(/only=trn_/)
  await press('f')
  await expect(page).not.toHaveURL(/only=trn_/)
  await press('o')
  await expect(page.getByTestId('rollout-overview')).toBeVisible()
  await press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('In a rollout')
  await press('Escape')

  await test.step('find within the thread itself', async () => {
    await page.goto(`/threads/${threadId}`)
    await expect(log(page)).toBeVisible()
    await press('ControlOrMeta+f')
    const find = page.getByRole('searchbox', { name: 'Find' })
    await find.fill('Step number 3 of many')
    await expect(page.getByText('1 found')).toBeVisible()
    await find.press('Enter')
    await expect(log(page).getByText('Step number 3 of many.')).toBeInViewport()
  })
})

test('a rollout is watched while it is made: it follows at the end, and counts what is new otherwise', async ({
  page,
}) => {
  const threadId = await startThread(page, { text: 'Watch this', model: 'waiting' })
  await expect(log(page).getByText('I wait for a word.')).toBeVisible({ timeout: 120_000 })
  await page.goto(`/threads/${threadId}/rollout`)
  await expect(page.getByText('live', { exact: true })).toBeVisible()
  const last = async (): Promise<number> =>
    Number(await rows(page).locator('[role=option]').last().getAttribute('aria-posinset'))
  const total = async (): Promise<number> =>
    Number(await rows(page).locator('[role=option]').last().getAttribute('aria-setsize'))

  await test.step('the view is at the end and stays there', async () => {
    await expect.poll(total, { timeout: 120_000 }).toBeGreaterThan(50)
    await expect.poll(async () => (await last()) === (await total())).toBe(true)
  })

  await test.step('away from the end it stays where it is', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('g')
    await expect(selected(page)).toHaveAttribute('aria-posinset', '1')
    await expect(page.getByRole('button', { name: /^\d+ new$/ })).toBeVisible()
    await expect(rows(page).locator('[aria-posinset="1"]')).toBeInViewport()
    await page.getByRole('button', { name: /^\d+ new$/ }).click()
    await expect.poll(async () => (await last()) === (await total())).toBe(true)
  })

  await page.goto(`/threads/${threadId}`)
  await page.keyboard.press('ControlOrMeta+.')
  await expect(page.locator('[data-turn=working]')).toHaveCount(0)
})
