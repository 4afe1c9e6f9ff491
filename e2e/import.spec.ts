// A session of another program becomes a rollout: chosen, read, reported, opened; and what is none says so.
import { writeFileSync } from 'node:fs'
import { expect, test } from './setup/baton.ts'

const line = (type: string, payload: unknown, second: number): string =>
  `${JSON.stringify({ timestamp: new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString(), type, payload })}\n`

const message = (role: string, text: string, second: number): string =>
  line(
    'response_item',
    { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
    second,
  )

const session = [
  line('session_meta', { id: 'a', originator: 'codex_cli', cli_version: '1.2.3' }, 0),
  line('turn_context', { model: 'gpt-5-codex' }, 0),
  message('user', 'Mend the upload test of the import journey', 1),
  line(
    'response_item',
    { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"npm test"}', call_id: 'c1' },
    2,
  ),
  line(
    'response_item',
    { type: 'function_call_output', call_id: 'c1', output: 'Exit code: 0\nall 12 tests pass' },
    6,
  ),
  line('event_msg', { type: 'riddle' }, 6),
  'this line is torn\n',
  line(
    'event_msg',
    {
      type: 'token_count',
      info: { total_token_usage: { input_tokens: 52_000, cached_input_tokens: 40_000, output_tokens: 900 } },
    },
    7,
  ),
  message('assistant', 'The upload test passes again.', 8),
].join('')

test('a session of another program becomes a rollout, with a report of what was read', async ({
  page,
}, info) => {
  const file = info.outputPath('rollout-2026-01-01.jsonl')
  writeFileSync(file, session)
  await page.goto('/rollouts')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Import a rollout' })
  await expect(dialog.getByText('Drop a session file here')).toBeVisible()
  await expect(dialog.getByText('Claude Code', { exact: true })).toBeVisible()
  await expect(dialog.getByLabel('Project')).toHaveValue(/^prj_/)

  const letter = info.outputPath('letter.txt')
  writeFileSync(letter, 'Dear Ada,\nthis is no rollout.\n')
  await dialog.getByLabel('Choose a file').setInputFiles(letter)
  await expect(dialog.getByText('Nothing was imported')).toBeVisible()
  await expect(dialog.getByText(/neither JSON nor JSON Lines/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Choose another file' }).click()

  await dialog.getByLabel('Choose a file').setInputFiles(file)
  await expect(dialog.getByRole('status')).toHaveText('Imported')
  await expect(dialog.getByText('codex_cli 1.2.3 · rollout-2026-01-01.jsonl')).toBeVisible()
  await expect(dialog.getByText('52.0k · 900')).toBeVisible()
  await expect(dialog.getByText('1 thing was odd')).toBeVisible()
  await expect(dialog.getByText('line 7')).toBeVisible()
  await expect(dialog.getByText('this is not JSON')).toBeVisible()
  await expect(dialog.getByText('event_msg/riddle').first()).toBeVisible()

  await dialog.getByRole('link', { name: 'Open rollout' }).click()
  await expect(page).toHaveURL(/\/threads\/thr_[^/]+\/rollout/)
  await expect(page.getByText('Mend the upload test of the import journey').first()).toBeVisible()
  await page.goto('/rollouts?from=import')
  await expect(
    page.getByRole('link', { name: /Mend the upload test of the import journey/ }).first(),
  ).toBeVisible()
})
