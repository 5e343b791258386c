import { defineConfig } from '@playwright/test'
import { chromiumLaunch } from './tools/chromium.mjs'
import { useMemoryFolder } from './tools/memory-folder.mjs'

useMemoryFolder()

// Without a UTF-8 locale Chromium drops a chosen file whose name is not ASCII.
process.env['LC_ALL'] = 'C.UTF-8'

/** Each test starts the servers it needs on free ports. */
export default defineConfig({
  testDir: 'test',
  // In the order of their names: those of `e2e` are the longest, and no worker waits for one of them at the end.
  testMatch: '{e2e,renderer}/**/*.spec.ts',
  // Node reads our TypeScript itself, and shares what it compiled with the other tests: a first run takes a quarter less, and to
  // list the tests half of the time.
  build: { external: ['**/*.ts'] },
  // Beside the list of retried tests: Playwright empties this folder.
  outputDir: 'test-results/browser',
  forbidOnly: true,
  // More than CI has cores: a test waits for pages, timers and processes for a quarter of its time.
  workers: 3,
  // What hangs ends; what is only slow, because other tests use the machine too, does not fail.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  retries: 1,
  // Variants of what other tests cover, and pages that change seldom: `npm run test:night`.
  ...(process.env['FARHAND_NIGHT'] === '1' ? {} : { grepInvert: /@night/ }),
  reporter: [['list'], ['./tools/retried-tests.mjs']],
  use: {
    launchOptions: chromiumLaunch(),
    screenshot: 'only-on-failure',
    // A trace of each test would take a quarter of the processor.
    trace: 'on-first-retry',
    // Drawing transitions takes a sixteenth of the processor; at night they run.
    contextOptions: { reducedMotion: process.env['FARHAND_NIGHT'] === '1' ? 'no-preference' : 'reduce' },
  },
})
