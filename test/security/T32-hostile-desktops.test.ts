/**
 * A desktop's process runs as the person there, who can make it send anything. The agent runs as root and must survive.
 */
import { userInfo } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock as clock } from '../../agent/base/clock.ts'
import { DesktopProcess } from '../../agent/desktop-host/process.ts'
import { launcherOf } from '../../agent/platform/linux/desktops/launcher.ts'
import { collectingLog } from '../agent/support.ts'

const { uid, gid, username: name, homedir: home } = userInfo()

/** Compromised desktop process; `says` is a program that writes to the agent with `say`. */
function takenOver(says: string) {
  const program = `const say = (text) => require('fs').writeSync(3, text); ${says}; setTimeout(() => {}, 60_000)`
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>()
  const log = collectingLog()
  const handlers = { answerChat: () => false, chatClosed: () => null, sessionEnded: () => null }
  const desktop = new DesktopProcess(
    launcherOf({ display: ':4711' }, { name, uid, gid, home }).start([process.execPath, '-e', program]),
    { clock, log, handlers, onEnd: () => onEnd() },
  )
  onTestFinished(() => desktop.stop())
  return { desktop, ended, lines: log.lines }
}

test.each([
  ['no JSON, is ended', `say('garbage\\n')`, 'The process of this desktop has ended.'],
  ["Node's own messages between processes, is not obeyed", `say('{"cmd":"NODE_HANDLE_ACK"}\\n')`, { isSuccess: true }],
  ['a handle of no known type, is not obeyed', `say('{"cmd":"NODE_HANDLE","type":"x"}\\n')`, { isSuccess: true }],
])('a desktop that sends %s', async (_, says, outcome) => {
  const { desktop } = takenOver(`${says}; say('{"answer":1,"result":{"isSuccess":true,"reason":null}}\\n')`)
  const answer = await desktop.ask('check', {}, 10_000).catch((error: Error) => error.message)
  expect([answer]).toMatchObject([outcome])
})

test('a desktop that answers with a reason too long for a message to the server is not repeated there', async () => {
  const { desktop } = takenOver(
    `say(JSON.stringify({ answer: 1, result: { isSuccess: false, reason: 'x'.repeat(2_000_000) } }) + '\\n')`,
  )
  await expect(desktop.ask('check', {}, 10_000)).rejects.toThrow('The answer to "check" is malformed.')
})

test('a desktop whose line has no end is terminated before it fills the memory of the agent', async () => {
  const { ended } = takenOver(`for (;;) say('x'.repeat(1 << 20))`)
  const before = process.memoryUsage().rss
  await ended
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
})

test('a desktop that sends requests and reads no answer is terminated', async () => {
  const ask = JSON.stringify({ call: 1, name: 'x', args: {} })
  const { ended } = takenOver(`for (;;) say('${ask}\\n'.repeat(1000))`)
  await ended
})

test('a desktop with endless complaints does not fill the log', async () => {
  const { ended, lines } = takenOver(
    `for (let at = 0; at < 5000; at++) require('fs').writeSync(2, at + '\\n'.repeat(70_000)); process.exit()`,
  )
  await ended
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.length).toBeLessThan(300)
})
