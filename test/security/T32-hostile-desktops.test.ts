/**
 * A desktop's process runs as the person there, who can make it send anything. The agent runs as root and must survive.
 */
import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock as clock } from '../../agent/base/clock.ts'
import { DesktopProcess } from '../../agent/desktop-host/process.ts'
import { ServedDesktop } from '../../agent/desktop-host/served-desktop.ts'
import { launcherOf } from '../../agent/platform/linux/desktops/launcher.ts'
import { RemoteControlSessionRequestDto } from '../../shared/dtos/remote-control.ts'
import { openPolicy } from '../../shared/remote-control/policy.ts'
import { collectingLog } from '../agent/support.ts'
import { isNight } from '../support/night.ts'

const { uid, gid, username: name, homedir: home } = userInfo()

/** Compromised desktop process; `says` is a program that writes to the agent with `say`. */
function takenOver(says: string) {
  const program = `const say = (text) => require('fs').writeSync(3, text); ${says}; setTimeout(() => {}, 60_000)`
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>()
  const log = collectingLog()
  const handlers = {
    answerChat: () => false,
    chatClosed: () => null,
    openSecureDesktop: () => '',
    readGrant: () => null,
    storeGrant: () => null,
    sessionEnded: () => null,
    sessionHeard: () => null,
  }
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

test.runIf(isNight)('a desktop that sends requests and reads no answer is terminated', async () => {
  const ask = JSON.stringify({ call: 1, name: 'x', args: {} })
  const { ended } = takenOver(`for (;;) say('${ask}\\n'.repeat(1000))`)
  await ended
})

test.runIf(isNight)('a desktop with endless complaints does not fill the log', async () => {
  const { ended, lines } = takenOver(
    `for (let at = 0; at < 5000; at++) require('fs').writeSync(2, at + '\\n'.repeat(70_000)); process.exit()`,
  )
  await ended
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.length).toBeLessThan(300)
})

/** Asks for the helper as soon as a session is to start, and says that it has ended when a chat is to be closed. */
const asksForHelper = `
  const socket = new (require('net').Socket)({ fd: 3 })
  const say = (message) => socket.write(JSON.stringify(message) + '\\n')
  require('readline').createInterface({ input: socket }).on('line', (line) => {
    const { call, name, args } = JSON.parse(line)
    if (name === 'startSession') {
      say({ call: 1, name: 'openSecureDesktop', args: { sessionId: args.sessionId } })
    } else if (name === 'closeChat') {
      say({ call: 2, name: 'sessionEnded', args: { sessionId: args.sessionId, reason: '' } })
    }
    if (name === 'startSession' && args.viewerName === 'Refused') {
      say({ answer: call, problem: 'No.' })
    } else if (call) {
      say({ answer: call, result: { isSuccess: true, reason: null } })
    }
  })`

test('a desktop gets the helper for the secure desktop only for a session whose viewer may use it, and while that runs', async () => {
  const calls: string[] = []
  const { key, start } = launcherOf({ display: ':4711' }, { name, uid, gid, home })
  const helper = {
    openSecureDesktop: () => Promise.resolve(String(calls.push('open'))),
    closeSecureDesktop: () => void calls.push('close'),
  }
  const launcher = { key, start: () => ({ ...start([process.execPath, '-e', asksForHelper]), ...helper }) }
  const described = {
    name: '',
    desktopName: '',
    username: name,
    systemSessionId: 1,
    type: 0,
    isSignedIn: true,
  } as const
  const desktop = new ServedDesktop(
    { found: { ...described, launcher, obstacle: '' }, launcher },
    {
      clock,
      log: collectingLog(),
      idleMs: 60_000,
      answerChat: () => Promise.resolve(false),
      grant: { read: () => Promise.resolve(null), store: () => Promise.resolve() },
      onEnd: () => undefined,
    },
  )
  onTestFinished(() => desktop.stop())
  const run = async (canUseSecureDesktop: boolean, viewerName = 'Ada') => {
    const sessionId = randomUUID()
    const websocketUri = 'wss://farhand.example/relay'
    const wanted = { sessionId, websocketUri, targetProcessId: 1, deviceId: randomUUID() }
    const policy = { ...openPolicy, canUseSecureDesktop }
    const request = RemoteControlSessionRequestDto.parse({ ...wanted, policy, viewerName })
    await desktop.startSession({ ...request, server: null })
    if (viewerName === 'Ada') {
      await desktop.closeChat(sessionId)
    }
    // Answered after all that the process has said before.
    await desktop.check()
  }
  await run(false)
  expect(calls).toEqual([])
  await run(true)
  expect(calls).toEqual(['open', 'close'])
  await run(true, 'Refused')
  expect(calls).toEqual(['open', 'close', 'open', 'close'])
})
