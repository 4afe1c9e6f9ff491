import { corpus } from '../test/hostile/corpus.ts'
import { expectTurnEnded, log, startThread } from './setup/baton.ts'
import { expect, test, walk } from './setup/hostile.ts'

// Almost every payload leaves a text of its own; some of them look the same once nothing in them is hidden.
const nearlyAll = Math.floor(corpus.length * 0.9)

test('SEC-51 what a model writes and a command prints stays text while it streams', async ({
  page,
  watch,
}) => {
  await startThread(page, { text: '<img src=x onerror=alert(1)> look', model: 'hostile' })
  await expect(log(page).getByText('The end of the hostile text.').last()).toBeVisible({ timeout: 120_000 })
  await expectTurnEnded(page)
  await log(page)
    .getByRole('button', { name: /Worked .* step/ })
    .click()
  await log(page).getByText('printf').first().click()
  await expect(log(page).getByText('visible end').first()).toBeVisible()
  await expect(log(page).getByText('ansi link').first()).toBeVisible()
  await watch.expectQuiet('a thread as it streams')
})

test('SEC-51 SEC-52 SEC-53 SEC-54 a thread with every payload in every kind of item', async ({
  page,
  watch,
  seeded,
}) => {
  test.slow()
  await page.setViewportSize({ width: 1_000, height: 4_000 })
  await page.goto(`/threads/${seeded.threadId}`)
  await expect(log(page).locator('[data-row=turn]').last()).toBeVisible()
  await watch.expectQuiet('a thread as it opens')
  // Work that is folded comes in under what is pressed, so it is opened on the way up and looked at on the way down.
  const list = '[data-testid=thread-list]'
  const until = corpus[0]?.text ?? ''
  await walk(page, list, { up: true, press: '[data-item=turn] button[aria-expanded=false]', until })
  const { seen } = await walk(page, list, {
    kinds: {
      users: '[data-row] article > div > *',
      agents: '[data-item=agent_message]',
      calls: '[data-item=tool_call]',
      thoughts: '[data-item=reasoning]',
      notices: '[data-item=notice]',
      markers: '[data-row=marker]',
      diffs: '[data-item=tool_call] section',
      unseen: '[data-unseen]',
      questions: 'dt',
    },
  })
  await watch.expectQuiet('a thread with everything open')
  for (const kind of ['users', 'agents', 'calls', 'notices', 'markers', 'diffs', 'questions'])
    expect.soft(seen[kind], `different texts of ${kind}`).toBeGreaterThanOrEqual(nearlyAll)
  expect.soft(seen.thoughts, 'different thoughts, of five each').toBeGreaterThanOrEqual(nearlyAll / 5)
  expect.soft(seen.unseen, 'marks of what cannot be seen').toBeGreaterThan(20)
  expect(page.url()).toContain(seeded.threadId)
})
