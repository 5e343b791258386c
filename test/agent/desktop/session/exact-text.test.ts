import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Picture, Rectangle } from '../../../../agent/platform/desktop/desktop.ts'
import { Quality } from '../../../../agent/desktop/session/quality.ts'
import { RegionEncoder } from '../../../../agent/desktop/session/region-encoder.ts'
import { ShownPicture, splitPlain } from '../../../../agent/desktop/session/shown-picture.ts'
import { imageFormat } from '../../../../shared/remote-control/values.ts'
import { defaultCaptureSettings } from '../../../../shared/remote-control/viewer.ts'
import { decodeRegion } from '../../../../tools/simulate/remote-viewer.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop, type Color } from './memory-desktop.ts'
import { startScene, type Scene } from './scene.ts'

let scene: Scene

const size = { width: 384, height: 128 }
const whole: Rectangle = { x: 0, y: 0, ...size }
/** Text: thin strokes in the colors of smoothed letters on a plain page. */
const letter = (x: number, y: number): Color =>
  y % 20 < 12 && (x * 31 + Math.floor(y / 20) * 17) % 9 < 2 ? [(x * 7) % 200, 20, (y * 5) % 160] : [250, 250, 245]
const grain = (x: number, y: number) => (Math.imul(x * 7919 + y * 104_729, 2_654_435_761) >>> 27) & 31
const photograph = (x: number, y: number): Color => [100 + grain(x, y), 80 + grain(y, x), 60 + grain(x + 5, y)]
/** A page with a photograph in the right half. */
const illustrated = (x: number, y: number) => (x < 192 ? letter(x, y) : photograph(x, y))

function pictureOf(color: (x: number, y: number) => Color, { width, height } = size): Picture {
  const stride = (width + 3) * 4
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue] = color(x, y)
      pixels.set([blue, green, red, 255], y * stride + x * 4)
    }
  }
  return { width, height, stride, pixels }
}

test('exact images have every pixel, with any number of colors', async () => {
  const sides = fc.integer({ min: 1, max: 80 })
  await fc.assert(
    fc.asyncProperty(sides, sides, fc.integer({ min: 1, max: 600 }), async (width, height, colors) => {
      const numberAt = (x: number, y: number) => (((x * 37 + y * 101) % colors) * 27_817) & 0xff_ff_ff
      const colorAt = (x: number, y: number): Color => {
        const number = numberAt(x, y)
        return [number >> 16, (number >> 8) & 255, number & 255]
      }
      const picture = pictureOf(colorAt, { width: width + 7, height: height + 5 })
      const area = { x: 7, y: 5, width, height }
      const [image] = await new RegionEncoder().encode(
        picture,
        [{ area, quality: 90, isSharp: true, isExact: true }],
        imageFormat.Jpeg,
      )
      const { pixels } = await decodeRegion(image!)
      const numbers = Array.from({ length: width * height }, (_, index) => pixels.readUIntLE(index * 4, 3))
      expect(numbers).toEqual(numbers.map((_, index) => numberAt((index % width) + 7, Math.floor(index / width) + 5)))
    }),
    { numRuns: 40 },
  )
})

test('text and tables are told from photographs', () => {
  expect(splitPlain(pictureOf(letter), [whole])).toEqual({ plain: [whole], rest: [] })
  expect(splitPlain(pictureOf(photograph), [whole])).toEqual({ plain: [], rest: [whole] })
  expect(splitPlain(pictureOf(illustrated), [whole])).toEqual({
    plain: [{ x: 0, y: 0, width: 192, height: 128 }],
    rest: [{ x: 192, y: 0, width: 192, height: 128 }],
  })
})

test('very many parts of both kinds are sent as one picture first', () => {
  const quality = new Quality()
  quality.apply({ ...defaultCaptureSettings, isAutoQualityEnabled: true, acceptsLossless: true })
  const large = { width: 1280, height: 640 }
  const isPhoto = (x: number, y: number) => (Math.floor(x / 64) + Math.floor(y / 64)) % 2 === 0
  const board = pictureOf((x, y) => (isPhoto(x, y) ? photograph(x, y) : letter(x, y)), large)
  expect(new ShownPicture(quality).whole(board, 0).regions).toMatchObject([{ area: { x: 0, y: 0, ...large } }])
})

/** A viewer of ours, with a whole picture; `change` returns the regions of a picture at a time. */
function shownPicture() {
  const quality = new Quality()
  quality.apply({ ...defaultCaptureSettings, isAutoQualityEnabled: true, acceptsLossless: true })
  const shown = new ShownPicture(quality)
  shown.whole(
    pictureOf(() => [0, 0, 0]),
    0,
  )
  const change = (picture: Picture, now: number, frameMs = 0) =>
    shown.changes(picture, [whole], now, { sentMbps: 100, frameMs, canUseVideo: false, changedAt: now }).regions
  return { shown, change }
}

describe('text', () => {
  test('that appears on a screen at rest is exact at once', () => {
    const { change } = shownPicture()
    expect(change(pictureOf(letter), 1000)).toMatchObject([{ area: whole, isExact: true }])
  })

  test('that changes again and again is rough, and exact within 300 ms after the last change', () => {
    const { shown, change } = shownPicture()
    change(pictureOf(photograph), 1000)
    const page = pictureOf(letter)
    expect(change(page, 1050).some(({ isExact }) => isExact)).toBe(false)
    expect(shown.sharpenAfterMs(1050, true)).toBeLessThanOrEqual(250)
    const regions = shown.sharpened(page, 1300, false)
    expect(regions).toMatchObject([{ area: whole, isExact: true }])
    expect(shown.sharpenAfterMs(1300, true)).toBeUndefined()
  })

  test('is exact also while it changes, on a link that takes longer for a rough picture', () => {
    const { change } = shownPicture()
    change(pictureOf(photograph), 1000)
    expect(change(pictureOf(letter), 1050, 200)).toMatchObject([{ isExact: true }])
  })
})

/** Largest difference between what the viewer sees and a picture. */
function difference(color: (x: number, y: number) => Color, { x: left, y: top, width, height }: Rectangle) {
  let most = 0
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      const wanted = color(x, y)
      scene.canvas.at(x, y).forEach((value, index) => {
        most = Math.max(most, Math.abs(value - (wanted[index] ?? 0)))
      })
    }
  }
  return most
}

test('a page is shown exactly, a photograph on it as JPEG; also after the page has moved', async () => {
  const desktop = new MemoryDesktop([size.width, size.height])
  desktop.fill(whole, illustrated)
  scene = await startScene({ desktop })
  await scene.viewer.setCapture({ isAutoQualityEnabled: true })
  await until(() => difference(letter, { ...whole, width: 192 }) === 0)
  const formats = scene.received.at(-1)!.regions.map((region) => region.imageFormat)
  expect(formats).toContain(imageFormat.Jpeg)
  for (let step = 1; step <= 8; step++) {
    const { captures } = desktop.screen
    desktop.fill(whole, (x, y) => photograph(x + step * 3, y))
    await until(() => desktop.screen.captures > captures)
  }
  desktop.fill(whole, letter)
  await until(() => difference(letter, whole) === 0)
})

test('a viewer of another make gets text in the format that it chose', async () => {
  const desktop = new MemoryDesktop([size.width, size.height])
  desktop.fill(whole, letter)
  scene = await startScene({ desktop })
  await scene.viewer.setCapture({ isAutoQualityEnabled: true, acceptsLossless: false })
  await until(() => scene.received.length > 1)
  expect(scene.frames.flat().every((region) => region.imageFormat === imageFormat.Jpeg)).toBe(true)
})
