import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openPolicy } from '../../../../shared/remote-control/policy.ts'
import { keyboardInputMode, messageSeverity, pointerCursor } from '../../../../shared/remote-control/values.ts'
import { until } from '../../../support/until.ts'
import { systemClock } from '../../../../agent/base/clock.ts'
import { SessionNotice } from '../../../../agent/desktop/session/session-notice.ts'
import { memorySwitch, MemoryDesktop } from './memory-desktop.ts'
import { runQuietly, startScene } from './scene.ts'

type Scene = Awaited<ReturnType<typeof startScene>>
let scene: Scene | undefined
afterEach(async () => {
  await scene?.stop()
  scene = undefined
})

const start = async (...options: Parameters<typeof startScene>): Promise<Scene> => {
  scene = await startScene(...options)
  return scene
}
const middle = { normalizedX: 0.5, normalizedY: 0.5 }
const press = (key: string, code: string, isPressed: boolean) => ({
  key,
  code,
  isPressed,
  inputMode: keyboardInputMode.Physical,
  modifiers: { control: false, shift: true, alt: false, meta: false },
})
/** Sends a message and waits for its effect: all earlier messages have been handled then. */
const handled = async ({ viewer, frames }: Scene) => {
  const before = frames.length
  await viewer.send('RequestKeyFrame', {})
  await until(() => frames.length > before)
}

describe('input', () => {
  test('positions on the shown display become pixels of the desktop', async () => {
    const desktop = new MemoryDesktop([100, 80], [320, 200])
    const { viewer } = await start({ desktop })
    await viewer.send('ChangeDisplays', { displayId: 'display-1' })
    for (const [normalizedX, normalizedY] of [
      [0, 0],
      [0.5, 0.25],
      [1, 1],
      [-3, 1e300],
    ] as const) {
      await viewer.send('MovePointer', { normalizedX, normalizedY })
    }
    await until(() => desktop.actions.length === 4)
    expect(desktop.actions).toEqual([
      ['move', 100, 0],
      ['move', 260, 50],
      ['move', 419, 199],
      ['move', 100, 199],
    ])
  })

  test('buttons, clicks, wheel, keys and text arrive in their order', async () => {
    const { viewer, desktop } = await start()
    const key = press('A', 'KeyA', true)
    await viewer.send('MouseButtonEvent', { button: 2, isPressed: true, ...middle })
    await viewer.send('MouseClick', { button: 0, isDoubleClick: true, ...middle })
    await viewer.send('WheelScroll', { scrollX: 0, scrollY: -120.7, ...middle })
    await viewer.send('KeyEvent', key)
    await viewer.send('TypeText', { text: 'añ日' })
    await viewer.send('ResetKeyboardState', {})
    await until(() => desktop.actions.length === 12)
    const { inputMode: mode, ...rest } = key
    expect(desktop.actions).toEqual([
      ['move', 160, 100],
      ['button', 2, true],
      ['move', 160, 100],
      ['button', 0, true],
      ['button', 0, false],
      ['button', 0, true],
      ['button', 0, false],
      ['move', 160, 100],
      ['scroll', 0, -120],
      ['key', { ...rest, mode }],
      ['type', 'añ日'],
      ['release'],
    ])
  })

  test('unknown buttons, positions outside of the display and very long names have no effect', async () => {
    const current = await start()
    const { viewer, desktop } = current
    await viewer.send('MouseClick', { button: 1e9, isDoubleClick: false, ...middle })
    await viewer.send('MouseButtonEvent', { button: -1, isPressed: true, ...middle })
    await viewer.send('MovePointer', { normalizedX: Number.NaN, normalizedY: 0 })
    await viewer.send('MovePointer', { normalizedX: 0, normalizedY: Number.POSITIVE_INFINITY })
    await viewer.send('WheelScroll', { scrollX: Number.NaN, scrollY: 0.3, ...middle })
    await viewer.send('KeyEvent', press('x'.repeat(100), '', true))
    await handled(current)
    expect(desktop.actions).toEqual([])
  })

  test('text that arrives faster than it can be typed is rejected, not queued', async () => {
    const { viewer, desktop, told } = await start()
    desktop.typing = new Promise(() => {})
    await viewer.send('TypeText', { text: 'a'.repeat(60_000) })
    await viewer.send('TypeText', { text: 'b'.repeat(60_000) })
    await until(() => told.ToastNotification)
    expect(told.ToastNotification?.[0]?.message).toContain('longer than 100000 characters')
    expect(desktop.actions).toHaveLength(1)
  })
})

