import { defineConfig } from '@playwright/test'
import { chromiumLaunch } from './scripts/chromium.mjs'

/** Each test starts the servers it needs on free ports. */
export default defineConfig({
  testDir: 'test',
  outputDir: 'test-results',
  forbidOnly: true,
  workers: 2,
  timeout: 60_000,
  reporter: [['list']],
  // Recording every step takes a quarter of the processor time: `npm test -- NAME --trace on` does where it is wanted.
  use: { launchOptions: chromiumLaunch(), trace: 'off', screenshot: 'only-on-failure' },
  projects: [
    { name: 'renderer', testMatch: 'renderer/**/*.spec.ts' },
    { name: 'e2e', testMatch: 'e2e/**/*.spec.ts', timeout: 120_000 },
  ],
})
