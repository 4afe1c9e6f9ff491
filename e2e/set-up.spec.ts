import { expect, test } from '@playwright/test'
import { type Baton, owner, startBaton } from './setup/baton.ts'

let baton: Baton

test.beforeAll(async () => {
  test.setTimeout(240_000)
  baton = await startBaton()
})
test.afterAll(() => baton.stop())

test('the owner is made by the printed link, signs out and in again', async ({ page }) => {
  const { url, setupUrl } = baton.app

  await test.step('a stranger is led to set-up, which asks for the link', async () => {
    await page.goto(url)
    await expect(page.getByRole('heading', { name: 'This server has no owner yet' })).toBeVisible()
  })

  await test.step('the form says what is wrong at the field', async () => {
    await page.goto(setupUrl ?? '')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Enter your name.' })).toBeVisible()
    await page.getByLabel('Name').fill(owner.name)
    await page.getByLabel('E-mail').fill('no address')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await expect(page.getByText('Enter an e-mail address.')).toBeVisible()
    await expect(page.getByText('Use at least 10 characters.')).toBeVisible()
  })

  await test.step('the owner is made and is in', async () => {
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await expect(page.getByRole('heading', { name: 'Welcome to Baton' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Threads and projects' })).toContainText('connected')
  })

  await test.step('the link works once', async () => {
    await page.goto(setupUrl ?? '')
    await expect(page.getByRole('heading', { name: 'This server has its owner' })).toBeVisible()
  })

  const other = await page.context().newPage()
  await test.step('the account page knows the owner and signs out, in every tab', async () => {
    await other.goto(`${url}/settings/projects`)
    await expect(other.getByRole('heading', { name: 'Sample project' })).toBeVisible()
    await page.goto(`${url}/settings/account`)
    await expect(page.getByText(owner.email)).toBeVisible()
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const tab of [page, other]) {
      await expect(tab).toHaveURL(/\/login/)
      await expect(tab.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    }
  })

  await test.step('a wrong password is refused, the right one leads back', async () => {
    await page.goto(`${url}/settings/projects`)
    await expect(page).toHaveURL(/\/login\?next=/)
    await page.getByLabel('E-mail').fill(owner.email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText('The e-mail address or the password is wrong.')).toBeVisible()
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(/\/settings\/projects$/)
    await expect(page.getByRole('heading', { name: 'Sample project' })).toBeVisible()
  })
})
