// An exported page is opened from disk, as whoever it was sent to would open it: nothing runs, nothing is asked for.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test as base, expect, type Page } from '@playwright/test'
import type { ThreadEvent } from '../src/protocol/event.ts'
import { newId } from '../src/protocol/ids.ts'
import { createExporter } from '../src/server/rollouts/export/export.ts'
import { canaries } from '../src/server/rollouts/redact/canaries.ts'
import {
  canary,
  corpus,
  foreignHost,
  longLine,
  longPatch,
  nested,
  tellPayload,
} from '../test/hostile/corpus.ts'
import { type MemoryRollout, madeRollout, memoryStore, wholeText } from '../test/setup/memory-rollout.ts'
import { expectTurnEnded, test as journey, startThread } from './setup/baton.ts'

type Heard = { calls: number[]; refused: string[] }

const test = base.extend<{ folder: string; heard: Heard; asked: string[] }>({
  // biome-ignore lint/correctness/noEmptyPattern: the fixtures are read from the pattern.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'baton-export-'))
    await use(folder)
    rmSync(folder, { recursive: true, force: true })
  },
  heard: async ({ page }, use) => {
    const heard: Heard = { calls: [], refused: [] }
    await page.exposeFunction('tellCall', (id: number) => void heard.calls.push(id))
    await page.exposeFunction('tellRefused', (what: string) => void heard.refused.push(what))
    await page.addInitScript((name) => {
      const tell = window as unknown as Record<string, (value: unknown) => void>
      tell[name] = (id) => tell.tellCall?.(id)
      document.addEventListener('securitypolicyviolation', (event) =>
        tell.tellRefused?.(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
      )
    }, canary)
    page.on('dialog', (dialog) => {
      heard.calls.push(-1)
      void dialog.dismiss()
    })
    await use(heard)
  },
  asked: async ({ page }, use) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await use(asked)
  },
})

// A trace keeps the whole page at every step, and these pages are large.
test.use({ trace: 'off' })

/** Every payload in every place of a rollout that holds text. */
const hostileRollout = (): MemoryRollout => {
  const texts = corpus.map(({ text }) => text)
  const rollout = madeRollout({
    title: texts.slice(0, 40).join(' '),
    requests: texts,
    answers: texts,
    outputs: texts,
    note: texts[0] ?? '',
    raw: new Uint8Array(),
  })
  const last = rollout.events.at(-1)
  const add = (type: ThreadEvent['type'], body: unknown): void => {
    const seq = rollout.events.length + 1
    const { threadId, windowId = newId('win'), actorId = 'system' } = last ?? { threadId: rollout.threadId }
    const event = { threadId, seq, type, windowId, actorId, at: 1_790_000_000_000, body }
    rollout.events.push(event as unknown as ThreadEvent)
  }
  const item = (value: object): void => add('item.completed', { item: { id: newId('itm'), ...value } })
  const error = (message: string) => ({ code: 'tool_failed' as const, message, next: message })
  for (const text of texts) {
    const output = { text }
    const state = { startedAt: 1, endedAt: 2, output, error: error(text) }
    const patch = { path: text, change: 'moved', movedTo: text, additions: 1, deletions: 1 }
    const call = {
      type: 'tool_call',
      callId: text,
      tool: text,
      arguments: { text: `*** Begin Patch\n+${text}` },
    }
    item({ ...call, state: { status: 'failed', ...state, detail: { type: 'patch', files: [patch] } } })
    item({ ...call, state: { status: 'succeeded', ...state, detail: { type: 'read', path: text } } })
    item({ ...call, state: { status: 'interrupted', ...state, reason: text } })
    item({ type: 'reasoning', text: { text } })
    item({ type: 'plan', entries: [{ text, status: 'pending' }], explanation: text })
    item({ type: 'question', questions: [{ id: 'q', text, options: [] }], answers: { q: [text] } })
    item({ type: 'notice', level: 'error', kind: 'x', text })
    add('step.retried', { error: error(text), attempt: 1, waitMs: 1, nextAt: 1 })
    add('egress.denied', { host: text, port: 443, rule: text })
    add('record.kept', { line: 1, kind: text, why: 'unknown_type', raw: { text } })
    item({
      type: 'user_message',
      actorId: 'system',
      via: 'start',
      content: [{ type: 'file', name: text, blob: 'a'.repeat(64), mediaType: text, bytes: 1 }],
    })
    add('turn.failed', {
      usage: { input: 1, cachedInput: 0, cacheWrite: 0, output: 1, reasoning: 0 },
      costMicros: null,
      durationMs: 1,
      steps: 1,
      error: error(text),
    })
  }
  return rollout
}

const written = async (rollout: MemoryRollout, format: 'html' | 'markdown'): Promise<string> => {
  const exporter = createExporter(memoryStore(rollout))
  const { digest } = await exporter.preview(rollout.threadId, 'none')
  const request = { threadId: rollout.threadId, format, redaction: 'none', confirm: digest } as const
  return wholeText((await exporter.open(request)).chunks)
}

const openFrom = async (page: Page, folder: string, html: string): Promise<string> => {
  const path = join(folder, 'rollout.html')
  writeFileSync(path, html)
  const url = pathToFileURL(path).href
  await page.goto(url)
  await page.evaluate(() => {
    for (const each of document.querySelectorAll('details')) each.open = true
  })
  return url
}

const harmful =
  'script, iframe, object, embed, frame, form, base, link, video, audio, svg, math, meta[http-equiv="refresh" i], img:not([src^="data:image/"]), main [style], [srcset], [background], a[href]:not([href^="http"]):not([href^="mailto:"]):not([href^="#turn-"])'

