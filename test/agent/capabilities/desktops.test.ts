import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Consent } from '../../../agent/capabilities/consent.ts'
import { StandingAnswers } from '../../../agent/capabilities/standing-answers.ts'
import { Desktops, type DesktopsDependencies } from '../../../agent/capabilities/desktops.ts'
import { systemClock, type Clock } from '../../../agent/base/clock.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import type { LinuxDesktop } from '../../../agent/platform/linux/desktops/discover.ts'
import { withLauncher } from '../../../agent/platform/linux/desktops/launcher.ts'
import { openAccess } from '../../../agent/trust/access.ts'
import type { z } from 'zod'
import type { ChatMessageHubDto, ChatResponseHubDto } from '../../../shared/dtos/chat.ts'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { keyboardInputMode } from '../../../shared/remote-control/values.ts'
import { isNight } from '../../support/night.ts'
import { canActAsSomebody, somebody } from '../../support/somebody.ts'
import { until } from '../../support/until.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { chromiumsOn } from '../desktop/chromiums.ts'
import { endProcess, startWindowManager } from '../desktop/desktop-scene.ts'
import { nextFocus } from '../desktop/next-focus.ts'
import { collectingLog, temporaryFolder } from '../support.ts'

let display: XDisplay
let manager: ChildProcess

beforeAll(async () => {
  display = await startXvfb('640x480x24')
  manager = startWindowManager(display)
})
afterAll(async () => {
  await endProcess(manager)
  await display.stop()
})

const foundDesktop = (changes: Partial<LinuxDesktop> = {}): LinuxDesktop => ({
  name: `Console - X11: ${display.name}`,
  desktopName: 'openbox',
  username: userInfo().username,
  systemSessionId: 4242,
  type: 0,
  isSignedIn: true,
  address: { display: display.name },
  obstacle: '',
  ...changes,
})

/** Clock that runs `factor` times as fast for all timers. */
const fastClock = (factor: number): Clock => ({
  ...systemClock,
  after: (delayMs, run) => systemClock.after(delayMs / factor, run),
})

function open(found: LinuxDesktop[], changes: Partial<DesktopsDependencies> = {}) {
  const log = collectingLog()
  const server = {
    SendChatResponse: () => Promise.resolve(true),
    SendDesktopPreviewStream: () => Promise.resolve(),
  }
  const discover = () => Promise.all(found.map(withLauncher))
  const { relay } = openAccess('http://127.0.0.1')
  const file = new StandingAnswers(join(temporaryFolder(), 'consent.json'))
  const consent: Consent = new Consent({
    clock: systemClock,
    log,
    file,
    person: () => desktops.list.person(),
    report: () => undefined,
  })
  const desktops: Desktops = new Desktops({
    clock: systemClock,
    log,
    server: () => server,
    discover,
    relay,
    grantsFile: '/dev/null/no-grants',
    admit: (visit, person) => consent.admit(visit, person),
    refusalOfPreview: (person) => consent.refusalOfPreview(person),
    ...changes,
  })
  onTestFinished(() => desktops.stop())
  return { log, file, desktops, ...desktops.handlers }
}

const chatMessage = (targetProcessId: number): ChatMessageHubDto => ({
  deviceId: randomUUID(),
  sessionId: randomUUID(),
  message: 'Hello?',
  senderName: 'Ada',
  senderEmail: '',
  targetSystemSession: 0,
  targetProcessId,
  timestamp: new Date().toISOString(),
  viewerConnectionId: 'viewer-1',
})

const sessionRequest = (targetProcessId: number, requireConsent = false) => ({
  sessionId: randomUUID(),
  websocketUri: 'ws://127.0.0.1:9/relay?accessToken=very-secret-token&role=responder',
  targetSystemSession: 0,
  targetProcessId,
  deviceId: randomUUID(),
  requireConsent,
  viewerConnectionId: null,
  viewerName: 'Ada',
  notifyUserOnSessionStart: false,
})

