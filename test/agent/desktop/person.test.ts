import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { keyboardInputMode, mouseButton } from '../../../shared/remote-control/values.ts'
import { readVisits } from '../../../agent/capabilities/visit-log.ts'
import type { Desktop } from '../../../agent/platform/desktop/desktop.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import type { Viewer } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { until } from '../../support/until.ts'
import { startXvfb } from '../../../tools/simulate/display.ts'
import { chromiumsOn } from './chromiums.ts'
import { openRemoteControl, startDesktopScene, type DesktopScene } from './desktop-scene.ts'
import { nextFocus } from './next-focus.ts'

let scene: DesktopScene
/** Simulates the person at the device with keyboard and pointer. */
let person: Desktop

beforeAll(async () => {
  scene = await startDesktopScene()
  person = await openX11Desktop({ display: scene.display.name })
})
afterAll(async () => {
  person.close()
  await scene.stop()
})

const press = (key: string, { input } = person) => {
  const press = { key, code: key, mode: keyboardInputMode.Physical, modifiers: noModifiers }
  input.setKey({ ...press, isPressed: true })
  input.setKey({ ...press, isPressed: false })
}
const noModifiers = { control: false, shift: false, alt: false, meta: false }

/** Presses the button of the line that names the visitors, at the upper edge of the screen. */
async function endSession() {
  const screen = await person.openScreen(person.displays()[0]!)
  const red = [0x1c, 0x1c, 0xb9]
  const at = await until(async () => {
    const { pixels, width } = (await screen.capture(true)).picture
    const columns = Array.from({ length: width }, (_, x) => x)
    return columns.find((x) => red.every((channel, index) => pixels[(2 * width + x) * 4 + index] === channel))
  })
  screen.close()
  person.input.movePointer(at + 4, 2)
  person.input.setButton(mouseButton.Left, true)
  person.input.setButton(mouseButton.Left, false)
}

const message = (viewer: Viewer, desktop: DesktopSession, sessionId: string, text: string) =>
  viewer.SendChatMessage2({
    deviceId: scene.device.id,
    sessionId,
    message: text,
    targetSystemSession: desktop.systemSessionId,
    targetProcessId: desktop.processId,
    timestamp: new Date().toISOString(),
  })

