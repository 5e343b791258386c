import { describe, expect, test } from 'vitest'
import { openPolicy } from '../../../../shared/remote-control/policy.ts'
import { keyboardInputMode, messageSeverity, pointerCursor } from '../../../../shared/remote-control/values.ts'
import { until } from '../../../support/until.ts'
import { memorySwitch, MemoryDesktop } from './memory-desktop.ts'
import { handled, startScene } from './scene.ts'

const middle = { normalizedX: 0.5, normalizedY: 0.5 }
const press = (key: string, code: string, isPressed: boolean) => ({
  key,
  code,
  isPressed,
  inputMode: keyboardInputMode.Physical,
  modifiers: { control: false, shift: true, alt: false, meta: false },
})

describe('input', () => {
  test('positions on the shown display become pixels of the desktop', async () => {
    const desktop = new MemoryDesktop([100, 80], [320, 200])
    const { viewer } = await startScene({ desktop })
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
    const { viewer, desktop } = await startScene()
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
    const current = await startScene()
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
    const { viewer, desktop, told } = await startScene()
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
    const { desktop, told, sessionId, viewer } = await startScene()
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
    const { desktop, viewer } = await startScene()
    await viewer.send('ClipboardText', { text: 'from afar', sessionId: '00000000-0000-0000-0000-000000000009' })
    await until(() => desktop.clipboardText === 'from afar')
  })

  test('a clipboard that does not answer causes a message, and the session continues', async () => {
    const current = await startScene()
    current.desktop.clipboard.readText = () => Promise.reject(new Error('it is held by another program'))
    await current.viewer.send('RequestClipboardText', {})
    await until(() => current.told.ToastNotification)
    expect(current.told.ToastNotification?.[0]?.message).toContain('it is held by another program')
    await handled(current)
  })

  test('the pointer shape is sent at the start and when it changes, as PNG', async () => {
    const { desktop, told, sessionId } = await startScene()
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
    const current = await startScene({ request: { policy: { ...openPolicy, canInteract: false } } })
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
    const current = await startScene({ request: { policy } })
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
    const current = await startScene({ desktop, request: { policy: { ...openPolicy, canBlockInput: false } } })
    await current.viewer.send('ToggleBlockInput', { isEnabled: true })
    await until(() => current.told.ToastNotification)
    await handled(current)
    expect([blocked, current.told.BlockInputResult]).toEqual([[], undefined])
  })
})
