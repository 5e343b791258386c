import { readdirSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Capture, Desktop, Rectangle, Screen } from '../../../agent/platform/desktop/desktop.ts'
import { Connection } from '../../../agent/platform/linux/x11/connection.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { until } from '../../support/until.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { XProgram } from '../desktop/x-program.ts'

let display: XDisplay
let program: XProgram
let desktop: Desktop

beforeAll(async () => {
  display = await startXvfb('640x480x24')
  program = await XProgram.start(display.name)
  desktop = await openX11Desktop({ display: display.name })
})

afterAll(async () => {
  desktop?.close()
  program?.stop()
  await display?.stop()
})

const only = <T>(list: readonly T[]): T => {
  expect(list).toHaveLength(1)
  return list[0] as T
}

async function openScreen(): Promise<Screen> {
  const screen = await desktop.openScreen(only(desktop.displays()))
  onTestFinished(() => screen.close())
  return screen
}

const colorAt = ({ picture: { pixels, stride } }: Capture, x: number, y: number) =>
  pixels.readUInt32LE(y * stride + x * 4) & 0xff_ff_ff

const contains = (area: Rectangle, x: number, y: number) =>
  area.x <= x && area.y <= y && area.x + area.width > x && area.y + area.height > y

describe('the screen of an X display', () => {
  test('is one display with its size, which is the primary one', () => {
    expect(only(desktop.displays())).toMatchObject({
      isPrimary: true,
      bounds: { x: 0, y: 0, width: 640, height: 480 },
    })
  })

  test('a whole capture shows to the pixel what another program has drawn', async () => {
    const screen = await openScreen()
    await program.fill(0, 0, 640, 480, 0x10_20_30)
    await program.fill(100, 50, 3, 2, 0xfe_dc_ba)
    const capture = await screen.capture(true)
    expect(capture.areas).toEqual([{ x: 0, y: 0, width: 640, height: 480 }])
    expect(capture.picture).toMatchObject({ width: 640, height: 480 })
    const different: string[] = []
    for (let y = 0; y < 480; y++) {
      for (let x = 0; x < 640; x++) {
        const isInside = x >= 100 && x < 103 && y >= 50 && y < 52
        if (colorAt(capture, x, y) !== (isInside ? 0xfe_dc_ba : 0x10_20_30)) {
          different.push(`${x},${y}`)
        }
      }
    }
    expect(different).toEqual([])
  })

  test('a second capture reads and names the changed area alone', async () => {
    const screen = await openScreen()
    await screen.capture(true)
    await program.fill(200, 100, 50, 40, 0x00_ff_00)
    const capture = await screen.capture(false)
    expect(capture.areas).toEqual([{ x: 200, y: 100, width: 50, height: 40 }])
    const corners = [
      [199, 100],
      [200, 100],
      [249, 139],
      [250, 139],
    ] as const
    expect(corners.map(([x, y]) => colorAt(capture, x, y) === 0x00_ff_00)).toEqual([false, true, true, false])
  })

  test('a capture names no area when nothing was drawn', async () => {
    const screen = await openScreen()
    await screen.capture(true)
    expect((await screen.capture(false)).areas).toEqual([])
  })

  test('areas far apart stay apart, areas side by side become one', async () => {
    const screen = await openScreen()
    await screen.capture(true)
    await program.fill(10, 10, 20, 20, 0xff_00_00)
    await program.fill(30, 10, 20, 20, 0xff_00_00)
    await program.fill(500, 400, 20, 20, 0xff_00_00)
    const { areas } = await screen.capture(false)
    expect(areas.toSorted((a, b) => a.x - b.x)).toEqual([
      { x: 10, y: 10, width: 40, height: 20 },
      { x: 500, y: 400, width: 20, height: 20 },
    ])
  })

  test('hundreds of scattered changes come as a few areas that hold them all', async () => {
    const screen = await openScreen()
    await screen.capture(true)
    const dots = Array.from({ length: 300 }, (_, index) => ({ x: (index * 37) % 630, y: (index * 61) % 470 }))
    for (const { x, y } of dots) {
      await program.fill(x, y, 3, 1, 0x12_34_56)
    }
    const capture = await screen.capture(false)
    expect(capture.areas.length).toBeLessThanOrEqual(24)
    expect(dots.filter(({ x, y }) => !capture.areas.some((area) => contains(area, x, y)))).toEqual([])
    expect(dots.filter(({ x, y }) => colorAt(capture, x, y) !== 0x12_34_56)).toEqual([])
  })

  test('drawing is announced once, and again only after it was captured', async () => {
    const screen = await openScreen()
    await screen.capture(true)
    let changes = 0
    screen.onChange = () => changes++
    await program.fill(0, 0, 5, 5, 1)
    await program.fill(50, 50, 5, 5, 1)
    await until(() => changes > 0)
    await screen.capture(false)
    expect(changes).toBe(1)
    await program.fill(0, 0, 5, 5, 2)
    await until(() => changes === 2)
  })

  test('a closed screen captures nothing any more', async () => {
    const screen = await openScreen()
    screen.close()
    await expect(screen.capture(true)).rejects.toThrow('This screen is closed.')
  })
})

