import { describe, expect, test, vi } from 'vitest'
import type { Rectangle } from '../../../../agent/platform/desktop/desktop.ts'
import { imageFormat } from '../../../../shared/remote-control/values.ts'
import { manualClock } from '../../../support/clock.ts'
import { steady, until } from '../../../support/until.ts'
import { MemoryDesktop, type Color } from './memory-desktop.ts'
import { startScene, type Scene } from './scene.ts'

let scene: Scene

const red: Color = [220, 30, 30]
const blue: Color = [20, 40, 200]
const plain = (color: Color) => () => color
const isNear = (seen: readonly number[], wanted: Color, tolerance: number) =>
  seen.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) <= tolerance)
const shows = (x: number, y: number, color: Color, tolerance = 12) =>
  until(() => isNear(scene.canvas.at(x, y), color, tolerance))
const whole: Rectangle = { x: 0, y: 0, width: 320, height: 200 }

/** Waits until no more frames arrive, including the second pass at better quality. */
const isStill = () => steady(() => scene.frames.length, 40)

describe('the picture of a session', () => {
  test('starts with the displays and one region that covers the primary one', async () => {
    const desktop = new MemoryDesktop([320, 200], [100, 80])
    desktop.fill(whole, plain(red))
    scene = await startScene({ desktop })
    await shows(319, 199, red)
    expect(scene.displays()).toMatchObject([
      {
        capturePixelSize: { width: 320, height: 200 },
        displayId: 'display-0',
        index: 0,
        isPrimary: true,
        layoutBounds: { x: 0, y: 0, width: 320, height: 200 },
        layoutCoordinateSpace: 1,
        name: 'Display 0',
      },
      { displayId: 'display-1', isPrimary: false, layoutBounds: { x: 320, width: 100 } },
    ])
    expect(scene.frames[0]).toMatchObject([{ ...whole, imageFormat: imageFormat.Jpeg }])
  })

  test('sends only changed regions, in every corner', async () => {
    scene = await startScene()
    await isStill()
    const before = scene.frames.length
    const corners = [
      { x: 0, y: 0, width: 10, height: 10 },
      { x: 310, y: 0, width: 10, height: 10 },
      { x: 0, y: 190, width: 10, height: 10 },
      { x: 309, y: 189, width: 11, height: 11 },
    ]
    for (const area of corners) {
      scene.desktop.fill(area, plain(blue))
      await shows(area.x + 2, area.y + 2, blue)
      await shows(area.x + area.width - 1, area.y + area.height - 1, blue)
    }
    const regions = scene.frames.slice(before).flat()
    expect(regions.map(({ x, y, width, height }) => ({ x, y, width, height }))).toEqual(corners)
  })

  test('a redraw of the same pixels is not sent', async () => {
    scene = await startScene()
    await isStill()
    const before = scene.frames.length
    const captures = scene.desktop.screen.captures
    scene.desktop.fill(whole, plain([0, 0, 0]))
    await until(() => scene.desktop.screen.captures > captures)
    scene.desktop.fill({ x: 5, y: 5, width: 1, height: 1 }, plain(red))
    await until(() => scene.frames.length > before)
    expect(scene.frames[before]).toMatchObject([{ x: 5, y: 5, width: 1, height: 1 }])
  })

  test('only the difference within a coarse area is sent, in whole squares across and whole rows down', async () => {
    scene = await startScene()
    await isStill()
    const before = scene.frames.length
    const isInside = (x: number, y: number) => x >= 70 && x < 80 && y >= 70 && y < 150
    scene.desktop.fill(whole, (x, y) => (isInside(x, y) ? red : [0, 0, 0]))
    await until(() => scene.frames.length > before)
    expect(scene.frames[before]).toMatchObject([{ x: 64, y: 70, width: 64, height: 80 }])
  })

  test('a key frame is one region that covers the display, when it is asked for or settings change', async () => {
    scene = await startScene()
    await isStill()
    for (const ask of [
      () => scene.viewer.send('RequestKeyFrame', {}),
      () => scene.viewer.setCapture({ manualQuality: 60 }),
      () => scene.viewer.send('ChangeDisplays', { displayId: 'display-0' }),
    ]) {
      const before = scene.frames.length
      await ask()
      await until(() => scene.frames.length > before)
      expect(scene.frames[before]).toMatchObject([whole])
    }
  })

  test.each(['Png', 'WebP'] as const)('comes as %s when the viewer asks for it', async (format) => {
    scene = await startScene()
    await isStill()
    await scene.viewer.setCapture({ encodingFormat: imageFormat[format] })
    await until(() => scene.frames.at(-1)?.[0]?.imageFormat === imageFormat[format])
    scene.desktop.fill({ x: 100, y: 100, width: 33, height: 33 }, plain(red))
    await shows(132, 132, red)
    await shows(100, 100, red)
    expect(scene.frames.at(-1)?.[0]?.imageFormat).toBe(imageFormat[format])
  })

  test('PNG shows every pixel as it is', async () => {
    const desktop = new MemoryDesktop([150, 90])
    desktop.fill({ x: 0, y: 0, width: 150, height: 90 }, (x, y) => [x, y, (x * y) % 256])
    scene = await startScene({ desktop })
    await scene.viewer.setCapture({ encodingFormat: imageFormat.Png })
    await until(() => scene.frames.some(([region]) => region?.imageFormat === imageFormat.Png))
    await isStill()
    expect([scene.canvas.at(149, 89), scene.canvas.at(77, 33)]).toEqual([
      [149, 89, (149 * 89) % 256],
      [77, 33, (77 * 33) % 256],
    ])
  })

  test('an area sent at low quality is sent again once still, with thin colored lines sharp', async () => {
    const lines = (x: number): Color => (x % 2 === 0 ? [255, 0, 0] : [0, 0, 255])
    const desktop = new MemoryDesktop([320, 200])
    desktop.fill(whole, lines)
    scene = await startScene({ desktop, capture: { isAutoQualityEnabled: true, autoQualityMaximum: 30 } })
    const worst = () => {
      let most = 0
      for (let x = 64; x < 256; x++) {
        scene.canvas.at(x, 100).forEach((value, index) => {
          most = Math.max(most, Math.abs(value - (lines(x)[index] ?? 0)))
        })
      }
      return most
    }
    const pixelsSentAgain = () =>
      scene.frames
        .slice(1)
        .flat()
        .reduce((sum, { width, height }) => sum + width * height, 0)
    await until(() => pixelsSentAgain() >= 320 * 200 && worst() < 40)
  })

  test('another display is shown when the viewer chooses it; an unknown one changes nothing', async () => {
    const desktop = new MemoryDesktop([320, 200], [100, 80])
    desktop.fill({ x: 0, y: 0, width: 100, height: 80 }, plain(blue), 1)
    scene = await startScene({ desktop })
    await isStill()
    await scene.viewer.send('ChangeDisplays', { displayId: 'nothing' })
    await isStill()
    const [first] = desktop.screens
    expect(first?.isClosed).toBe(false)
    await scene.viewer.send('ChangeDisplays', { displayId: 'display-1' })
    await shows(99, 79, blue)
    expect(scene.frames.some(([region]) => region?.width === 100 && region.height === 80)).toBe(true)
    expect(first?.isClosed).toBe(true)
    await scene.viewer.send('MovePointer', { normalizedX: 1, normalizedY: 0 })
    await until(() => desktop.actions.length > 0)
    expect(desktop.actions).toEqual([['move', 419, 0]])
  })

  test('a display that changes its size is announced and sent whole', async () => {
    scene = await startScene()
    await isStill()
    const { desktop } = scene
    desktop.shown = [{ id: 'larger', name: 'new', isPrimary: true, bounds: { x: 0, y: 0, width: 400, height: 300 } }]
    desktop.fill({ x: 0, y: 0, width: 400, height: 300 }, plain(red))
    desktop.onDisplaysChanged()
    await until(() => scene.displays()[0]?.displayId === 'larger')
    await shows(399, 299, red)
  })

  test('a display that turns while its screen is being opened is shown turned', async () => {
    scene = await startScene({ desktop: new MemoryDesktop([320, 200], [100, 80]) })
    // Exact pictures, of which none is sent again sharper.
    await scene.viewer.setCapture({ encodingFormat: imageFormat.Png })
    await isStill()
    const { desktop } = scene
    const [first] = desktop.shown
    const opening = Promise.withResolvers<void>()
    const opened = vi.spyOn(desktop, 'openScreen').mockImplementationOnce(async (display) => {
      await opening.promise
      return desktop.openScreen(display)
    })
    await scene.viewer.send('ChangeDisplays', { displayId: 'display-1' })
    await until(() => opened.mock.calls.length > 0)
    const bounds = { x: 320, y: 0, width: 80, height: 100 }
    desktop.shown = [first!, { id: 'display-1', name: 'turned', isPrimary: false, bounds }]
    desktop.onDisplaysChanged()
    opening.resolve()
    await until(() => scene.frames.some(([region]) => region?.width === 80 && region.height === 100))
  })

  test('a screen that cannot be read for a moment is read again; one that never can ends the session', async () => {
    scene = await startScene()
    await isStill()
    const { desktop } = scene
    desktop.screen.failure = 'busy'
    desktop.fill(whole, plain(red))
    await shows(10, 10, red)
    expect(desktop.screens).toHaveLength(2)
    desktop.screen.failure = 'gone'
    desktop.openFailure = 'gone'
    desktop.fill(whole, plain(blue))
    expect(await scene.ended).toEqual({ by: 'desktop', hasTyped: false, reason: 'The screen cannot be read: gone.' })
    await until(() => scene.told.RemoteControlSessionError)
    expect(scene.told.RemoteControlSessionError).toEqual([
      { message: 'The screen cannot be read: gone.', isFatal: true },
    ])
  })

  test('frames, quality and capture mode are reported after a second', async () => {
    scene = await startScene()
    await until(() => scene.told.CaptureMetricsChanged)
    expect(scene.told.CaptureMetricsChanged?.[0]).toMatchObject({ captureMode: 'Memory', currentQuality: 75 })
    expect(scene.told.CaptureMetricsChanged?.[0]?.fps).toBeGreaterThan(0)
  })

  test('at most 60 frames a second are sent, however often something is drawn', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await isStill()
    const before = scene.frames.length
    for (let step = 0; step < 50; step++) {
      scene.desktop.fill({ x: step, y: 0, width: 8, height: 8 }, plain([step, 99, 99]))
      clock.advance(4)
      await steady(() => scene.frames.length, 2)
    }
    const seconds = 0.2
    expect(scene.frames.length - before).toBeLessThanOrEqual(60 * seconds + 3)
    expect(scene.frames.length).toBeGreaterThan(before)
  })

  test('a bandwidth limit holds', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const clock = manualClock()
    scene = await startScene({ desktop, clock })
    await scene.viewer.setCapture({ isMaxBandwidthEnabled: true, maxBandwidthMbps: 1, manualQuality: 90 })
    await isStill()
    const before = scene.frames.length
    for (let step = 0; step < 40; step++) {
      desktop.fill(whole, (x, y) => [(x * 31 + step * 7) % 256, (y * 17 + step) % 256, (x * y + step) % 256])
      clock.advance(50)
      await steady(() => scene.frames.length, 2)
    }
    const bytes = scene.frames
      .slice(before)
      .flat()
      .reduce((sum, { encodedImage }) => sum + encodedImage.length, 0)
    const seconds = 2
    const largest = Math.max(...scene.frames.slice(before).map((frame) => frame[0]?.encodedImage.length ?? 0))
    expect(bytes).toBeGreaterThan(0)
    expect((bytes - 2 * largest) * 8).toBeLessThan(seconds * 1_000_000)
  })
})
