import type { Page } from '@playwright/test'
import { newId } from '../src/protocol/ids.ts'
import { corpus } from '../test/hostile/corpus.ts'
import { oneLine } from '../test/hostile/hostile-thread.ts'
import { seedHostileThread } from '../test/hostile/seed.ts'
import { expect, type Seeded, test, walk } from './setup/hostile.ts'

const nearlyAll = Math.floor(corpus.length * 0.9)
const rows = (page: Page) => page.getByTestId('rollout-rows')
const kept = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed()

/** Every payload as a comment on the first step, in the reasons of verdicts, and in the names of labels. */
const seedReviews = async ({ store, threadId, ownerId }: Seeded): Promise<void> => {
  const [step] = await store.windows.steps(threadId)
  if (step === undefined) throw new Error('the thread has no step')
  for (const { text } of corpus) {
    const comment = { commentId: newId('cmt'), threadId, authorId: ownerId }
    await store.reviews.comment({
      ...comment,
      text: kept(text).slice(0, 5_000) || 'empty',
      on: { stepId: step.stepId },
    })
  }
  const verdicts = ['accepted', 'needs_work', 'rejected'] as const
  let baseVersion = 0
  for (let from = 0; from < corpus.length; from += 20) {
    const reason = corpus
      .slice(from, from + 20)
      .map(({ text }) => kept(text).slice(0, 240))
      .join('\n')
    const given = { threadId, reviewerId: ownerId, action: 'given' as const, reason, baseVersion }
    const made = await store.reviews.review({ ...given, verdict: verdicts[(from / 20) % 3] ?? 'rejected' })
    baseVersion = made.version
  }
  const labels: string[] = []
  for (let from = 0; from < corpus.length; from += 3) {
    const name = corpus
      .slice(from, from + 3)
      .map(({ text }) => oneLine(text).slice(0, 200))
      .join(' ')
    const label = { name, colour: 'red' as const, description: '' }
    labels.push((await store.reviews.createLabel(label, ownerId)).id)
  }
  await store.reviews.label(threadId, labels.slice(0, 30), [], ownerId)
}

test('SEC-51 SEC-54 comments, reasons of verdicts and labels of a rollout', async ({
  page,
  watch,
  seeded,
}) => {
  test.slow()
  await seedReviews(seeded)
  await page.setViewportSize({ width: 1_400, height: 2_000 })
  await page.goto(`/threads/${seeded.threadId}/rollout?kind=step`)
  await rows(page).getByRole('option').first().click()
  const comments = page.getByRole('region', { name: 'Comments' })
  await expect(comments).toBeVisible()
  const said = comments.getByRole('article')
  await expect(said.first()).toBeVisible()
  const more = comments.getByRole('button', { name: 'More comments' })
  while (await more.isVisible()) {
    const before = await said.count()
    await more.click()
    await expect.poll(() => said.count()).toBeGreaterThan(before)
  }
  expect.soft(await said.count(), 'comments').toBeGreaterThanOrEqual(nearlyAll)
  await watch.expectQuiet('comments')

  await test.step('the form of a review and its history', async () => {
    await page
      .getByRole('button', { name: /^(Accepted|Needs work|Rejected)$/ })
      .first()
      .click()
    const form = page.getByRole('dialog')
    await expect(form).toBeVisible()
    await watch.expectQuiet('the form of a review')
    await form
      .getByRole('button', { name: /History/ })
      .first()
      .click()
    await expect(
      page.getByRole('dialog', { name: 'History of the review' }).getByRole('listitem').nth(20),
    ).toBeAttached()
    await watch.expectQuiet('history of a review')
    await page.keyboard.press('Escape')
  })

  await test.step('the queue and the labels', async () => {
    await page.goto('/reviews')
    await page
      .getByRole('tab', { name: /Mine|took part|Reviewed/i })
      .or(page.getByRole('tab').nth(1))
      .first()
      .click()
    await expect(page.locator('[data-queue-line]').first()).toBeVisible()
    await watch.expectQuiet('queue of reviews')
    await page.getByRole('button', { name: 'Labels' }).click()
    await expect(page.getByRole('dialog').getByRole('textbox').nth(20)).toBeAttached()
    await watch.expectQuiet('the labels')
  })
})

