import { defineConfig } from 'vitest/config'

// Two projects: `unit` needs nothing but Node; `integration` needs PostgreSQL and Docker, which scripts/test.mjs provides.
const integration = ['**/*.int.test.ts', 'test/turns/**/*.test.ts', 'test/chaos/**/*.test.ts']
/** Loaded machines are slow; what is waited for comes or it does not. */
const pollMs = 30_000
const never = ['node_modules/**', '.next/**', 'e2e/**']

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.{ts,tsx}',
            'test/**/*.test.ts',
            'sandbox/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: [...never, ...integration],
          environment: 'node',
          testTimeout: 60_000,
          expect: { poll: { timeout: pollMs } },
        },
      },
      {
        test: {
          name: 'integration',
          include: integration,
          exclude: never,
          environment: 'node',
          testTimeout: 120_000,
          expect: { poll: { timeout: pollMs } },
          hookTimeout: 600_000,
          maxWorkers: 2,
        },
      },
    ],
  },
})