describe('clipboard and pointer', () => {
  test('text copied at the device is sent when it changes and on request, with the id of the session', async () => {
    const { desktop, told, sessionId, viewer } = await start()
    desktop.clipboardText = 'copied'
    desktop.clipboard.onChange()
    await until(() => told.ClipboardText?.length === 1)
    desktop.clipboardText = null
    await viewer.send('RequestClipboardText', {})
    await until(() => told.ClipboardText?.length === 2)
    expect(told.ClipboardText).toEqual([
      { text: 'copied', sessionId },
      { text: null, sessionId },
    ])
  })

  test('text of the viewer is written to the clipboard, whatever session it names', async () => {
    const { desktop, viewer } = await start()
    await viewer.send('ClipboardText', { text: 'from afar', sessionId: '00000000-0000-0000-0000-000000000009' })
    await until(() => desktop.clipboardText === 'from afar')
  })

  test('a clipboard that does not answer causes a message, and the session continues', async () => {
    const current = await start()
    current.desktop.clipboard.readText = () => Promise.reject(new Error('it is held by another program'))
    await current.viewer.send('RequestClipboardText', {})
    await until(() => current.told.ToastNotification)
    expect(current.told.ToastNotification?.[0]?.message).toContain('it is held by another program')
    await handled(current)
  })

  test('the pointer shape is sent at the start and when it changes, as PNG', async () => {
    const { desktop, told, sessionId } = await start()
    await until(() => told.CursorChanged)
    expect(told.CursorChanged?.[0]).toMatchObject({ cursor: pointerCursor.NormalArrow, sessionId })
    const rgba = Buffer.alloc(4 * 3 * 4, 200)
    desktop.shape = { shape: pointerCursor.Custom, image: { width: 4, height: 3, hotspotX: 1, hotspotY: 2, rgba } }
    desktop.onCursorChanged()
    await until(() => told.CursorChanged?.length === 2)
    expect(told.CursorChanged?.[1]).toMatchObject({ cursor: pointerCursor.Custom, xHotspot: 1, yHotspot: 2 })
    expect(told.CursorChanged?.[1]?.customCursorBase64Png).toMatch(/^iVBORw0KGgo/)
  })
})

describe('without a right', () => {
  test('input is ignored, and reported once', async () => {
    const current = await start({ request: { policy: { ...openPolicy, canInteract: false } } })
    const { viewer, desktop, told } = current
    desktop.actions.length = 0
    await viewer.send('MovePointer', middle)
    await viewer.send('MouseClick', { button: 0, isDoubleClick: false, ...middle })
    await viewer.send('MouseButtonEvent', { button: 0, isPressed: true, ...middle })
    await viewer.send('WheelScroll', { scrollX: 0, scrollY: 1, ...middle })
    await viewer.send('KeyEvent', press('A', 'KeyA', true))
    await viewer.send('TypeText', { text: 'rm -rf' })
    await handled(current)
    await handled(current)
    expect(desktop.actions).toEqual([])
    expect(told.ToastNotification).toEqual([
      {
        message: 'You may watch this device, but not use its pointer and keyboard.',
        severity: messageSeverity.Warning,
      },
    ])
  })

  test('the clipboard is neither read, by itself or on request, nor written', async () => {
    const policy = { ...openPolicy, canReadClipboard: false, canWriteClipboard: false }
    const current = await start({ request: { policy } })
    const { viewer, desktop, told, sessionId } = current
    desktop.clipboardText = 'secret'
    desktop.clipboard.onChange()
    await handled(current)
    expect(told.ToastNotification).toBeUndefined()
    await viewer.send('RequestClipboardText', {})
    await viewer.send('ClipboardText', { text: 'new', sessionId })
    await handled(current)
    await until(() => told.ToastNotification?.length === 2)
    expect(desktop.clipboardText).toBe('secret')
    expect(told.ClipboardText).toBeUndefined()
  })

  test('blocking input is rejected', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const blocked: boolean[] = []
    desktop.blockInput = memorySwitch((isBlocked) => {
      blocked.push(isBlocked)
      return Promise.resolve(isBlocked)
    })
    const current = await start({ desktop, request: { policy: { ...openPolicy, canBlockInput: false } } })
    await current.viewer.send('ToggleBlockInput', { isEnabled: true })
    await until(() => current.told.ToastNotification)
    await handled(current)
    expect([blocked, current.told.BlockInputResult]).toEqual([[], undefined])
  })
})