const handlers = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')].flatMap((element) =>
      element.getAttributeNames().filter((name) => name.startsWith('on') || name.includes(':')),
    ),
  )

test('SEC-51 SEC-52 SEC-53 a page full of hostile texts is text', async ({ page, folder, heard, asked }) => {
  const html = await written(hostileRollout(), 'html')
  const url = await openFrom(page, folder, html)
  await expect(page.locator('article.person')).toHaveCount(corpus.length * 2)
  expect(await page.locator('article.agent').count()).toBe(corpus.length)
  await expect(page.locator(harmful)).toHaveCount(0)
  expect(await handlers(page)).toEqual([])
  // Whatever could still begin by itself has its chance: pictures load, animations run, focus moves.
  await page.keyboard.press('Tab')
  await page.mouse.move(400, 400)
  await page.locator('article').last().scrollIntoViewIfNeeded()
  await expect.poll(() => page.evaluate(() => document.readyState)).toBe('complete')
  expect(heard.calls.map(tellPayload)).toEqual([])
  expect(heard.refused).toEqual([])
  expect(asked.filter((address) => address !== url && !address.startsWith('data:'))).toEqual([])
  const links = await page
    .locator('a[href^="http"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('rel')))
  expect(new Set(links)).toEqual(new Set(['noopener noreferrer']))
  expect(await page.title()).not.toMatch(/[\u202a-\u202e]/)
})

test('SEC-57 bodies that are hostile by size or depth still make a page', async ({
  page,
  folder,
  heard,
  asked,
}) => {
  const deep = nested(5_000)
  const bodies = [...Object.values(deep), longLine(10), longPatch(100_000)]
  const rollout = madeRollout({
    title: 'Deep',
    requests: bodies,
    answers: bodies,
    outputs: bodies,
    note: '',
    raw: new Uint8Array(),
  })
  const html = await written(rollout, 'html')
  expect(html.length).toBeLessThan(12_000_000)
  const url = await openFrom(page, folder, html)
  await expect(page.getByRole('heading', { name: `Turn ${bodies.length}` })).toBeVisible()
  await expect(page.getByText(/^Cut at .* of 10\.0 MB|^Cut at .* of 9\.5 MB/).first()).toBeAttached()
  await expect(page.locator(harmful)).toHaveCount(0)
  expect(heard.calls).toEqual([])
  expect(asked.filter((address) => address !== url)).toEqual([])
})

test('the policy of the page holds even for a script that somebody put in', async ({
  page,
  folder,
  heard,
  asked,
}) => {
  const rollout = madeRollout({
    title: 'A',
    requests: ['hello'],
    answers: ['**yes**'],
    outputs: ['fine'],
    note: '',
    raw: new Uint8Array(),
  })
  const stopped: string[] = []
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'csp') stopped.push(request.url())
  })
  const put = `<script>${canary}(1)</script><img src="https://p2.${foreignHost}/x.png"><style>main{display:none}</style>`
  const html = (await written(rollout, 'html')).replace('</main>', `${put}</main>`)
  const url = await openFrom(page, folder, html)
  await expect(page.getByText('yes')).toBeVisible()
  await expect.poll(() => heard.refused.length).toBeGreaterThanOrEqual(3)
  expect(heard.calls).toEqual([])
  expect(stopped).toEqual(asked.filter((address) => address !== url))
})

journey(
  'SEC-61 a rollout leaves without its secrets, and with them only on purpose',
  async ({ page }, testInfo) => {
    const secret = canaries(7)[0]?.secret ?? ''
    const thread = await startThread(page, {
      project: 'Sample project',
      model: 'Demo model (offline, scripted)',
      text: `Which discounts does the cart know? Use ${secret} if you must.`,
    })
    await expectTurnEnded(page)
    await page.goto(`/threads/${thread}/rollout`)
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export the rollout' })
    const kind = dialog.getByRole('button', { name: /OpenAI key/ })
    await expect(kind).toBeVisible()
    await kind.click()
    await expect(dialog.getByText('[redacted:openai-key]').first()).toBeVisible()
    expect(await dialog.textContent()).not.toContain(secret.slice(0, 16))

    const save = dialog.getByRole('button', { name: 'Download' })
    const saved = async (name: string): Promise<string> => {
      const [file] = await Promise.all([page.waitForEvent('download'), save.click()])
      const path = testInfo.outputPath(name)
      await file.saveAs(path)
      expect(file.suggestedFilename()).toMatch(/^[a-z0-9-]+\.(?:html|md|codex\.jsonl|baton\.jsonl)$/)
      await expect(dialog).toHaveCount(0)
      return path
    }
    await dialog.getByRole('radio', { name: /^Page/ }).click()
    const redacted = await saved('rollout.html')
    expect(readFileSync(redacted, 'utf8')).not.toContain(secret.slice(0, 16))

    await page.getByRole('button', { name: 'Export' }).click()
    await dialog.getByRole('radio', { name: /^Baton/ }).click()
    await dialog.getByRole('radio', { name: /^Nothing/ }).click()
    const confirm = dialog.getByRole('checkbox')
    await expect(confirm).not.toBeChecked()
    await expect(save).toBeDisabled()
    await confirm.check()
    await expect(save).toBeEnabled()
    expect(readFileSync(await saved('rollout.jsonl'), 'utf8')).toContain(secret)

    await page.goto(pathToFileURL(redacted).href)
    await expect(page.getByRole('heading', { name: /Which discounts/ })).toBeVisible()
    await expect(page.getByText('[redacted:openai-key]').first()).toBeVisible()
    await expect(page.getByRole('link', { name: /Which discounts/ })).toBeVisible()
  },
)
