/** Escape sequences of a device's user are neutralized before an agent log is read in a terminal. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../agent/base/log.ts'
import { runAgent } from '../agent/agent-process.ts'
import { temporaryFolder } from '../agent/support.ts'
import { isNight } from '../support/night.ts'

test.each(['\u001b]0;title\u0007', 'a\u009b2J', 'a \u001b[2J b', 'a \u009b2J', '\u202egnp.exe', 'a "\u007f\u2066'])(
  'a log line contains %j only in escaped form',
  (text) => {
    let written = ''
    createLog([(line) => (written += line)]).warn({ said: text }, 'From a desktop')
    expect(written.trimEnd()).not.toMatch(/\p{C}/u)
    expect(JSON.parse(/said=(".*")$/.exec(written.trimEnd())![1]!)).toBe(text)
  },
)

test('a log message contains no control characters, and is one line', () => {
  let written = ''
  createLog([(line) => (written += line)]).warn({}, 'Refused: \u001b]0;title\u0007\n2026-01-01 INFO all is well')
  expect(written.trimEnd()).not.toMatch(/\p{C}/u)
})

test.runIf(isNight)('an impostor server cannot send escape sequences to the terminal of an installer', async () => {
  const folder = temporaryFolder()
  const [key, certificate] = ['k', 'c'].map((name) => join(folder, name))
  const subject = '/CN=\u001b]0;yours\u0007\u009b2J/O=\u001b[31m'
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-utf8', '-days', '9']
  execFileSync('openssl', ['req', ...made, '-keyout', key!, '-out', certificate!, '-subj', subject], {
    stdio: 'ignore',
  })
  const secure = createSecureServer({ key: readFileSync(key!), cert: readFileSync(certificate!) })
  const plain = createServer((_request, response) => {
    response.writeHead(418, { 'content-type': 'application/problem+json' })
    response.end(
      JSON.stringify({ type: 'about:blank', title: 'No', status: 418, detail: 'Look: \u001b]0;yours\u0007\u009b2J' }),
    )
  })
  for (const [scheme, server] of [['https', secure] as const, ['http', plain] as const]) {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
    const keys = ['-t', randomUUID(), '-ki', randomUUID(), '-ks', 'secret']
    const { status, stderr, stdout } = await runAgent('run', '--data-dir', join(folder, scheme), '-s', url, ...keys)
    expect([status, stderr]).toEqual([1, expect.stringMatching(scheme === 'https' ? /yours/ : /Look/)])
    expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{C}/u)
  }
})
