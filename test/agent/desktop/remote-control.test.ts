import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyboardInputMode } from '../../../shared/remote-control/values.ts'
import { isNight } from '../../support/night.ts'
import { addMember } from '../../support/people.ts'
import { until } from '../../support/until.ts'
import { openRemoteControl, startDesktopScene, type DesktopScene } from './desktop-scene.ts'
import { openTerminal } from './terminal-window.ts'
import { XProgram } from './x-program.ts'

let scene: DesktopScene

beforeAll(async () => {
  scene = await startDesktopScene()
})
afterAll(() => scene.stop())

/** Opens a session with a connected viewer. */
async function control(by = scene.owner) {
  const viewer = await scene.viewer(by)
  const desktop = await scene.desktop(viewer)
  const { sessionId, answer, connect } = await openRemoteControl(scene, viewer, desktop, { by })
  expect(answer).toMatchObject({ isSuccess: true })
  return { sessionId, desktop, viewer, ...(await connect()) }
}

const near = ([r, g, b]: readonly number[], [x, y, z]: readonly number[]) =>
  Math.abs(r! - x!) + Math.abs(g! - y!) + Math.abs(b! - z!) < 30

describe('remote control through the relay', () => {
  test('shows new content of the display', async () => {
    const program = await XProgram.start(scene.display.name)
    const window = await program.openWindow(100, 100, 300, 200)
    await program.fill(0, 0, 300, 200, 0x20a040, window)
    const { canvas } = await control()
    await until(() => canvas.width === 900 && near(canvas.at(250, 200), [0x20, 0xa0, 0x40]))
    await program.fill(0, 0, 300, 200, 0xc02040, window)
    await until(() => near(canvas.at(250, 200), [0xc0, 0x20, 0x40]))
    program.stop()
  })

  test('types text into the focused program', async () => {
    const terminal = await openTerminal(scene.display)
    const { remote, canvas } = await control()
    await until(() => canvas.width === 900)
    await remote.send('MovePointer', { normalizedX: 0.5, normalizedY: 0.5 })
    await remote.send('TypeText', { text: 'grüße 日本\n' })
    expect(await terminal.typedUntil('\r')).toBe('grüße 日本\r')
    await terminal.close()
  })

  test.runIf(isNight)('of a viewer who may only watch ignores input, and reports that', async () => {
    const terminal = await openTerminal(scene.display)
    const watcher = await addMember(scene.server, scene.owner.tenantId, [
      'device.read',
      'device.remote-control.connect',
    ])
    await until(async () => (await scene.owner.devices.get({ params: { deviceId: scene.device.id } })).isOnline)
    const { remote, toasts, canvas } = await control(watcher)
    await until(() => canvas.width === 900)
    await remote.send('TypeText', { text: 'forbidden' })
    await remote.send('KeyEvent', {
      key: 'a',
      code: 'KeyA',
      isPressed: true,
      inputMode: keyboardInputMode.Physical,
      modifiers: { control: false, shift: false, alt: false, meta: false },
    })
    await until(() => toasts.length > 0)
    expect(toasts.join()).toContain('not use its pointer and keyboard')
    const { remote: allowed } = await control()
    await allowed.send('TypeText', { text: 'allowed\n' })
    expect(await terminal.typedUntil('\r')).toBe('allowed\r')
    await terminal.close()
  })

  test('ends on both sides when the session is ended at the server', async () => {
    const { sessionId, ended, canvas } = await control()
    await until(() => canvas.width === 900)
    await scene.owner.applianceRemoteSessions.end({ params: { sessionId }, body: { reason: 'Enough.' } })
    await ended
    await until(() =>
      new RegExp(`A remote-control session has ended sessionId=${sessionId}`).test(scene.device.output()),
    )
  })

  test('ends when the process of the desktop is killed; the next list has a new process, and the old id fails with the reason', async () => {
    const { ended, desktop, viewer, canvas } = await control()
    await until(() => canvas.width === 900)
    process.kill(desktop.processId, 'SIGKILL')
    await ended
    const next = await scene.desktop(viewer)
    expect(next.processId).not.toBe(desktop.processId)
    expect(next.systemSessionId).toBe(desktop.systemSessionId)
    const again = await openRemoteControl(scene, viewer, desktop)
    expect(again.answer).toMatchObject({
      isSuccess: false,
      reason: `Process with ID ${desktop.processId} is no longer running.`,
    })
    expect((await openRemoteControl(scene, viewer, next)).answer).toMatchObject({ isSuccess: true })
  })
})
