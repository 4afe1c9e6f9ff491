import { expect, expectTurnEnded, log, startThread, test } from './setup/baton.ts'

test('a provider is tested, added, used, changed and deleted', async ({ page, baton }) => {
  baton.model.add({ name: 'only-here', rules: [{ reply: { text: 'Hello from the added provider.' } }] })
  await page.goto('/settings/providers')

  await test.step('those of the environment and the demo are read-only and say where they come from', async () => {
    await expect(page.getByText(/The offline demo model, because/)).toBeVisible()
    await expect(page.getByText(/From the environment of the server/)).toBeVisible()
    await expect(page.getByRole('button', { name: /^Edit/ })).toHaveCount(0)
  })

  const form = page.getByRole('form', { name: 'Add a provider' })
  await test.step('the form says what is wrong at the field', async () => {
    await page.getByRole('button', { name: 'Add a provider' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByText('Enter a name.')).toBeVisible()
    await expect(form.getByText('Choose at least one model.')).toBeVisible()
    await form.getByLabel('Format').selectOption('OpenAI Chat Completions')
    await form.getByLabel('Address').fill('not an address')
    await form.getByRole('button', { name: 'Test and list models' }).click()
    await expect(form.getByText('Enter an address that begins with http:// or https://.')).toBeVisible()
    await form.getByLabel('Address').fill('http://127.0.0.1:9/v1')
    await form.getByRole('button', { name: 'Test and list models' }).click()
    await expect(form.getByText('Check address and key, then test again.')).toBeVisible()
  })

  await test.step('a server that answers lists its models', async () => {
    await form.getByLabel('Name', { exact: true }).fill('Scripted server')
    await form.getByLabel('Address').fill(`${baton.model.url}/v1`)
    await form.getByLabel('Key').fill('sk-secret-of-a-journey')
    await form.getByRole('button', { name: 'Test and list models' }).click()
    await expect(form.getByText(/It answers with \d+ models/)).toBeVisible()
    await form.getByLabel('Find or add a model').fill('only')
    await form
      .getByRole('list', { name: 'Models to choose from' })
      .getByRole('button', { name: 'only-here' })
      .click()
    await form.getByRole('button', { name: /only-here.*context/ }).click()
    await form.getByLabel('Context (tokens)').fill('64000')
    await form.getByLabel('Input', { exact: true }).fill('1.5')
    await form.getByLabel('Output', { exact: true }).fill('6')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Scripted server is saved.')).toBeVisible()
    expect(await page.content()).not.toContain('sk-secret-of-a-journey')
  })

  await test.step('a thread uses it', async () => {
    await startThread(page, { text: 'Hello', model: 'only-here' })
    await expect(log(page).getByText('Hello from the added provider.')).toBeVisible({ timeout: 120_000 })
    await expectTurnEnded(page)
  })

  await test.step('it is changed, keeping its key, and deleted after a question', async () => {
    await page.goto('/settings/providers')
    await page.getByRole('button', { name: 'Edit Scripted server' }).click()
    const edit = page.getByRole('form', { name: 'Edit Scripted server' })
    await expect(edit.getByLabel('Key')).toHaveValue('')
    await edit.getByLabel('Name', { exact: true }).fill('Renamed server')
    await edit.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('heading', { name: 'Renamed server' })).toBeVisible()
    await page.getByRole('button', { name: 'Delete Renamed server' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Renamed server' })).toHaveCount(0)
  })
})
