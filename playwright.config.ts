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
  use: { launchOptions: chromiumLaunch(), trace: 'retain-on-failure', screenshot: 'only-on-failure' },
  projects: [
    { name: 'renderer', testMatch: 'renderer/**/*.spec.ts' },
    { name: 'e2e', testMatch: 'e2e/**/*.spec.ts', timeout: 120_000 },
  ],
})
