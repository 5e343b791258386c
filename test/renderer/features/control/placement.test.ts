import { describe, expect, test } from 'vitest'
import { placementOf, scrollFor, shareOf, stripOf, zoomOf } from '../../../../renderer/features/control/placement.ts'

const picture = { width: 1920, height: 1080 }
const stage = { width: 1000, height: 800 }
const plain = { zoom: 1, smoothing: 'auto', stage, picture, ratio: 1 } as const

describe('the place of a picture', () => {
  test('fits with its proportions, in the middle', () => {
    expect(placementOf({ ...plain, mode: 'fit' })).toEqual({
      width: 1000,
      height: 562,
      left: 0,
      top: 119,
      rendering: 'auto',
    })
  })

  test.each([1.25, 1.5, 1.75])('is never larger than the stage where it fills it, on a screen of scale %s', (ratio) => {
    for (let width = 601; width < 640; width++) {
      expect(
        placementOf({ ...plain, mode: 'stretch', stage: { width, height: 401 }, ratio }).width,
      ).toBeLessThanOrEqual(width)
    }
  })

  test('stretches over the whole stage', () => {
    expect(placementOf({ ...plain, mode: 'stretch' })).toMatchObject({ width: 1000, height: 800, left: 0, top: 0 })
  })

  test.each([1, 1.25, 1.5, 2])('shows pixel for pixel on a screen of scale %s, on whole pixels of it', (ratio) => {
    const placed = placementOf({ ...plain, mode: 'actual', ratio })
    expect(placed.rendering).toBe('pixelated')
    expect(placed.width * ratio).toBeCloseTo(1920)
    expect(placed.height * ratio).toBeCloseTo(1080)
    expect((placed.top * ratio) % 1).toBeCloseTo(0)
  })

  test('is smooth between whole scales, and as the person wants it', () => {
    expect(placementOf({ ...plain, mode: 'zoom', zoom: 1.5 }).rendering).toBe('auto')
    expect(placementOf({ ...plain, mode: 'zoom', zoom: 2 }).rendering).toBe('pixelated')
    expect(placementOf({ ...plain, mode: 'zoom', zoom: 2, smoothing: 'smooth' }).rendering).toBe('auto')
    expect(placementOf({ ...plain, mode: 'fit', smoothing: 'sharp' }).rendering).toBe('pixelated')
  })

  test('zooming by hand begins where the picture is', () => {
    const placed = placementOf({ ...plain, mode: 'fit', ratio: 2 })
    expect(zoomOf(placed, picture, 2)).toBeCloseTo((1000 / 1920) * 2, 2)
  })
})

test('the point under the pointer stays in place when the picture grows', () => {
  // Pointer, or two fingers that move to 280, at 300 over a picture from 100 to 500, which grows to 1200 from 0.
  const scrolled = scrollFor([300, 280], 0, [100, 400], 1200)
  expect((scrolled + 280) / 1200).toBeCloseTo(0.5)
})

describe('a point of the page', () => {
  const pixels = (at: number, length: number, ratio: number, round = Math.floor) => {
    const { normalizedX } = shareOf(
      { x: 100 + at / ratio, y: 50 },
      { left: 100, top: 50, width: length / ratio, height: 50 },
      ratio,
    )
    return round(normalizedX * length)
  }

  test.each([1, 1.25, 1.5, 2, 3])('is the pixel under it on a screen of scale %s, cut or rounded', (ratio) => {
    for (const length of [320, 1366, 1920, 3840]) {
      const all = Array.from({ length }, (_, at) => at)
      expect(all.map((at) => pixels(at, length, ratio))).toEqual(all)
      expect(all.slice(0, -1).map((at) => pixels(at, length, ratio, Math.round))).toEqual(all.slice(0, -1))
    }
  })

  test('reaches the last pixel of the device where the picture is smaller', () => {
    const { normalizedX, normalizedY } = shareOf({ x: 639, y: 359 }, { left: 0, top: 0, width: 640, height: 360 }, 1)
    expect([Math.floor(normalizedX * 1920), Math.floor(normalizedY * 1080)]).toEqual([1919, 1079])
  })

  test('beyond the edges is at the edge, and without a picture at its beginning', () => {
    const box = { left: 100, top: 50, width: 200, height: 100 }
    const { normalizedX, normalizedY } = shareOf({ x: 0, y: 999 }, box, 1)
    expect(normalizedX).toBe(0)
    expect(normalizedY).toBeLessThan(1)
    expect(Math.floor(normalizedY * 65_535)).toBe(65_534)
    expect(shareOf({ x: 5, y: 5 }, { ...box, width: 0 }, 1)).toMatchObject({ normalizedX: 0 })
  })
})

test('displays lie in the strip as on the desk', () => {
  const at = (x: number, y: number, width: number, height: number) => ({
    displayId: `${x}`,
    layoutBounds: { x, y, width, height },
  })
  const { ratio, places } = stripOf([at(0, 0, 1000, 500), at(-1000, 250, 1000, 500)])
  expect(ratio).toBeCloseTo(2000 / 750)
  expect(places.map(({ left, top }) => [left, top])).toEqual([
    [0.5, 0],
    [0, 1 / 3],
  ])
})
