import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Rectangle } from '../../../../agent/platform/desktop/desktop.ts'
import { Quality } from '../../../../agent/desktop/session/quality.ts'
import { SentPicture } from '../../../../agent/desktop/session/sent-picture.ts'
import { ShownPicture } from '../../../../agent/desktop/session/shown-picture.ts'
import { maxMoves } from '../../../../shared/remote-control/messages.ts'
import { imageFormat } from '../../../../shared/remote-control/values.ts'
import { defaultCaptureSettings } from '../../../../shared/remote-control/viewer.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop, type Color } from './memory-desktop.ts'
import { startScene } from './scene.ts'
import { runs, some } from '../../../support/night.ts'

const size = { width: 640, height: 480 }
const whole: Rectangle = { x: 0, y: 0, ...size }
/** Content area of a window with bars above, at the left and below. */
const page: Rectangle = { x: 130, y: 70, width: 470, height: 380 }

/** Draws lines of letter-like patterns: fifteen rows each, three of them blank. */
const letters = (x: number, y: number): Color => {
  const line = Math.floor(y / 15)
  const isInk = y % 15 < 12 && (Math.imul((x >> 1) + line * 131, 2_654_435_761) >>> 27) % 3 === 0
  return isInk ? [20, 20, 60] : [255, 255, 255]
}
const scrolledBy = (rows: number) => (x: number, y: number) => letters(x, y + rows)

/** Viewer that receives every pixel losslessly, so that a wrong pixel is detected. */
async function startExactScene() {
  const desktop = new MemoryDesktop([size.width, size.height])
  desktop.fill(whole, (x, y) => [x % 256, y % 256, 90])
  desktop.fill(page, letters)
  const started = await startScene({ desktop })
  await started.viewer.setCapture({ encodingFormat: imageFormat.Png })
  await until(() => started.frames.some(([region]) => region?.imageFormat === imageFormat.Png))
  const isShown = () => {
    const visible = desktop.visible(desktop.shown[0]!)
    const stride = visible.length / size.height
    for (let y = 0; y < size.height; y++) {
      for (let x = 0; x < size.width; x++) {
        if (
          visible.readUIntLE(y * stride + x * 4, 3) !== started.canvas.pixels.readUIntLE((y * size.width + x) * 4, 3)
        ) {
          return false
        }
      }
    }
    return true
  }
  await until(isShown)
  return { ...started, desktop, isShown }
}

const pixelsOf = (areas: readonly { width: number; height: number }[]) =>
  areas.reduce((sum, { width, height }) => sum + width * height, 0)

describe('a page that is scrolled', () => {
  test.each(some([5, 40, 200, -1, -33, -250], 2))('by %i rows is moved; only what is new is encoded', async (rows) => {
    const { desktop, frames, moves, isShown } = await startExactScene()
    const before = frames.length
    desktop.fill(page, scrolledBy(rows))
    await until(isShown)
    expect(moves.length).toBeGreaterThan(0)
    expect(moves.every(({ y, fromY }) => fromY - y === rows)).toBe(true)
    const encoded = frames.slice(before).flat()
    // Only new content in whole tiles, and tiles at the edge of the page.
    expect(pixelsOf(encoded)).toBeLessThan((Math.abs(rows) + 2 * 64) * (page.width + 2 * 64))
  })

  test('beside bars that stay, all within one reported area, moves alone', async () => {
    const { desktop, moves, isShown } = await startExactScene()
    desktop.fill(page, scrolledBy(30))
    desktop.screen.change(whole)
    await until(isShown)
    expect(moves.length).toBeGreaterThan(0)
    for (const { x, y, width, height } of moves) {
      expect(x + width).toBeGreaterThan(page.x)
      expect(y).toBeGreaterThanOrEqual(page.y - 15)
      expect(y + height).toBeLessThanOrEqual(page.y + page.height + 15)
    }
  })

  test('is sent as pictures to a viewer that does not know of moves', async () => {
    const { desktop, viewer, frames, moves, isShown } = await startExactScene()
    const before = frames.length
    await viewer.setCapture({ encodingFormat: imageFormat.Png, acceptsMoves: false })
    await until(() => frames.length > before)
    desktop.fill(page, scrolledBy(30))
    await until(isShown)
    expect(moves).toEqual([])
  })

  test('together with another change keeps every pixel right', async () => {
    const { desktop, isShown, moves } = await startExactScene()
    for (let step = 1; step <= 20; step++) {
      desktop.fill(page, scrolledBy(step * 7))
      desktop.fill({ x: 200 + step * 5, y: 200, width: 60, height: 60 }, () => [step * 10, 0, 200])
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await until(isShown)
    expect(moves.length).toBeGreaterThan(0)
  })
})

/** Draws a picture of lines, scrolled by some rows. */
function linesAt(rows: number) {
  const stride = size.width * 4
  const pixels = Buffer.alloc(stride * size.height)
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      pixels.writeUIntLE(letters(x, y + rows)[0], y * stride + x * 4, 3)
    }
  }
  return { ...size, pixels, stride }
}