const isAlive = (pid: number) => {
  try {
    // An ended process stays in the list until its parent has been notified.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== 'linux')('desktops', () => {
  test('that cannot be shown say so in the list and give the reason on request', async () => {
    const obstacle = 'Wayland lets no program see the whole screen.'
    const device = open([foundDesktop({ name: 'Console - Wayland: anna', address: null, obstacle })])
    const [listed] = await device.GetActiveDesktopSessions()
    expect(listed).toMatchObject({
      name: `Console - Wayland: anna (cannot be shown: ${obstacle})`,
      areRemoteControlPermissionsGranted: false,
      systemSessionId: 4242,
    })
    const { processId } = listed!
    const refused = failure(obstacle)
    expect(await device.RequestRemoteControlPermission(processId)).toEqual(refused)
    expect(await device.CreateRemoteControlSession(sessionRequest(processId))).toEqual(refused)
    const request = { requesterId: randomUUID(), streamId: randomUUID(), targetProcessId: processId }
    expect(await device.RequestDesktopPreview(request)).toEqual(refused)
  })

  test('whose display does not answer are listed by others at once, and with the reason later', async () => {
    const device = open([foundDesktop({ address: { display: ':4093' } })])
    const listed = await until(async () => {
      const [first] = await device.GetActiveDesktopSessions()
      return first?.areRemoteControlPermissionsGranted === false ? first : undefined
    })
    expect(listed.name).toContain('cannot be shown: There is no display :4093 on this machine.')
    expect(await device.RequestRemoteControlPermission(listed.processId)).toEqual(
      failure('There is no display :4093 on this machine.'),
    )
  })

  test.runIf(isNight)(
    'where nobody is signed in can be controlled, but have nobody to ask or to write to',
    async () => {
      const device = open([foundDesktop({ isSignedIn: false })])
      const [listed] = await device.GetActiveDesktopSessions()
      expect(listed!.name).toContain('(nobody is signed in)')
      const nobody = failure('Nobody is signed in at this desktop.')
      expect(await device.SendChatMessage(chatMessage(listed!.processId))).toEqual(nobody)
      expect(await device.CreateRemoteControlSession(sessionRequest(listed!.processId, true))).toEqual(nobody)
      expect(await device.RequestRemoteControlPermission(listed!.processId)).toEqual(success)
    },
  )

  test('are named by their serving process: other numbers are rejected', async () => {
    const device = open([])
    expect(await device.RequestRemoteControlPermission(4)).toEqual(failure('Process with ID 4 is no longer running.'))
    expect(await device.SendChatMessage(chatMessage(4))).toEqual(failure('IPC server not found for target process.'))
    expect(
      await device.InvokeCtrlAltDel({ targetDesktopProcessId: 4, invokerUserName: 'ada', desktopSessionType: 0 }),
    ).toEqual(failure('Ctrl+Alt+Del invocation is only supported on Windows.'))
  })

  test('are served by a process that ends when nobody needs it, and with the agent', async () => {
    const device = open([foundDesktop()], { idleMs: 1500 })
    const [first] = await device.GetActiveDesktopSessions()
    await until(() => !isAlive(first!.processId))
    const [second] = await until(async () => {
      const listed = await device.GetActiveDesktopSessions()
      return listed.length === 1 ? listed : undefined
    })
    expect(second!.processId).not.toBe(first!.processId)
    device.desktops.stop()
    await until(() => !isAlive(second!.processId))
  })

  test('lose their process when they are gone', async () => {
    const found = [foundDesktop()]
    const device = open(found)
    const [listed] = await device.GetActiveDesktopSessions()
    found.length = 0
    await device.GetActiveDesktopSessions()
    await until(() => !isAlive(listed!.processId))
    expect(await device.GetActiveDesktopSessions()).toEqual([])
  })

  test.runIf(isNight)('whose process does not answer any more get another one', async () => {
    const device = open([foundDesktop()], { clock: fastClock(10) })
    const [first] = await until(async () => {
      const listed = await device.GetActiveDesktopSessions()
      return listed.length > 0 ? listed : undefined
    })
    await device.RequestRemoteControlPermission(first!.processId)
    process.kill(first!.processId, 'SIGSTOP')
    expect(await device.RequestRemoteControlPermission(first!.processId)).toMatchObject({ isSuccess: false })
    await until(() => !isAlive(first!.processId))
    const next = await until(async () => {
      const [listed] = await device.GetActiveDesktopSessions()
      return listed?.processId !== first!.processId ? listed : undefined
    })
    expect(next.areRemoteControlPermissionsGranted).toBe(true)
  })

  test.runIf(isNight)('end the visits of sessions whose process is killed', async () => {
    const [begun, ended]: string[][] = [[], []]
    const device = open([foundDesktop()], {
      sessionBegan: (sessionId) => void begun!.push(sessionId),
      sessionEnded: ({ sessionId }) => void ended!.push(sessionId),
    })
    const { processId } = await until(async () => (await device.GetActiveDesktopSessions())[0])
    const request = sessionRequest(processId)
    await device.CreateRemoteControlSession(request)
    process.kill(processId, 'SIGKILL')
    await until(() => ended!.length === 1)
    expect([begun, ended]).toEqual([[request.sessionId], [request.sessionId]])
  })

  test.skipIf(!canActAsSomebody)('are served by a process of their user, without rights of the agent', async () => {
    const device = open([foundDesktop({ username: 'nobody' })])
    const listed = await until(async () => (await device.GetActiveDesktopSessions())[0])
    expect(await device.RequestRemoteControlPermission(listed.processId)).toEqual(success)
    const status = readFileSync(`/proc/${listed.processId}/status`, 'utf8')
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m)
    expect(status).toMatch(/^Gid:\t65534\t65534\t65534\t65534$/m)
    expect(status).toMatch(/^Groups:\s*$/m)
    expect(status).toMatch(/^CapEff:\t0+$/m)
  })

  test.skipIf(!canActAsSomebody)('that somebody put up in the name of another user are not served (T32)', async () => {
    const [socket, name] = [`/tmp/.X11-unix/X4094`, ':4094']
    const server = createServer().listen(socket)
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    chownSync(socket, somebody.uid, somebody.gid)
    const device = open([foundDesktop({ address: { display: name }, username: 'root' })])
    const [listed] = await device.GetActiveDesktopSessions()
    expect(listed!.name).toContain('The display :4094 was put up by another user than root.')
    expect(device.log.lines).toEqual([])
    expect(await device.RequestRemoteControlPermission(listed!.processId)).toMatchObject({ isSuccess: false })
  })

  test('tell no secret by their command line or environment, and nothing of the agent (T16, T32)', async () => {
    process.env['FARHAND_TEST_SECRET'] = 'very-secret-token'
    onTestFinished(() => void delete process.env['FARHAND_TEST_SECRET'])
    const device = open([foundDesktop()])
    const [{ processId } = { processId: 0 }] = await device.GetActiveDesktopSessions()
    await device.CreateRemoteControlSession(sessionRequest(processId))
    const read = (name: string) => readFileSync(`/proc/${processId}/${name}`, 'utf8').split('\0').filter(Boolean)
    expect(read('cmdline').slice(1)).toEqual([expect.stringMatching(/agent\/main\.ts$/), 'desktop'])
    const names = read('environ').map((variable) => variable.split('=')[0])
    expect(names.filter((name) => !/^(LANG|LC_\w+|TZ|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS)$/.test(name!))).toEqual(
      expect.arrayContaining(['PATH', 'HOME', 'USER', 'LOGNAME', 'DISPLAY']),
    )
    expect(read('environ').join()).not.toContain('very-secret-token')
    await until(() => device.log.lines.some((line) => line.startsWith('A remote-control session has ended')))
    expect(device.log.lines.join()).not.toContain('very-secret-token')
  })

  test.runIf(isNight)(
    "forward the person's messages, and repeat them after a lost connection",
    async () => {
      const responses: z.input<typeof ChatResponseHubDto>[] = []
      let refusals = 2
      const server = {
        SendDesktopPreviewStream: () => Promise.resolve(),
        SendChatResponse: (response: z.input<typeof ChatResponseHubDto>) => {
          responses.push(response)
          return refusals-- > 0 ? Promise.reject(new Error('There is no connection.')) : Promise.resolve(true)
        },
      }
      const device = open([foundDesktop()], { server: () => server })
      const [listed] = await device.GetActiveDesktopSessions()
      const message = chatMessage(listed!.processId)
      const isFocused = await nextFocus(display)
      expect(await device.SendChatMessage(message)).toEqual(success)
      const person = await openX11Desktop({ display: display.name })
      onTestFinished(() => person.close())
      await isFocused()
      await person.input.typeText('Here I am')
      const modifiers = { control: false, shift: false, alt: false, meta: false }
      for (const isPressed of [true, false]) {
        person.input.setKey({ key: 'Enter', code: 'Enter', mode: keyboardInputMode.Physical, modifiers, isPressed })
      }
      await until(() => responses.length === 3)
      expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1)
      expect(responses[0]).toMatchObject({
        sessionId: message.sessionId,
        desktopSessionProcessId: listed!.processId,
        message: 'Here I am',
        viewerConnectionId: 'viewer-1',
      })
      expect(await device.CloseChatSession(message.sessionId, listed!.processId)).toEqual(success)
      await until(() => chromiumsOn(display).length === 0)
    },
    60_000,
  )
})
