import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { mouseButton, pointerCursor } from '../../../shared/remote-control/values.ts'
import type { Capture, Desktop, Screen } from '../../../agent/platform/desktop/desktop.ts'
import { Connection } from '../../../agent/platform/linux/x11/connection.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { showNotice } from '../../../agent/platform/linux/x11/notice.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { until } from '../../support/until.ts'
import { XProgram } from '../desktop/x-program.ts'

let display: XDisplay
let desktop: Desktop
let program: XProgram

beforeAll(async () => {
  display = await startXvfb('800x600x24')
  program = await XProgram.start(display.name)
  await program.fill(0, 0, 800, 600, 0)
  desktop = await openX11Desktop({ display: display.name })
})

afterAll(async () => {
  desktop?.close()
  program?.stop()
  await display?.stop()
})

const red = 0xb9_1c_1c
const dark = 0x1f_29_37

const colorAt = ({ picture: { pixels, stride } }: Capture, x: number, y: number) =>
  pixels.readUInt32LE(y * stride + x * 4) & 0xff_ff_ff

/** Returns the first and last pixel of a color in a row; null without one. */
function extent(capture: Capture, y: number, color: number) {
  const columns = Array.from({ length: 800 }, (_, x) => x).filter((x) => colorAt(capture, x, y) === color)
  return columns.length > 0 ? { left: columns[0] ?? 0, right: columns.at(-1) ?? 0 } : null
}

function click(x: number, y: number) {
  desktop.input.movePointer(x, y)
  desktop.input.setButton(mouseButton.Left, true)
  desktop.input.setButton(mouseButton.Left, false)
}

const openScreen = (): Promise<Screen> => {
  const [first] = desktop.displays()
  if (!first) {
    throw new Error('There is a display.')
  }
  return desktop.openScreen(first)
}

describe('the notice', () => {
  test('stands at the top, moves away on a click, ends the session by its button, and disappears', async () => {
    const screen = await openScreen()
    let ends = 0
    const notice = desktop.showNotice('Anna <Müller> & 安奈 is viewing this screen', 'End session', () => ends++)
    const shown = await until(async () => {
      const capture = await screen.capture(true)
      return extent(capture, 2, red) ? capture : null
    })
    const end = extent(shown, 2, red) ?? { left: 0, right: 0 }
    const text = extent(shown, 2, dark) ?? { left: 0, right: 0 }
    expect(text.right).toBe(end.left - 1)
    expect(Math.abs(text.left + end.right - 799)).toBeLessThanOrEqual(2)
    // Letters are lighter than their background.
    const lit = Array.from({ length: end.left - text.left }, (_, index) => text.left + index).filter(
      (x) => colorAt(shown, x, 18) !== dark,
    )
    expect(lit.length).toBeGreaterThan(20)

    click(text.left + 5, 10)
    await until(async () => extent(await screen.capture(true), 598, red))
    expect(extent(await screen.capture(true), 2, red)).toBeNull()
    expect(ends).toBe(0)

    click(end.left + 10, 590)
    await until(() => ends === 1)

    notice.close()
    await until(async () => extent(await screen.capture(true), 598, red) === null)
    screen.close()
  })

  test('stands on every display, and ends the session on each', async () => {
    const xrandr = (...words: string[]) => execFileSync('xrandr', ['-display', display.name, ...words])
    const [whole] = desktop.displays()
    const screen = await desktop.openScreen(whole!)
    xrandr('--setmonitor', 'left', '400/100x600/150+0+0', 'screen')
    xrandr('--setmonitor', 'right', '400/100x600/150+400+0', 'none')
    onTestFinished(async () => {
      xrandr('--delmonitor', 'left')
      xrandr('--delmonitor', 'right')
      await until(() => desktop.displays().length === 1)
    })
    await until(() => desktop.displays().length === 2)
    let ends = 0
    const notice = desktop.showNotice('Ada sees this', 'End', () => ends++)
    const shown = await until(async () => {
      const found = extent(await screen.capture(true), 2, red)
      return found && found.left < 400 && found.right > 400 ? found : null
    })
    click(shown.left + 4, 10)
    await until(() => ends === 1)
    click(shown.right - 4, 10)
    await until(() => ends === 2)
    notice.close()
    await until(async () => extent(await screen.capture(true), 2, red) === null)
    screen.close()
  })

  test('comes back to the top when a window covers it, and leaves the keyboard where it was', async () => {
    const screen = await openScreen()
    const notice = desktop.showNotice('Watching', 'End session', () => undefined)
    await until(async () => extent(await screen.capture(true), 2, red))
    const window = await program.openWindow(0, 0, 800, 600, { backgroundPixel: 0x00_ff_00 })
    desktop.input.movePointer(400, 300)
    await until(async () => extent(await screen.capture(true), 2, red))
    await program.takeEvents()
    const press = {
      key: 'F3',
      code: 'F3',
      mode: 0,
      modifiers: { control: false, shift: false, alt: false, meta: false },
    } as const
    desktop.input.setKey({ ...press, isPressed: true })
    desktop.input.setKey({ ...press, isPressed: false })
    expect(await program.takeEvents('KeyPress')).toMatchObject([{ wid: window }])
    notice.close()
    program.connection.client.DestroyWindow(window)
    screen.close()
  })

  test('is drawn by the display server where nothing else draws letters', async () => {
    const screen = await openScreen()
    const [first] = desktop.displays()
    const connection = await Connection.open({ display: display.name })
    const fail = () => Promise.reject(new Error('No renderer.'))
    const notice = showNotice(
      connection,
      first as NonNullable<typeof first>,
      'Anna is watching',
      'End session',
      () => undefined,
      fail,
    )
    const shown = await until(async () => {
      const capture = await screen.capture(true)
      return extent(capture, 1, red) ? capture : null
    })
    // Letters are on both backgrounds.
    expect(extent(shown, 13, 0xff_ff_ff)?.left).toBeLessThan(extent(shown, 1, red)?.left ?? 0)
    expect(extent(shown, 13, 0xff_ff_ff)?.right).toBeGreaterThan(extent(shown, 1, red)?.left ?? 0)
    notice.close()
    connection.close()
    screen.close()
  })

  test('that is closed before it was drawn never shows', async () => {
    const screen = await openScreen()
    desktop.showNotice('Nobody', 'End session', () => undefined).close()
    const later = desktop.showNotice('Somebody', 'End session', () => undefined)
    await until(async () => extent(await screen.capture(true), 2, red))
    later.close()
    await until(async () => extent(await screen.capture(true), 2, red) === null)
    screen.close()
  })
})

