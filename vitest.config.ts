import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Shells that tests open start here: what the user of this machine runs at log-in is no part of a test. */
const emptyHome = join(tmpdir(), 'farhand-test-home')
mkdirSync(emptyHome, { recursive: true })

/** The tests of one folder below test/; `npx vitest run --project server` runs them alone. */
const project = (name: string) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.{ts,tsx}`],
    // What hangs ends; what is only slow, because other tests use the machine too, does not fail.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, as it is by itself, is what a busy machine needs to start a process.
    expect: { poll: { timeout: 50_000 } },
    // Files share what a worker has loaded: a third of the processor time was reading the same server again.
    isolate: false,
    env: { HOME: emptyHome },
  },
})

export default defineConfig({
  test: {
    // More than CI has cores: half of the time a test waits, for a process, a timer or a disk.
    maxWorkers: 4,
    projects: [
      ...['shared', 'signalr', 'server', 'agent', 'renderer', 'surface', 'security', 'scripts', 'network'].map(project),
      // Started by `npm run test:wine`, which makes what it needs.
      ...(process.env['FARHAND_WINE'] ? [project('wine')] : []),
      {
        // The stand-in for Electron has a state: each file gets its own.
        test: { ...project('main').test, isolate: true, server: { deps: { inline: ['electron-store'] } } },
        // Electron's own package would try to download its program; the tests of the shell bring a stand-in.
        resolve: { alias: { electron: new URL('test/main/fake-electron.ts', import.meta.url).pathname } },
      },
    ],
  },
})
