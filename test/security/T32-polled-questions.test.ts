/**
 * Every user can list command lines. Where the system does not report a connection's owner, the first reader could
 * answer.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../agent/base/clock.ts'
import { startBrowser, type StartedBrowser } from '../../agent/desktop/browser.ts'
import { PersonWindow } from '../../agent/desktop/person-window.ts'
import { WindowServer } from '../../agent/desktop/window-server.ts'
import { startXvfb } from '../../tools/simulate/display.ts'
import { chromiumsOn } from '../agent/desktop/chromiums.ts'
import { until } from '../support/until.ts'

test('the address of a request for consent is on no command line: the browser gets it from a private file', async () => {
  const display = await startXvfb('640x480x24')
  const { DISPLAY } = process.env
  process.env['DISPLAY'] = display.name
  const server = new WindowServer()
  let browser: StartedBrowser | undefined
  onTestFinished(async () => {
    if (DISPLAY === undefined) {
      delete process.env['DISPLAY']
    } else {
      process.env['DISPLAY'] = DISPLAY
    }
    await server.close()
    await display.stop()
  })
  const state = {
    title: 'A question',
    introduction: 'Ada asks.',
    lines: [],
    note: '',
    allow: 'Allow',
    decline: 'Decline',
  }
  const window = await PersonWindow.open(state, {
    clock: systemClock,
    server,
    size: { width: 400, height: 300 },
    showingMs: 50_000,
    onAnswer: () => {},
    onClosed: () => {},
    start: (address, size) => (browser = startBrowser(address, size, undefined, true)),
  })
  expect(browser).toBeDefined()
  const [, url] = await until(() => /--app=(file:[^\0]+)/.exec(chromiumsOn(display).join('\0')))
  expect(chromiumsOn(display).join()).not.toContain('127.0.0.1')
  const file = fileURLToPath(url!)
  expect(existsSync(file)).toBe(true)
  window.close()
  await until(() => !existsSync(file) && chromiumsOn(display).length === 0)
})
