import { expect, test } from './setup/baton.ts'

test.describe('a browser that asks for Chinese', () => {
  test.use({ locale: 'zh-CN', timezoneId: 'Asia/Shanghai' })

  test('gets it: the lists, a whole thread, its rollout, a fault; and English on request, at once', async ({
    page,
    baton,
  }) => {
    await test.step('the page says which language it is in', async () => {
      await page.goto('/')
      await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN')
      await expect(page.getByRole('navigation', { name: '会话与项目' })).toContainText('已连接')
      await page.screenshot({ path: test.info().outputPath('home.png') })
    })

    await test.step('a thread is worked in it', async () => {
      await page.goto('/new')
      const box = page.getByRole('textbox', { name: '第一条消息' })
      await box.fill('Fix the failing test')
      await box.press('Enter')
      await page.waitForURL(/\/threads\/thr_/)
      await expect(page.getByText(/工作了 .*(秒|分)/).first()).toBeVisible({ timeout: 180_000 })
      await page.screenshot({ path: test.info().outputPath('thread.png') })
    })

    await test.step('its rollout is read in it', async () => {
      await page.goto(`${page.url().split('?')[0]}/rollout`)
      await expect(
        page
          .getByText('工作时长')
          .or(page.getByText(/\d+ 步/))
          .first(),
      ).toBeVisible()
      await expect(page.getByText(/\d 秒/).first()).toBeVisible()
      await page.screenshot({ path: test.info().outputPath('rollout.png') })
    })

    await test.step('a fault is said in it, and its own words stand below as English', async () => {
      await page.goto('/threads/thr_none/rollout')
      await expect(page.getByText('无法读取运行记录')).toBeVisible()
      await expect(page.getByText('输入无效。请更正输入后重试。')).toBeVisible()
      await expect(page.locator('p[lang=en]')).toContainText('must be an id that begins with thr_')
      await page.screenshot({ path: test.info().outputPath('fault.png') })
    })

    await test.step('English is one choice away, and stays', async () => {
      await page.goto(`${baton.app.url}/settings/account`)
      await page.screenshot({ path: test.info().outputPath('account.png') })
      await page.getByText('English', { exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
      await expect(page.locator('html')).toHaveAttribute('lang', 'en')
      await page.reload()
      await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
    })
  })
})

test('a stranger chooses the language before signing in', async ({ browser, baton }) => {
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const page = await context.newPage()
  await page.goto(`${baton.app.url}/login`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByText('简体中文', { exact: true }).click()
  await expect(page.getByRole('heading', { name: '登录' })).toBeVisible()
  await expect(page.getByLabel('电子邮箱')).toHaveValue('ada@example.com')
  await page.screenshot({ path: test.info().outputPath('sign-in.png') })
  await context.close()
})