describe('blocking input', () => {
  test('answers the current state, and ends with the session', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const blocked: boolean[] = []
    desktop.blockInput = memorySwitch((isBlocked) => {
      blocked.push(isBlocked)
      return blocked.length === 2 ? Promise.reject(new Error('Not now.')) : Promise.resolve(isBlocked)
    })
    const { viewer, told, ended } = await start({ desktop })
    await viewer.send('ToggleBlockInput', { isEnabled: true })
    await until(() => told.BlockInputResult?.length === 1)
    await viewer.send('ToggleBlockInput', { isEnabled: false })
    await until(() => told.BlockInputResult?.length === 2)
    expect(told.BlockInputResult?.[1]).toEqual({ isSuccess: false, finalState: true, reason: 'Not now.' })
    viewer.close()
    await ended
    expect(blocked).toEqual([true, false, false])
  })

  test('that begins while the session ends is undone', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const blocked: boolean[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    desktop.blockInput = memorySwitch(async (isBlocked) => {
      blocked.push(isBlocked)
      await promise
      return isBlocked
    })
    const { viewer, ended } = await start({ desktop })
    await viewer.send('ToggleBlockInput', { isEnabled: true })
    await until(() => blocked.length === 1)
    viewer.close()
    await until(() => desktop.actions.length > 0)
    resolve()
    await ended
    expect(blocked).toEqual([true, false])
  })

  test('is ignored without an answer where the system does not support it, and the viewer knows why before', async () => {
    const current = await start()
    await until(() => current.told.DesktopStatus)
    expect(current.told.DesktopStatus).toEqual([
      {
        blockInputObstacle: 'This desktop blocks no input.',
        privacyScreenObstacle: 'This desktop blanks no screens.',
        soundObstacle: 'The agent cannot read the sound of this system yet.',
        isSecureDesktop: false,
      },
    ])
    await current.viewer.send('ToggleBlockInput', { isEnabled: true })
    await current.viewer.send('TogglePrivacyScreen', { isEnabled: true })
    await handled(current)
    const { BlockInputResult, PrivacyScreenResult, ToastNotification } = current.told
    expect([BlockInputResult, PrivacyScreenResult, ToastNotification]).toEqual([undefined, undefined, undefined])
  })
})

test('screens that stop being blank are reported with the reason, and not switched off again', async () => {
  const desktop = new MemoryDesktop([320, 200])
  const states: boolean[] = []
  desktop.blankScreens = memorySwitch((isOn) => {
    states.push(isOn)
    return Promise.resolve(isOn)
  })
  const { viewer, told, ended } = await start({ desktop })
  await viewer.send('TogglePrivacyScreen', { isEnabled: true })
  await until(() => told.PrivacyScreenResult?.length === 1)
  desktop.blankScreens.onEnd('Another program closed the window.')
  await until(() => told.ToastNotification)
  expect(told.PrivacyScreenResult).toEqual([
    { isSuccess: true, finalState: true, reason: undefined },
    { isSuccess: true, finalState: false, reason: 'Another program closed the window.' },
  ])
  expect(told.ToastNotification).toMatchObject([{ message: 'Another program closed the window.' }])
  viewer.close()
  await ended
  expect(states).toEqual([true])
})

