import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { keyboardInputMode, mouseButton } from '../../../shared/remote-control/values.ts'
import type { Capture, Desktop } from '../../../agent/platform/desktop/desktop.ts'
import { openNativeDesktop } from '../../../agent/platform/native/desktop.ts'
import type { NativeSystem } from '../../../agent/platform/native/system.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { openTerminal } from '../desktop/terminal-window.ts'
import { XProgram } from '../desktop/x-program.ts'

// The package also supports X, where tests can observe it; production code uses it on Windows and macOS only.
const tool = { file: '/bin/true', arguments: [] }
const plainSystem: NativeSystem = {
  captureMode: 'X11',
  unitsPerNotch: 1,
  tools: { readText: tool, writeText: tool, showNotice: () => tool },
  problem: () => undefined,
  hiddenBy: () => undefined,
}

let display: XDisplay
let program: XProgram
let desktop: Desktop
const before = process.env.DISPLAY

beforeAll(async () => {
  display = await startXvfb('640x480x24')
  process.env.DISPLAY = display.name
  program = await XProgram.start(display.name)
  desktop = await openNativeDesktop(plainSystem)
})

afterAll(async () => {
  desktop?.close()
  program?.stop()
  if (before === undefined) {
    delete process.env.DISPLAY
  } else {
    process.env.DISPLAY = before
  }
  await display?.stop()
})

const colorAt = ({ picture: { pixels, stride } }: Capture, x: number, y: number) =>
  pixels.readUInt32LE(y * stride + x * 4) & 0xff_ff_ff

test('the main display is read whole at first, then its changed tiles', async () => {
  const [main] = desktop.displays()
  expect(main).toMatchObject({ isPrimary: true, bounds: { x: 0, y: 0, width: 640, height: 480 } })
  const screen = await desktop.openScreen(main as NonNullable<typeof main>)
  onTestFinished(() => screen.close())
  let changes = 0
  screen.onChange = () => changes++
  expect((await screen.capture(true)).areas).toEqual([{ x: 0, y: 0, width: 640, height: 480 }])
  expect((await screen.capture(false)).areas).toEqual([])
  await program.fill(130, 70, 10, 10, 0xfe_dc_ba)
  await expect.poll(() => changes).toBe(1)
  const capture = await screen.capture(false)
  expect(capture.areas).toEqual([{ x: 128, y: 64, width: 64, height: 64 }])
  expect(colorAt(capture, 130, 70)).toBe(0xfe_dc_ba)
})

test('a terminal gets keys by position, characters and text, a window buttons and the wheel', async () => {
  const terminal = await openTerminal(display)
  onTestFinished(() => terminal.close())
  desktop.input.movePointer(300, 200)
  const press = (key: string, code: string, isPressed: boolean, control = false) =>
    desktop.input.setKey({
      key,
      code,
      isPressed,
      mode: keyboardInputMode.Auto,
      modifiers: { control, shift: false, alt: false, meta: false },
    })
  press('A', 'KeyA', true)
  press('A', 'KeyA', false)
  press('Control', 'ControlLeft', true)
  press('c', 'KeyC', true, true)
  desktop.input.releaseAll()
  press('Enter', 'Enter', true)
  press('Enter', 'Enter', false)
  await desktop.input.typeText('Hello\tyou.')
  expect(await terminal.typedUntil('.')).toBe('A\u0003\rHello\tyou.')

  await program.openWindow(0, 0, 640, 480)
  desktop.input.movePointer(100, 100)
  await program.takeEvents()
  desktop.input.setButton(mouseButton.Right, true)
  desktop.input.setButton(mouseButton.Right, false)
  desktop.input.scroll(0, 100)
  desktop.input.scroll(0, -60)
  desktop.input.scroll(0, -60)
  const events = await program.takeEvents('ButtonPress')
  expect(events.map(({ keycode }) => keycode)).toEqual([3, 4, 5])
})

test('a placeholder replaces a hidden screen until the screen is visible again', async () => {
  let hiddenBy: string | undefined =
    'Windows shows its secure desktop: no program sees it, and so on & on for two lines.'
  const hidden = await openNativeDesktop({ ...plainSystem, hiddenBy: () => hiddenBy })
  onTestFinished(() => hidden.close())
  const screen = await hidden.openScreen(hidden.displays()[0]!)
  const curtain = await screen.capture(true)
  expect(curtain.picture).toMatchObject({ width: 640, height: 480 })
  expect(colorAt(curtain, 5, 5)).toBe(0x1f_29_37)
  const pixels = Array.from({ length: 640 * 480 }, (_, at) => colorAt(curtain, at % 640, Math.floor(at / 640)))
  expect(pixels.filter((color) => color === 0xf9_fa_fb).length).toBeGreaterThan(50)
  hiddenBy = undefined
  const window = await program.openWindow(0, 0, 60, 60)
  await program.fill(0, 0, 60, 60, 0xfe_dc_ba, window)
  expect(colorAt(await screen.capture(false), 5, 5)).toBe(0xfe_dc_ba)
})
