import { describe, test } from 'vitest'
import type { Cursor } from '../../../../agent/platform/desktop/desktop.ts'
import { imageFormat, pointerCursor } from '../../../../shared/remote-control/values.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop, type Color } from './memory-desktop.ts'
import { startScene, type Scene } from './scene.ts'

const size = { width: 200, height: 150 }
const whole = { x: 0, y: 0, ...size }
const ground = (x: number, y: number): Color => [x, y, 90]
const red: Color = [255, 0, 0]

/** Red square of six pixels, with its hotspot in the middle. */
const square: Cursor = {
  shape: pointerCursor.Custom,
  image: {
    width: 6,
    height: 6,
    hotspotX: 3,
    hotspotY: 3,
    rgba: Buffer.from(Array.from({ length: 36 }, () => [...red, 255]).flat()),
  },
}

let scene: Scene

/** Viewer that receives every pixel losslessly. */
async function watchPointer(captureCursor = true) {
  const desktop = new MemoryDesktop([size.width, size.height])
  desktop.fill(whole, ground)
  desktop.shape = square
  desktop.place = { x: 50, y: 40 }
  scene = await startScene({ desktop })
  await scene.viewer.setCapture({ encodingFormat: imageFormat.Png, captureCursor })
  return desktop
}

const wanted = (pointer: { x: number; y: number } | undefined) => (x: number, y: number) =>
  pointer && Math.abs(x + 0.5 - pointer.x) < 3 && Math.abs(y + 0.5 - pointer.y) < 3 ? red : ground(x, y)

const shows = (color: (x: number, y: number) => Color) =>
  until(() => {
    for (let y = 0; y < size.height; y++) {
      for (let x = 0; x < size.width; x++) {
        if (String(scene.canvas.at(x, y)) !== String(color(x, y))) {
          return false
        }
      }
    }
    return true
  })

describe('the pointer of the device', () => {
  test('is in the picture of a viewer that asks for it, and leaves no trace behind', async () => {
    const desktop = await watchPointer()
    for (const place of [
      { x: 50, y: 40 },
      { x: 53, y: 41 },
      { x: 0, y: 0 },
      { x: 199, y: 149 },
      { x: 70, y: 70 },
    ]) {
      desktop.place = place
      await shows(wanted(place))
    }
    // Outside of all displays.
    desktop.place = { x: 500, y: 10 }
    await shows(wanted(undefined))
  })

  test('stays above new content under it', async () => {
    const desktop = await watchPointer()
    await shows(wanted(desktop.place))
    desktop.fill({ x: 40, y: 30, width: 20, height: 20 }, () => [1, 2, 3])
    desktop.fill({ x: 40, y: 30, width: 20, height: 20 }, ground)
    desktop.fill({ x: 0, y: 100, width: 9, height: 9 }, () => [1, 2, 3])
    const withSquare = wanted(desktop.place)
    await shows((x, y) => (x < 9 && y >= 100 && y < 109 ? [1, 2, 3] : withSquare(x, y)))
  })

  test('is an arrow where the system provides no shape', async () => {
    const desktop = await watchPointer()
    desktop.shape = { shape: pointerCursor.NormalArrow }
    await until(() => String(scene.canvas.at(52, 46)) === '255,255,255')
  })

  test('is not in the picture of a viewer that did not ask for it or stopped asking', async () => {
    await watchPointer(false)
    await shows(wanted(undefined))
    await scene.viewer.setCapture({ encodingFormat: imageFormat.Png, captureCursor: true })
    await shows(wanted({ x: 50, y: 40 }))
    await scene.viewer.setCapture({ encodingFormat: imageFormat.Png, captureCursor: false })
    await shows(wanted(undefined))
  })
})
