import turbo from '@julusian/jpeg-turbo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDesktopScene, type DesktopScene } from './desktop-scene.ts'
import { XProgram } from './x-program.ts'

let scene: DesktopScene

const near = (color: readonly number[], wanted: readonly number[]) =>
  color.every((channel, index) => Math.abs(channel - wanted[index]!) < 12)

beforeAll(async () => {
  scene = await startDesktopScene()
})
afterAll(() => scene.stop())

const red = 0xd0_30_20

describe('desktops of a device', () => {
  test('are listed with their user, and their process runs', async () => {
    const viewer = await scene.viewer()
    const desktop = await scene.desktop(viewer)
    expect(desktop).toMatchObject({ areRemoteControlPermissionsGranted: true, type: 0, username: expect.any(String) })
    expect(() => process.kill(desktop.processId, 0)).not.toThrow()
    expect(await scene.desktop(viewer)).toEqual(desktop)
  })

  test('are previewed as one JPEG with the pointer', async () => {
    const program = await XProgram.start(scene.display.name)
    const viewer = await scene.viewer()
    const { processId } = await scene.desktop(viewer)
    await program.openWindow(0, 0, 900, 700).then((window) => program.fill(0, 0, 900, 700, red, window))
    const response = await scene.preview(processId)
    expect(response.headers.get('content-type')).toBe('image/jpeg')
    const jpeg = Buffer.from(await response.arrayBuffer())
    const { data, width, height } = await turbo.decompress(jpeg, { format: turbo.FORMAT_RGB })
    expect([width, height]).toEqual([900, 700])
    const at = (x: number, y: number) => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)]
    for (const [x, y] of [
      [10, 10],
      [890, 10],
      [10, 690],
      [890, 690],
    ] as const) {
      expect(near(at(x, y), [0xd0, 0x30, 0x20]), `${x},${y}`).toBe(true)
    }
    // Initial pointer position of Xvfb.
    const area = Array.from({ length: 400 }, (_, index) => at(440 + (index % 20), 340 + Math.floor(index / 20)))
    expect(area.some((color) => !near(color, [0xd0, 0x30, 0x20]))).toBe(true)
    program.stop()
  })
})
