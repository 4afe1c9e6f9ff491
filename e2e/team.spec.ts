import { expectClean } from './setup/axe.ts'
import { expect, owner, test } from './setup/baton.ts'

const grace = { name: 'Grace Hopper', email: 'grace@example.com', password: 'nanoseconds of wire' }
const dialog = 'dialog'

test('a colleague is invited, joins in a browser of their own, and is let go', async ({
  page,
  browser,
  baton,
}) => {
  await page.goto('/settings/team')
  await expect(page.getByRole('list', { name: 'Members' }).getByText(owner.name)).toBeVisible()
  await page.getByRole('button', { name: 'Invite …' }).click()
  const form = page.getByRole('form', { name: 'Invite somebody' })
  await form.getByLabel('E-mail').fill('no address')
  await form.getByRole('button', { name: 'Make the link' }).click()
  await expect(form.getByText('Enter an e-mail address, or leave it empty.')).toBeVisible()
  await form.getByLabel('E-mail').fill(grace.email)
  await form.getByRole('button', { name: 'Make the link' }).click()
  const link = await page.getByRole('textbox', { name: 'Invitation link' }).inputValue()
  await expectClean(page, 'members')
  await page.getByRole('button', { name: 'Done' }).click()

  const theirs = await browser.newContext({
    baseURL: baton.app.url,
    storageState: { cookies: [], origins: [] },
  })
  const hers = await theirs.newPage()
  await test.step('she joins', async () => {
    await hers.goto(`${new URL(link).pathname}?token=${'x'.repeat(43)}`)
    await expect(hers.getByRole('heading', { name: 'There is no such invitation' })).toBeVisible()
    await hers.goto(link)
    await expect(hers.getByText(`${owner.name} invites you as Member.`)).toBeVisible()
    await expectClean(hers, 'invitation')
    await expect(hers.getByLabel('E-mail')).toHaveValue(grace.email)
    await hers.getByLabel('Your name').fill(grace.name)
    await hers.getByLabel('Password').fill('short')
    await hers.getByRole('button', { name: 'Join' }).click()
    await expect(hers.getByText('Use at least')).toBeVisible()
    await hers.getByLabel('Password').fill(grace.password)
    await hers.getByRole('button', { name: 'Join' }).click()
    await expect(hers.getByRole('navigation', { name: 'Threads and projects' })).toBeVisible()
    await hers.goto(link)
    await expect(hers.getByRole('heading', { name: 'This invitation was used' })).toBeVisible()
  })

  await test.step('she makes a token, which is shown once', async () => {
    await hers.goto('/settings/account')
    await hers.getByRole('button', { name: 'New token …' }).click()
    const tokens = hers.getByRole('form', { name: 'New token' })
    await tokens.getByLabel('Name').fill('nightly build')
    await tokens.getByRole('button', { name: 'Create the token' }).click()
    const secret = await hers.getByRole('textbox', { name: 'The new token' }).inputValue()
    expect(secret.length).toBeGreaterThan(40)
    const asScript = await hers.request.fetch(`${baton.app.url}/healthz`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    expect(asScript.status()).toBeLessThan(500)
    await hers.reload()
    await expect(hers.getByRole('list', { name: 'API tokens' }).getByText('nightly build')).toBeVisible()
    expect(await hers.content()).not.toContain(secret)
    await expect(hers.getByRole('list', { name: 'Sessions' }).getByText('This one')).toBeVisible()
    await expectClean(hers, 'account')
    await hers.goto('/settings/team/audit')
    await expect(hers.getByText('Owners and administrators manage the team')).toBeVisible()
  })

  await test.step('her role is changed, then her account is disabled: her open page ends', async () => {
    await page.reload()
    await page.getByRole('button', { name: `Role of ${grace.name}: Member` }).click()
    await page.getByRole('menuitemradio', { name: /^Viewer/ }).click()
    await expect(page.getByRole('button', { name: `Role of ${grace.name}: Viewer` })).toBeVisible()
    await page.getByRole('button', { name: `More about ${grace.name}` }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByRole(dialog).getByRole('button', { name: 'Disable' }).click()
    await expect(page.getByRole('list', { name: 'Members' }).getByText('Disabled')).toBeVisible()
    await hers.waitForURL(/\/login/)
    await hers.getByLabel('E-mail').fill(grace.email)
    await hers.getByLabel('Password').fill(grace.password)
    await hers.getByRole('button', { name: 'Sign in' }).click()
    await expect(hers.getByText('This account is disabled.')).toBeVisible()
  })

  await test.step('all of it stands in the audit log, in words', async () => {
    await page.goto('/settings/team/audit')
    const log = page.getByRole('list', { name: 'Audit log' })
    await expect(log.getByRole('listitem').first()).toContainText('disabled an account')
    await expect(log.getByText('made an invitation')).toBeVisible()
    await expectClean(page, 'audit log')
    await page.getByLabel('Person').selectOption({ label: grace.name })
    await page.getByLabel('What').selectOption({ label: 'Tokens' })
    await expect(log.getByRole('listitem')).toHaveCount(1)
    await expect(log.getByRole('listitem')).toContainText(`${grace.name} made a token`)
  })

  await test.step('an account of scripts has tokens of its own', async () => {
    await page.goto('/settings/team/service-accounts')
    await page.getByRole('button', { name: 'New service account …' }).click()
    const service = page.getByRole('form', { name: 'New service account' })
    await service.getByLabel('Name').fill('ci')
    await service.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: 'Tokens of ci' }).click()
    await page.getByRole('button', { name: 'New token …' }).click()
    const tokens = page.getByRole('form', { name: 'New token' })
    await tokens.getByLabel('Name').fill('deploy')
    await tokens.getByRole('button', { name: 'Create the token' }).click()
    await expect(page.getByRole('textbox', { name: 'The new token' })).toBeVisible()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('list', { name: 'Tokens of ci' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole(dialog).getByRole('button', { name: 'Revoke' }).click()
    await expect(page.getByText('1 revoked or expired token')).toBeVisible()
    await expectClean(page, 'service accounts')
  })
  await theirs.close()
})
