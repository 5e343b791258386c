/** The list of tests that needed their retry, as Vitest and Playwright write it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root, tool } from '../../tools/processes.mjs'
import { isNight } from '../support/night.ts'

const reporter = join(root, 'tools', 'retried-tests.mjs')
const body = (runner: string) => `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { expect, test } from '${runner}'
const marks = import.meta.dirname + '/marks'
test('passes the first time', () => {})
test('passes the second time', () => {
  const isSecond = existsSync(marks)
  appendFileSync(marks, '.')
  expect(isSecond).toBe(true)
})
test('never passes', () => expect(1).toBe(2))
`
const configs = {
  vitest: (list: string) => `export default { test: { retry: 1, reporters: [['${reporter}', { list: '${list}' }]] } }`,
  '@playwright/test': (list: string) =>
    `export default { testMatch: '*.test.mjs', retries: 1, reporter: [['${reporter}', { list: '${list}' }]] }`,
}
const commands = {
  vitest: (config: string) => [tool('vitest'), 'run', '--config', config],
  '@playwright/test': (config: string) => [tool('@playwright/test', 'playwright'), 'test', '--config', config],
}

test.runIf(isNight).each(['vitest', '@playwright/test'] as const)(
  '%s, one test passes only on its retry, the list names that test alone, and why it failed',
  (runner) => {
    const folder = mkdtempSync(join(tmpdir(), 'farhand-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const [config, list] = [join(folder, 'runner.config.mjs'), join(folder, 'retried.txt')]
    writeFileSync(config, configs[runner](list))
    writeFileSync(join(folder, 'some.test.mjs'), body(runner))
    // The variables of the outer Vitest would make the inner one its worker.
    const { PATH, HOME } = process.env
    const { status, stdout, stderr } = spawnSync(process.execPath, commands[runner](config), {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH, HOME },
    })
    expect({ status, stderr: stderr.slice(0, 500) }, stdout).toMatchObject({ status: 1 })
    const [first, ...reason] = readFileSync(list, 'utf8').trim().split('\n')
    expect(first).toMatch(/some\.test\.mjs > passes the second time$/)
    expect(reason.join('\n')).toMatch(/expected false to be true|Expected: true/)
    expect(reason.join('\n')).not.toMatch(/never passes|some\.test\.mjs > /)
  },
)
