import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const chromium = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && path !== '' && existsSync(path),
)

// One journey at a time: each has a server, a database and containers of its own, on two cores.
export default defineConfig({
  testDir: 'e2e',
  // The pictures of the README are taken when somebody asks for them, and nothing else is run then.
  testMatch: process.env.BATON_PICTURES === '1' ? 'pictures.ts' : '**/*.spec.ts',
  outputDir: 'test-results',
  workers: 1,
  retries: 1,
  forbidOnly: true,
  timeout: 240_000,
  expect: { timeout: 60_000 },
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 90_000,
    trace: 'retain-on-failure',
    viewport: { width: 1360, height: 860 },
    launchOptions: {
      ...(chromium === undefined ? {} : { executablePath: chromium }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