describe('the end', () => {
  test('switches the states off on a desktop that releases no keys, and waits for its answer for a limited time', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const states: boolean[] = []
    desktop.blankScreens = memorySwitch((isOn) => {
      states.push(isOn)
      return isOn ? Promise.resolve(true) : new Promise(() => undefined)
    })
    desktop.input.releaseAll = () => {
      throw new Error('The display is gone.')
    }
    const limitMs = 10_000
    const clock = {
      ...systemClock,
      after: (delayMs: number, run: () => void) => systemClock.after(delayMs === limitMs ? 0 : delayMs, run),
    }
    const { viewer, told, ended } = await start({ desktop, clock })
    await viewer.send('TogglePrivacyScreen', { isEnabled: true })
    await until(() => told.PrivacyScreenResult)
    viewer.close()
    await ended
    expect([states, desktop.isClosed]).toEqual([[true, false], true])
  })

  test('by the viewer releases keys, and closes screen and desktop', async () => {
    const current = await start()
    await handled(current)
    current.viewer.close()
    expect(await current.ended).toEqual({ by: 'viewer', reason: 'The viewer closed the session.', hasTyped: false })
    expect(current.desktop.actions).toEqual([['release']])
    expect([current.desktop.screen.isClosed, current.desktop.isClosed]).toEqual([true, true])
  })

  test('by a lost connection', async () => {
    const { relay, ended, desktop } = await start()
    relay.server.clients.forEach((socket) => socket.terminate())
    expect(await ended).toEqual({ by: 'connection', reason: 'The connection was lost.', hasTyped: false })
    expect(desktop.actions).toEqual([['release']])
  })

  test('by the person at the device, whose notice names the viewers', async () => {
    const { ended, desktop, told } = await start({ request: { notifyUserOnSessionStart: true } })
    expect(desktop.notices).toMatchObject([{ text: 'Ada controls this screen.', label: 'End session' }])
    desktop.notices[0]?.end()
    expect((await ended).by).toBe('person')
    await until(() => told.SessionDisconnectRequested)
    expect(desktop.notices[0]?.isClosed).toBe(true)
  })

  test('several viewers share one notice, which names who controls and ends all sessions', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const notice = new SessionNotice()
    const join = (viewerName: string, canInteract: boolean) =>
      startScene({
        desktop,
        notice,
        request: { viewerName, notifyUserOnSessionStart: true, policy: { ...openPolicy, canInteract } },
      })
    const scenes = [await join('Ada', true), await join('Bob', false), await join('Cy', false)]
    const shown = () => desktop.notices.filter(({ isClosed }) => !isClosed)
    expect(shown()).toMatchObject([{ text: 'Ada controls, Bob and Cy see this screen.', label: 'End all' }])
    scenes[2]!.viewer.close()
    await scenes[2]!.ended
    expect(shown()).toMatchObject([{ text: 'Ada controls, Bob sees this screen.', label: 'End all' }])
    shown()[0]!.end()
    const ends = await Promise.all(scenes.map(({ ended }) => ended))
    expect(ends.map(({ by }) => by)).toEqual(['person', 'person', 'viewer'])
    expect(shown()).toEqual([])
    await Promise.all(scenes.map(({ stop }) => stop()))
  })

  test('by a desktop that disappears', async () => {
    const { ended, desktop, told } = await start()
    desktop.onEnd('The user signed out.')
    expect(await ended).toEqual({ by: 'desktop', reason: 'The user signed out.', hasTyped: false })
    await until(() => told.RemoteControlSessionError)
    expect(told.RemoteControlSessionError).toEqual([{ message: 'The user signed out.', isFatal: true }])
  })

  test('without a requested notice shows none', async () => {
    const { desktop } = await start()
    expect(desktop.notices).toEqual([])
  })
})

describe('before the session', () => {
  test('a desktop that disappears before the viewer connects ends it, and closes every connection', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const [desktop, arrived] = [new MemoryDesktop([10, 10]), once(server, 'connection')]
    const ended = runQuietly(desktop, `ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const [socket] = (await arrived) as [Socket]
    socket.on('error', () => {}).resume()
    const left = once(socket, 'close')
    desktop.onEnd('The user signed out.')
    expect(await ended).toEqual({ by: 'desktop', reason: 'The user signed out.' })
    expect(desktop.isClosed).toBe(true)
    await left
    server.close()
  })

  test('an unreachable server is reported as the reason', async () => {
    const desktop = new MemoryDesktop([10, 10])
    expect((await runQuietly(desktop, 'ws://127.0.0.1:1')).reason).toContain('could not be connected')
    expect(desktop.isClosed).toBe(true)
  })
})