test('SEC-51 SEC-54 two hostile rollouts side by side', async ({ page, watch, seeded }) => {
  test.slow()
  const { store, ownerId, projectId, threadId } = seeded
  // The same turns with their payloads in another order, so that every line differs.
  const turned = Array.from({ length: corpus.length }, (_, at) => corpus[at ^ 1] ?? corpus[at]).filter(
    (payload) => payload !== undefined,
  )
  const other = await seedHostileThread(store, { ownerId, projectId, payloads: turned })
  await page.goto(`/rollouts/compare?a=${threadId}&b=${other.threadId}`)
  await expect(page.getByTestId('compare-lines').locator('[data-line]').first()).toBeVisible()
  const { seen } = await walk(page, '[data-testid=compare-lines]', { kinds: { lines: '[data-line]' } })
  expect.soft(seen.lines, 'different lines').toBeGreaterThanOrEqual(nearlyAll)
  await watch.expectQuiet('lines of a comparison')
  for (let at = 0; at < 8; at += 1) {
    await page.keyboard.press('n')
    await expect(page.locator('[data-line][aria-pressed=true]')).toBeVisible()
  }
  await watch.expectQuiet('differences, one after the other')
})

test('SEC-51 SEC-54 a hostile file that is imported, and the dialog that exports', async ({
  page,
  watch,
  seeded,
}) => {
  const at = '2026-11-02T09:00:00.000Z'
  const line = (type: string, payload: unknown): string => JSON.stringify({ timestamp: at, type, payload })
  const message = (role: string, text: string): string =>
    line('response_item', {
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    })
  const file = [
    line('session_meta', {
      id: 'hostile',
      timestamp: at,
      cwd: '/"><img src=x onerror=hostileRan(1)>',
      originator: '<script>hostileRan(1)</script>',
      cli_version: '\u202e0.0',
    }),
    ...corpus.flatMap(({ text }) => [
      message('user', text),
      message('assistant', text),
      line('response_item', {
        type: 'function_call',
        name: oneLine(text),
        arguments: JSON.stringify({ cmd: text }),
        call_id: `c${text.length}`,
      }),
      line(oneLine(text), { type: text, text }),
      // A line that is no JSON at all.
      oneLine(text).replace(/^[{["\d]/, '<'),
    ]),
  ].join('\n')
  await page.goto('/rollouts')
  await page
    .getByRole('button', { name: /^Import/ })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('input[type=file]').setInputFiles({
    name: '<img src=x onerror=hostileRan(1)>\u202elnosj.jsonl',
    mimeType: 'application/jsonl',
    buffer: Buffer.from(file),
  })
  await expect(dialog.getByRole('status').filter({ hasText: /imported/i })).toBeVisible({ timeout: 120_000 })
  await dialog.locator('details').evaluateAll((all) => {
    for (const details of all as HTMLDetailsElement[]) details.open = true
  })
  await expect(dialog.getByText('onerror').first()).toBeAttached()
  await watch.expectQuiet('the report of an import')

  await test.step('what was imported', async () => {
    await dialog.getByRole('link', { name: /Open/ }).click()
    await expect(rows(page).getByRole('option').first()).toBeVisible()
    const { seen } = await walk(page, '[data-testid=rollout-rows]', {
      kinds: { records: '[data-row=record]', messages: '[data-row=message]' },
    })
    expect.soft(seen.records, 'different records').toBeGreaterThanOrEqual(nearlyAll)
    expect.soft(seen.messages, 'different messages').toBeGreaterThanOrEqual(nearlyAll)
    await watch.expectQuiet('an imported rollout')
  })

  await test.step('the dialog that exports', async () => {
    await page.goto(`/threads/${seeded.threadId}/rollout`)
    await expect(rows(page).getByRole('option').first()).toBeVisible()
    await page.getByRole('button', { name: /^Export/ }).click()
    await expect(page.getByRole('dialog').getByRole('button', { name: /Download/ })).toBeEnabled()
    await walk(page, '[role=dialog]')
    await watch.expectQuiet('the dialog that exports')
  })
})