describe('ShownPicture', () => {
  test.each([
    ['sharp at once to a viewer that moves the rest', true],
    ['as all that moves to another', false],
  ])('on a busy line, what comes into view is sent %s', (_, acceptsMoves) => {
    const quality = new Quality()
    quality.apply({ ...defaultCaptureSettings, acceptsMoves })
    const shown = new ShownPicture(quality)
    shown.whole(linesAt(0), 0)
    const { regions, moves } = shown.changes(linesAt(20), [whole], 20, {
      sentMbps: 100,
      frameMs: 0,
      canUseVideo: false,
      changedAt: 20,
    })
    expect(moves.length > 0).toBe(acceptsMoves)
    expect(regions.length).toBeGreaterThan(0)
    expect(regions.every(({ isSharp }) => isSharp === acceptsMoves)).toBe(true)
  })
})

describe('SentPicture', () => {
  test.each([
    ['on all sides', { x: -50, y: -40, width: size.width + 100, height: size.height + 100 }, whole],
    [
      'at the right and below',
      { x: 300, y: 100, width: 900, height: 900 },
      { x: 300, y: 100, width: size.width - 300, height: size.height - 100 },
    ],
    ['far away', { x: 5_000, y: -5_000, width: 900, height: 900 }, undefined],
  ])('of an area that goes beyond the picture %s, only what is inside moves', (_, area, inside) => {
    const movesOf = (areas: readonly Rectangle[]) => {
      const sent = new SentPicture(size)
      sent.replace(linesAt(0))
      return sent.moves(linesAt(20), areas)
    }
    const moves = movesOf([area])
    expect(moves).toEqual(inside ? movesOf([inside]) : [])
    expect(moves.length > 0).toBe(inside !== undefined)
  })

  test('moves and sent areas together make the new picture', () => {
    const stride = size.width * 4
    const paint = fc.record({
      area: fc.record({
        x: fc.integer({ min: 0, max: size.width - 100 }),
        y: fc.integer({ min: 0, max: size.height - 100 }),
        width: fc.integer({ min: 1, max: size.width }),
        height: fc.integer({ min: 1, max: size.height }),
      }),
      rows: fc.integer({ min: -300, max: 300 }),
    })
    fc.assert(
      fc.property(fc.array(paint, { minLength: 1, maxLength: 4 }), (paints) => {
        const pixels = Buffer.alloc(stride * size.height)
        const picture = { ...size, pixels, stride }
        const draw = (area: Rectangle, rows: number) => {
          for (let y = area.y; y < Math.min(size.height, area.y + area.height); y++) {
            for (let x = area.x; x < Math.min(size.width, area.x + area.width); x++) {
              const [red, green, blue] = letters(x, y + rows + 1000)
              pixels.writeUInt32LE((red << 16) | (green << 8) | blue, y * stride + x * 4)
            }
          }
        }
        draw(whole, 0)
        const sent = new SentPicture(size)
        sent.replace(picture)
        const shown = Buffer.from(pixels)
        paints.forEach(({ area, rows }) => draw(area, rows))
        for (const { x, y, width, height, fromX, fromY } of sent.moves(picture, [whole])) {
          const before = Buffer.from(shown)
          for (let row = 0; row < height; row++) {
            const from = (fromY + row) * stride + fromX * 4
            before.copy(shown, (y + row) * stride + x * 4, from, from + width * 4)
          }
        }
        for (const { x, y, width, height } of sent.changes(picture, [whole])) {
          for (let row = y; row < y + height; row++) {
            pixels.copy(shown, row * stride + x * 4, row * stride + x * 4, row * stride + (x + width) * 4)
          }
        }
        expect(shown.equals(pixels)).toBe(true)
      }),
      { numRuns: runs(10) },
    )
  })
})

test("moves beyond a viewer's limit are not sent: many narrow columns are sent as images", () => {
  const wide = { width: 5120, height: 480 }
  const stride = wide.width * 4
  const pictureOf = (at: (x: number, y: number) => number) => {
    const pixels = Buffer.alloc(stride * wide.height)
    for (let y = 0; y < wide.height; y++) {
      for (let x = 0; x < wide.width; x++) {
        pixels.writeUInt32LE(Math.imul(at(x, y), 2_654_435_761) >>> 0, y * stride + x * 4)
      }
    }
    return { ...wide, stride, pixels }
  }
  const before = (x: number, y: number) => y * wide.width + x
  const isMoved = (x: number) => Math.floor(x / 64) % 2 === 0
  const sent = new SentPicture(wide)
  sent.replace(pictureOf(before))
  const now = pictureOf((x, y) => before(x, isMoved(x) ? y + 16 : y))
  const areas = [0, 160, 320].map((y) => ({ x: 0, y, width: wide.width, height: 160 }))
  const moves = sent.moves(now, areas)
  expect(moves.length).toBeGreaterThan(20)
  expect(moves.length).toBeLessThanOrEqual(maxMoves)
  // Remaining differences are sent like any other change.
  sent.changes(now, areas)
  expect(sent.changes(now, areas)).toEqual([])
})