describe('several monitors', () => {
  /** RANDR 1.5: splits the screen as a virtual graphics card would. */
  async function setMonitor(name: string, x: number, width: number, isPrimary: boolean) {
    const { connection } = program
    const randr = await connection.extension('randr')
    const body = Buffer.alloc(28)
    body.writeUInt32LE(connection.root, 0)
    body.writeUInt32LE(await connection.atom(name), 4)
    body[8] = isPrimary ? 1 : 0
    body.writeInt16LE(x, 12)
    body.writeUInt16LE(width, 16)
    body.writeUInt16LE(480, 18)
    connection.post(randr.majorOpcode, 43, body)
  }

  async function deleteMonitor(name: string) {
    const { connection } = program
    const randr = await connection.extension('randr')
    const body = Buffer.alloc(8)
    body.writeUInt32LE(connection.root, 0)
    body.writeUInt32LE(await connection.atom(name), 4)
    connection.post(randr.majorOpcode, 44, body)
  }

  test('are displays with names, each captured in its own coordinates; their changes are reported', async () => {
    let changes = 0
    desktop.onDisplaysChanged = () => changes++
    await setMonitor('Left-1', 0, 300, false)
    await setMonitor('Right-1', 300, 340, true)
    await until(() => desktop.displays().some(({ name }) => name === 'Right-1'))
    expect(changes).toBeGreaterThan(0)
    const right = desktop.displays().find(({ name }) => name === 'Right-1')
    expect(right).toMatchObject({ isPrimary: true, bounds: { x: 300, y: 0, width: 340, height: 480 } })
    const left = desktop.displays().find(({ name }) => name === 'Left-1')
    if (!left || !right) {
      throw new Error('Both monitors are there.')
    }
    const screens = await Promise.all([desktop.openScreen(left), desktop.openScreen(right)])
    await Promise.all(screens.map((screen) => screen.capture(true)))
    await program.fill(310, 20, 10, 10, 0xab_cd_ef)
    const [ofLeft, ofRight] = await Promise.all(screens.map((screen) => screen.capture(false)))
    expect(ofLeft?.areas).toEqual([])
    expect(ofRight?.areas).toEqual([{ x: 10, y: 20, width: 10, height: 10 }])
    expect(ofRight && colorAt(ofRight, 10, 20)).toBe(0xab_cd_ef)
    for (const screen of screens) {
      screen.close()
    }
    await deleteMonitor('Left-1')
    await deleteMonitor('Right-1')
    await until(() => desktop.displays().length === 1)
  })
})

describe('a display that cannot be opened', () => {
  test.each([
    [':4711', 'There is no display :4711 on this machine.'],
    ['elsewhere:0', '"elsewhere:0" is not a display of this machine; those are called :0, :1 and so on.'],
  ])('%s says why', async (name, reason) => {
    await expect(openX11Desktop({ display: name })).rejects.toThrow(reason)
  })

  test('with too few colors says so', async () => {
    const poor = await startXvfb('320x200x16')
    onTestFinished(() => poor.stop())
    await expect(openX11Desktop({ display: poor.name })).rejects.toThrow(
      `The display ${poor.name} has a color depth of 16 bits; 24 are needed.`,
    )
  })
})

test('a display whose server was killed leaves no file open, however often somebody asks for it', async () => {
  const dead = await startXvfb('320x200x24')
  await dead.stop('SIGKILL')
  onTestFinished(() => rmSync(`/tmp/.X11-unix/X${dead.name.slice(1)}`, { force: true }))
  const openFiles = () => readdirSync('/proc/self/fd').length
  const before = openFiles()
  for (let count = 0; count < 10; count++) {
    await expect(openX11Desktop({ display: dead.name })).rejects.toThrow(`Nobody answers on the display ${dead.name}.`)
  }
  expect(openFiles()).toBeLessThanOrEqual(before)
})

test('the end of the display server ends the desktop once, and everything that waits', async () => {
  const short = await startXvfb('320x200x24')
  const mortal = await openX11Desktop({ display: short.name })
  const reasons: string[] = []
  mortal.onEnd = (reason) => reasons.push(reason)
  const screen = await mortal.openScreen(only(mortal.displays()))
  await short.stop()
  await until(() => reasons.length > 0)
  expect(reasons).toEqual([`The display ${short.name} is gone.`])
  await expect(screen.capture(false)).rejects.toThrow(`The display ${short.name} is gone.`)
  mortal.input.setKey({
    key: 'a',
    code: 'KeyA',
    isPressed: true,
    mode: 0,
    modifiers: { control: false, shift: false, alt: false, meta: false },
  })
  mortal.close()
})

test('a display server is killed while requests wait for its answers: every request rejects', async () => {
  const frozen = await startXvfb('320x200x24')
  onTestFinished(() => rmSync(`/tmp/.X11-unix/X${frozen.name.slice(1)}`, { force: true }))
  const connection = await Connection.open({ display: frozen.name })
  frozen.freeze()
  const waiting = [connection.flush(), connection.atom('FARHAND_TEST')]
  const outcomes = Promise.all(waiting.map((request) => request.catch((error: Error) => error.message)))
  await frozen.stop('SIGKILL')
  const gone = `The display ${frozen.name} is gone.`
  expect(await outcomes).toEqual([gone, gone])
})
