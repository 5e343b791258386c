import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../../../server/ground/log.ts'
import { terminalLog } from '../../../../server/surface/terminal-log.ts'
import { isNight } from '../../../support/night.ts'
import { registerOwner } from '../../../support/server.ts'
import { serverProgram } from '../../../support/built-programs.ts'
import { startServerProcess, temporaryFolder } from '../../../support/server-process.ts'
import { until } from '../../../support/until.ts'

const root = join(import.meta.dirname, '../../..')

/** Starts the server on a terminal, as a person does, and returns its output once `last` appears. */
async function startOnTerminal(dataDirectory: string, last: string) {
  const environment = {
    ...process.env,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
    Service_Urls: 'http://127.0.0.1:0',
    Service_DataDirectory: dataDirectory,
  }
  const server = spawn(process.execPath, [serverProgram], { cwd: root, env: environment, cols: 300, rows: 50 })
  let shown = ''
  let hasEnded = false
  server.onData((text) => (shown += text))
  server.onExit(() => (hasEnded = true))
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await until(() => hasEnded)
  })
  await until(() => hasEnded || shown.includes(last))
  return { lines: shown.split('\r\n'), stop: () => server.kill('SIGTERM') }
}

const upLine = 'The server is up.'

describe.skipIf(process.platform === 'win32')('the first lines on a terminal', { timeout: 60_000 }, () => {
  test('are the address, the next step and the data folder; then the log, readable for people', async () => {
    const folder = join(await temporaryFolder(), 'data')
    const { lines } = await startOnTerminal(folder, upLine)
    expect(lines.slice(0, 5)).toEqual([
      expect.stringMatching(/^Listening on http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(
        /^Setup code: [A-Z2-9]{5}-[A-Z2-9]{5} \(to create the first account from another computer\)$/,
      ),
      'Open that address in a browser to create the first account.',
      `Data lies in ${folder}, and its secrets in a key file in that folder.`,
      'Ctrl+C stops the server.',
    ])
    expect(lines).toContainEqual(expect.stringMatching(/^\d\d:\d\d:\d\d INFO {2}Secrets are stored in a key file/))
    expect(lines.filter((line) => line.startsWith('{') || /d-?bus/i.test(line))).toEqual([])
  })

  test.runIf(isNight)('ask to sign in if an account exists', async () => {
    const folder = await temporaryFolder()
    const server = await startServerProcess(folder)
    await registerOwner(server.url)
    await server.stop()
    const { lines } = await startOnTerminal(folder, upLine)
    expect(lines[1]).toBe('Sign in there: open that address in a browser.')
  })
})

test('without a terminal only the ready line, the setup code and JSON are printed', { timeout: 60_000 }, async () => {
  const server = await startServerProcess(await temporaryFolder())
  await server.stop()
  const others = server.lines.filter((line) => !line.startsWith('{'))
  expect(others).toEqual([
    expect.stringMatching(/^Listening on http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringMatching(
      /^Setup code: [A-Z2-9]{5}-[A-Z2-9]{5} \(to create the first account from another computer\)$/,
    ),
  ])
  expect(server.lines.join('\n')).not.toMatch(/d-?bus/i)
})

describe('a log for a terminal', () => {
  test('waits for its release, except warnings', () => {
    let shown = ''
    const output = terminalLog((text) => (shown += text))
    const log = createLog({ default: 'Information' }, output)
    log.info({ migration: '0001' }, 'Changed the database schema')
    expect(shown).toBe('')
    log.warn({}, 'The disk is nearly full.')
    expect(shown).toMatch(/^\d\d:\d\d:\d\d WARN {2}The disk is nearly full\.\n$/)
    output.release()
    expect(shown).toMatch(/INFO {2}Changed the database schema {2}migration=0001\n$/)
  })

  test('shows the stack of an error, and escapes untrusted control characters', () => {
    let shown = ''
    const output = terminalLog((text) => (shown += text))
    createLog({ default: 'Information' }, output).error(
      { err: new Error('broken'), name: 'a\u001B]0;b\u0007\nc' },
      'It \u009B31mfailed.',
    )
    expect(shown).toContain('Error: broken\n    at ')
    expect(shown).toContain(String.raw`It \x9B31mfailed.  name='a\x1B]0;b\x07\nc'`)
  })
})
