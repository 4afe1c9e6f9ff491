import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

test('a folder becomes a project and the agent works in it', async ({ page }, info) => {
  const name = `my-folder-${info.repeatEachIndex}`
  const folder = info.outputPath(name)
  for (const path of ['src/deep', 'node_modules/left-pad']) mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'src/deep/héllo.txt'), 'words from the folder\n')
  writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\ncat src/deep/*.txt\n')
  writeFileSync(join(folder, 'node_modules/left-pad/index.js'), 'module.exports = 1\n')

  await page.goto('/settings/projects')
  await page.getByRole('button', { name: 'Create a project' }).click()
  const form = page.getByRole('form', { name: 'Create a project' })
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(form.getByText('Enter a name.')).toBeVisible()
  await form.getByLabel('Start from a folder').check()
  await form.getByLabel('Choose a folder').setInputFiles(folder)
  await expect(form.getByText(/2 files, .* · 1 file left out/)).toBeVisible()
  await expect(form.getByLabel('Name')).toHaveValue(name)
  await form.getByLabel('Instructions').fill('Be brief.')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByText(`${name} is saved.`)).toBeVisible()
  await expect(
    page
      .getByRole('listitem')
      .filter({ hasText: name })
      .getByText(/2 files, /),
  ).toBeVisible()

  await startThread(page, {
    text: 'run: ./run.sh && ls',
    project: name,
    model: 'Demo model (offline, scripted)',
  })
  await expect(
    log(page)
      .getByText(/words from the folder/)
      .first(),
  ).toBeVisible({ timeout: 120_000 })
  await expectTurnEnded(page)
  await expect(log(page).getByText('node_modules')).toHaveCount(0)

  await test.step('a project with threads is kept', async () => {
    await page.goto('/settings/projects')
    await page.getByRole('button', { name: `Delete ${name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByText('The project still has 1 thread.')).toBeVisible()
  })

  await test.step('an empty one comes and goes', async () => {
    await page.getByRole('button', { name: 'Create a project' }).click()
    await form.getByLabel('Name').fill('Blank')
    await form.getByRole('button', { name: 'Create', exact: true }).click()
    await expect(page.getByText('Blank is saved.')).toBeVisible()
    await page.getByRole('button', { name: 'Delete Blank' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Blank' })).toHaveCount(0)
  })
})
