import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { keyboardInputMode, mouseButton } from '../../../shared/remote-control/values.ts'
import type { Capture, Desktop } from '../../../agent/platform/desktop/desktop.ts'
import { openMacDesktop } from '../../../agent/platform/macos/desktop/desktop.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { openTerminal } from '../desktop/terminal-window.ts'
import { XProgram } from '../desktop/x-program.ts'

// The package also supports X, where tests can observe it; production code uses it on macOS only.
let display: XDisplay
let program: XProgram
let desktop: Desktop
const before = process.env.DISPLAY

beforeAll(async () => {
  display = await startXvfb('640x480x24')
  process.env.DISPLAY = display.name
  program = await XProgram.start(display.name)
  desktop = await openMacDesktop()
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
