import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const globalSetup = 'packages/server/src/testing/global-setup.ts'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.{mjs,ts}', 'e2e/**/*.test.ts'],
    globalSetup: existsSync(new URL(globalSetup, import.meta.url)) ? [globalSetup] : [],
    setupFiles: ['vitest.setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
