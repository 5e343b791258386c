import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, utimesSync, writeFileSync, chmodSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findElectron, whyHeadless } from '../../tools/electron-binary.mjs'
import { root } from '../../tools/processes.mjs'
import { isStale } from '../../tools/stale.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'farhand-start-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `npm start -- ...` as npm does, with a data folder of its own. */
function startAppliance(args: string[], env: Record<string, string> = {}, command = [process.execPath]) {
  const [program = '', ...first] = command
  const child = spawn(program, [...first, 'tools/start.mjs', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DISPLAY: '',
      WAYLAND_DISPLAY: '',
      Service_Urls: 'http://127.0.0.1:0',
      Service_DataDirectory: path.join(folder, 'data'),
      ...env,
    },
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    output: () => output,
    ended,
    /** Resolves with the first match, or fails when the program ends before. */
    async says(pattern: RegExp): Promise<string> {
      for (;;) {
        const match = pattern.exec(output)
        if (match) {
          return match[1] ?? match[0]
        }
        const code = await Promise.race([once(child.stdout, 'data').then(() => undefined), ended])
        if (code !== undefined && !pattern.test(output)) {
          throw new Error(`ended with ${code}: ${output}`)
        }
      }
    },
  }
}

describe('npm start', { timeout: 60_000 }, () => {
  test('serves headless when asked, and ends with status 0 on SIGTERM', async () => {
    const appliance = startAppliance(['--headless'])
    const url = await appliance.says(/Listening on (http:\S+)/)
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(appliance.output()).not.toContain('Running headless')
    appliance.child.kill('SIGTERM')
    expect(await appliance.ended).toBe(0)
  })

  test('names the reason when it cannot show a window', async () => {
    const appliance = startAppliance([])
    await appliance.says(/Listening on/)
    expect(appliance.output()).toMatch(/^Running headless: .+\.$/m)
    appliance.child.kill('SIGINT')
    expect(await appliance.ended).toBe(0)
  })

  test.skipIf(process.platform === 'win32')('stops its server when npm and its shell are killed', async () => {
    const shell = ['sh', '-c', `"${process.execPath}" "$0" "$@"; exit $?`]
    const appliance = startAppliance(['--headless'], {}, shell)
    const url = await appliance.says(/Listening on (http:\S+)/)
    appliance.child.kill('SIGKILL')
    // Standard output closes when the last of them has ended.
    await appliance.ended
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed')
  })

  test('ends with the status of a server that could not start', async () => {
    const appliance = startAppliance(['--headless'], { Service_Urls: 'nonsense' })
    expect(await appliance.ended).toBe(1)
    expect(appliance.output()).toContain('Urls')
  })

  test.runIf(process.platform === 'linux')(
    'runs an installed Electron with the given arguments and ends with its status',
    async () => {
      const program = path.join(folder, 'electron')
      writeFileSync(program, '#!/bin/sh\necho "electron got: $*"\nexit 7\n')
      chmodSync(program, 0o755)
      const env = { DISPLAY: ':99', ELECTRON_OVERRIDE_DIST_PATH: folder }
      const appliance = startAppliance(['--hidden'], env)
      expect(await appliance.ended).toBe(7)
      expect(appliance.output()).toMatch(/electron got: (--no-sandbox )?\. --hidden/)
    },
  )
})

describe('the installed Electron', () => {
  test('is found from the file of its installer, without loading the package', () => {
    expect(findElectron({}, folder)).toBeUndefined()
    writeFileSync(path.join(folder, 'path.txt'), 'electron')
    expect(findElectron({}, folder)).toBeUndefined()
    mkdirSync(path.join(folder, 'dist'))
    writeFileSync(path.join(folder, 'dist', 'electron'), '')
    expect(findElectron({}, folder)).toBe(path.join(folder, 'dist', 'electron'))
  })

  test('needs a display on Linux only', () => {
    expect(whyHeadless({}, 'linux', '/electron')).toBe('there is no display')
    expect(whyHeadless({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', '/electron')).toBeUndefined()
    expect(whyHeadless({}, 'win32', 'electron.exe')).toBeUndefined()
    expect(whyHeadless({ DISPLAY: ':0' }, 'linux', undefined)).toContain('npx install-electron')
  })
})

test('the build runs again after a change, an addition or a removal of a file, and not otherwise', () => {
  const at = (name: string) => path.join(folder, name)
  const old = new Date(Date.now() - 60_000)
  mkdirSync(at('source'))
  writeFileSync(at('source/a.ts'), '')
  expect(isStale(at('result'), [at('source')]), 'never built').toBe(true)
  writeFileSync(at('result'), '')
  for (const name of ['source/a.ts', 'source']) {
    utimesSync(at(name), old, old)
  }
  expect(isStale(at('result'), [at('source')])).toBe(false)
  utimesSync(at('result'), old, old)
  writeFileSync(at('source/b.ts'), '')
  expect(isStale(at('result'), [at('source')]), 'added').toBe(true)
  utimesSync(at('result'), new Date(), new Date())
  for (const name of ['source/b.ts', 'source']) {
    utimesSync(at(name), old, old)
  }
  expect(isStale(at('result'), [at('source')])).toBe(false)
  rmSync(at('source/b.ts'))
  utimesSync(at('result'), old, old)
  expect(isStale(at('result'), [at('source')]), 'removed').toBe(true)
})