describe('the cursor', () => {
  test('is reported with its picture, and by name when it has one', async () => {
    const { client, root } = program.connection
    const window = await program.openWindow(0, 0, 800, 600)
    // A cursor as old programs make them: one pixel high, from two bitmaps.
    const [bitmap, gc, cursor] = [client.AllocID(), client.AllocID(), client.AllocID()]
    client.CreatePixmap(bitmap, root, 1, 8, 8)
    client.CreateGC(gc, bitmap, { foreground: 1, background: 0 })
    client.PutImage(0, bitmap, gc, 8, 8, 0, 0, 0, 1, Buffer.alloc(32, 0xff))
    // CreateCursor: red in front, hotspot 3, 5.
    const body = Buffer.alloc(28)
    body.writeUInt32LE(cursor, 0)
    body.writeUInt32LE(bitmap, 4)
    body.writeUInt32LE(bitmap, 8)
    body.writeUInt16LE(0xff_ff, 12)
    body.writeUInt16LE(3, 24)
    body.writeUInt16LE(5, 26)
    program.connection.post(93, 0, body)
    client.ChangeWindowAttributes(window, { cursor })
    desktop.input.movePointer(100, 100)
    const custom = await until(() => {
      const seen = desktop.cursor()
      return seen.image?.hotspotY === 5 && seen.image.hotspotX === 3 ? seen : null
    })
    expect(custom.shape).toBe(pointerCursor.Custom)
    expect(custom.image?.rgba.subarray(0, 4)).toEqual(Buffer.from([255, 0, 0, 255]))

    let changes = 0
    desktop.onCursorChanged = () => changes++
    // XFIXES SetCursorName, as toolkits do for the cursors of a theme.
    const fixes = await program.connection.extension('fixes')
    const named = client.AllocID()
    body.writeUInt32LE(named, 0)
    program.connection.post(93, 0, body)
    const name = Buffer.alloc(16)
    name.writeUInt32LE(named, 0)
    name.writeUInt16LE(5, 4)
    name.write('xterm', 8)
    program.connection.post(fixes.majorOpcode, 23, name)
    client.ChangeWindowAttributes(window, { cursor: named })
    await program.connection.flush()
    await until(() => changes > 0)
    expect(desktop.cursor()).toMatchObject({ shape: pointerCursor.Ibeam, image: { width: 8, height: 8 } })
    client.DestroyWindow(window)
  })
})
