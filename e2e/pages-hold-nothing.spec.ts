import { request } from '@playwright/test'
import { expect, log, owner, startThread, test } from './setup/baton.ts'

const word = 'quetzalcoatlus'

/** Ways to ask for a page that have let strangers past a guard that stood in front of it. */
const ways: { query?: string; headers?: Record<string, string> }[] = [
  {},
  { headers: { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware' } },
  { headers: { 'x-middleware-subrequest': 'src/proxy:src/proxy:src/proxy:src/proxy:src/proxy' } },
  { headers: { rsc: '1' }, query: '?_rsc=1' },
  { headers: { rsc: '1', 'next-router-prefetch': '1', 'next-url': '/' } },
  { headers: { 'x-nextjs-data': '1', purpose: 'prefetch' } },
  { headers: { 'next-action': '0000000000000000000000000000000000000000' } },
]

test('SEC-39 pages hold nothing of anybody, however they are asked for', async ({ page, baton }) => {
  const threadId = await startThread(page, { text: `a private word: ${word}` })
  await expect(log(page).getByText(word)).toBeVisible()
  const stranger = await request.newContext({
    baseURL: baton.app.url,
    storageState: { cookies: [], origins: [] },
  })
  const paths = [
    ...[
      '/',
      `/threads/${threadId}`,
      `/threads/${threadId}/rollout`,
      '/rollouts',
      '/reviews',
      '/settings/account',
      '/settings/team',
      '/settings/team/audit',
    ],
    ...[`/threads/${threadId}.rsc`, `/_next/data/build/threads/${threadId}.json`, `/en/threads/${threadId}`],
    ...[`/_next/image?url=%2Ft%2F${threadId}%2Fb%2F${'0'.repeat(64)}&w=64&q=75`],
  ]
  for (const path of paths)
    for (const { query = '', headers = {} } of ways) {
      const answer = await stranger.get(`${path}${path.includes('?') ? '' : query}`, {
        headers,
        maxRedirects: 0,
      })
      const said = await answer.text()
      expect.soft(said, `${path} ${JSON.stringify(headers)}`).not.toContain(word)
      expect.soft(said, `${path} ${JSON.stringify(headers)}`).not.toContain(owner.email)
    }
  await stranger.dispose()
})
