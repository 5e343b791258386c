import turbo from '@julusian/jpeg-turbo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { startDesktopScene, type DesktopScene } from './desktop-scene.ts'
import { XProgram } from './x-program.ts'

let scene: DesktopScene

beforeAll(async () => {
  scene = await startDesktopScene()
})
afterAll(() => scene.stop())

const red = 0xd0_30_20

describe('desktops of a device', () => {
  test('are listed with their user, and their process runs', async () => {
    const viewer = await scene.viewer()
    const startedAt = performance.now()
    await viewer.GetActiveDesktopSessions2({ deviceId: scene.device.id })
    console.log('first list', performance.now() - startedAt)
    const desktop = await scene.desktop(viewer)
    const again = performance.now()
    await viewer.GetActiveDesktopSessions2({ deviceId: scene.device.id })
    console.log('second list', performance.now() - again, desktop)
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
    console.log(at(10, 10), at(450, 350), jpeg.length, response.status)
    program.stop()
  })
})