describe('the person at the device', () => {
  test('reads a chat message in its own window, and the reply reaches the viewer', async () => {
    const viewer = await scene.viewer()
    const desktop = await scene.desktop(viewer)
    const sessionId = randomUUID()
    const isFocused = await nextFocus(scene.display)
    const answer = await message(viewer, desktop, sessionId, 'Hello <b>you</b>, may I look at your printer?')
    expect(answer).toMatchObject({ isSuccess: true })
    expect(chromiumsOn(scene.display)).toHaveLength(1)
    await isFocused()
    await person.input.typeText('Yes, please. Go on')
    press('Enter')
    const response = await until(() => viewer.chats[0])
    expect(response).toMatchObject({
      sessionId,
      desktopSessionProcessId: desktop.processId,
      message: 'Yes, please. Go on',
      senderUsername: desktop.username,
    })
    const closed = await viewer.CloseChatSession2({
      deviceId: scene.device.id,
      sessionId,
      targetProcessId: desktop.processId,
    })
    expect(closed).toMatchObject({ isSuccess: true })
    await until(() => chromiumsOn(scene.display).length === 0)
  }, 60_000)

  test.runIf(isNight)(
    'answers a chat by keyboard where no window manager gives the focus to its window',
    async () => {
      const display = await startXvfb('900x700x24')
      onTestFinished(() => display.stop())
      const viewer = await scene.viewer()
      const desktop = await scene.desktop(viewer, display)
      const there = await openX11Desktop({ display: display.name })
      // Away from the window: without a focus, keys go to the window under the pointer.
      there.input.movePointer(899, 699)
      const sessionId = randomUUID()
      const isFocused = await nextFocus(display)
      expect(await message(viewer, desktop, sessionId, 'Hello')).toMatchObject({ isSuccess: true })
      await isFocused()
      await there.input.typeText('Nobody manages this')
      press('Enter', there)
      expect(await until(() => viewer.chats[0])).toMatchObject({ sessionId, message: 'Nobody manages this' })
      there.close()
      await viewer.CloseChatSession2({ deviceId: scene.device.id, sessionId, targetProcessId: desktop.processId })
      await until(() => chromiumsOn(display).length === 0)
    },
    60_000,
  )

  test('closes a chat window, and the viewer is notified', async () => {
    const viewer = await scene.viewer()
    const desktop = await scene.desktop(viewer)
    const sessionId = randomUUID()
    const isFocused = await nextFocus(scene.display)
    expect(await message(viewer, desktop, sessionId, 'Hello')).toMatchObject({ isSuccess: true })
    await isFocused()
    for (const isPressed of [true, false]) {
      for (const code of ['ControlLeft', 'KeyW']) {
        const modifiers = { ...noModifiers, control: true }
        person.input.setKey({ key: code, code, mode: keyboardInputMode.Physical, modifiers, isPressed })
      }
    }
    const told = await until(() => viewer.chats[0])
    expect(told).toMatchObject({ sessionId, isClosed: true, message: 'The chat window was closed.' })
  }, 60_000)

  test.runIf(isNight)(
    'allows a session by a button that the keyboard reaches, and then it begins',
    async () => {
      const viewer = await scene.viewer()
      const desktop = await scene.desktop(viewer)
      const isFocused = await nextFocus(scene.display)
      const asked = openRemoteControl(scene, viewer, desktop, { requireConsent: true })
      await isFocused()
      press('Tab')
      press('Enter')
      const session = await asked
      expect(session.answer).toMatchObject({ isSuccess: true })
      const { canvas, remote } = await session.connect()
      await until(() => canvas.width === 900)
      remote.close()
      await until(() => chromiumsOn(scene.display).length === 0)
    },
    60_000,
  )

  test('allows a visitor for an hour, who is then not asked again, until the person ends a session', async () => {
    const viewer = await scene.viewer()
    const desktop = await scene.desktop(viewer)
    const isFocused = await nextFocus(scene.display)
    const asked = openRemoteControl(scene, viewer, desktop, { requireConsent: true })
    await isFocused()
    // Decline, allow, allow for an hour.
    press('Tab')
    press('Tab')
    press('Enter')
    expect((await asked).answer).toMatchObject({ isSuccess: true })
    const answers = async () =>
      (await scene.owner.applianceConsent.device({ params: { deviceId: scene.device.id } })).answers.standing
    await until(async () => (await answers()).length === 1)
    await until(() => chromiumsOn(scene.display).length === 0)
    const second = await openRemoteControl(scene, viewer, desktop, { requireConsent: true })
    expect(second.answer).toMatchObject({ isSuccess: true })
    expect(chromiumsOn(scene.display)).toHaveLength(0)
    const { disconnected, canvas, remote } = await second.connect()
    await until(() => canvas.width === 900)
    await remote.channel.send('TypeText', { text: 'x' })
    await endSession()
    await disconnected
    await until(async () => (await answers()).length === 0)
    const visits = () => readVisits(join(scene.device.folder, 'visits.jsonl'))
    await until(() => visits().at(-1)?.until)
    expect(visits().at(-1)).toMatchObject({ kind: 'control', organization: 'Analytical Engines', hasTyped: true })
  }, 60_000)

  test.runIf(isNight)(
    'declines with the first key, and the viewer is notified at once',
    async () => {
      const viewer = await scene.viewer()
      const desktop = await scene.desktop(viewer)
      const isFocused = await nextFocus(scene.display)
      const asked = openRemoteControl(scene, viewer, desktop, { requireConsent: true })
      await isFocused()
      press('Enter')
      const { answer } = await asked
      expect(answer).toMatchObject({ isSuccess: false, reason: 'The person at the device declined.' })
      await until(() => chromiumsOn(scene.display).length === 0)
    },
    60_000,
  )
})
