import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Rectangle } from '../../../../agent/platform/desktop/desktop.ts'
import { RoughAreas } from '../../../../agent/desktop/session/rough-areas.ts'
import { SentPicture } from '../../../../agent/desktop/session/sent-picture.ts'

const width = 300
const height = 150
const stride = (width + 5) * 4
const size = { width, height }
const isInside = (x: number, y: number, area: Rectangle) =>
  x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height
const area = fc.record({
  x: fc.integer({ min: -20, max: width }),
  y: fc.integer({ min: -20, max: height }),
  width: fc.integer({ min: 1, max: width }),
  height: fc.integer({ min: 1, max: height }),
})
const point = fc.tuple(fc.integer({ min: 0, max: width - 1 }), fc.integer({ min: 0, max: height - 1 }))

describe('SentPicture', () => {
  test('every pixel that differs inside of the areas is in a region, no region leaves picture or areas', () => {
    fc.assert(
      fc.property(fc.array(area, { maxLength: 4 }), fc.array(point, { maxLength: 12 }), (areas, points) => {
        const pixels = Buffer.alloc(stride * height)
        const picture = { ...size, pixels, stride }
        const sent = new SentPicture(size)
        sent.replace(picture)
        points.forEach(([x, y]) => pixels.writeUInt32LE(0x00ffffff, y * stride + x * 4))
        const regions = sent.changes(picture, areas)
        for (const [x, y] of points) {
          const isReported = areas.some((reported) => isInside(x, y, reported))
          expect(!isReported || regions.some((region) => isInside(x, y, region))).toBe(true)
        }
        for (const region of regions) {
          expect(region.x >= 0 && region.y >= 0).toBe(true)
          expect(region.x + region.width <= width && region.y + region.height <= height).toBe(true)
          expect(region.width > 0 && region.height > 0).toBe(true)
        }
        expect(sent.changes(picture, areas)).toEqual([])
      }),
    )
  })

  test('neighbours that differ are one region', () => {
    const pixels = Buffer.alloc(stride * height)
    const picture = { ...size, pixels, stride }
    const sent = new SentPicture(size)
    sent.replace(picture)
    pixels.fill(9)
    expect(sent.changes(picture, [{ x: 10, y: 10, width: 200, height: 130 }])).toEqual([
      { x: 10, y: 10, width: 200, height: 130 },
    ])
  })

  test('very many regions become one for each row of squares', () => {
    const large = { width: 64 * 40, height: 64 * 4 }
    const pixels = Buffer.alloc(large.width * 4 * large.height)
    const picture = { ...large, pixels, stride: large.width * 4 }
    const sent = new SentPicture(large)
    sent.replace(picture)
    for (let tile = 0; tile < 160; tile += 2) {
      const [x, y] = [(tile % 40) * 64 + (Math.floor(tile / 40) % 2) * 64, Math.floor(tile / 40) * 64]
      pixels[(y * large.width + Math.min(x, large.width - 1)) * 4] = 1
    }
    const regions = sent.changes(picture, [{ x: 0, y: 0, ...large }])
    expect(regions).toHaveLength(4)
  })
})

describe('RoughAreas', () => {
  test('an area of low quality is due after 200 ms without change, in pieces, once', () => {
    const rough = new RoughAreas({ width: 640, height: 128 })
    rough.markRough({ x: 0, y: 0, width: 640, height: 128 }, 1000)
    expect(rough.dueAfterMs(1100)).toBe(100)
    expect(rough.takeStill(1199, 1e9)).toEqual([])
    expect(rough.takeStill(1200, 64 * 64 * 3)).toEqual([{ x: 0, y: 0, width: 192, height: 64 }])
    expect(rough.takeStill(1200, 1e9)).toEqual([
      { x: 192, y: 0, width: 448, height: 64 },
      { x: 0, y: 64, width: 640, height: 64 },
    ])
    expect(rough.dueAfterMs(1200)).toBeUndefined()
  })

  test('a moved area keeps its quality: sharp over rough is sharp, rough over sharp is rough', () => {
    const rough = new RoughAreas({ width: 64, height: 64 * 4 })
    const moved = { x: 0, width: 64, fromX: 0 }
    rough.markRough({ x: 0, y: 64, width: 64, height: 64 }, 0)
    rough.move({ ...moved, y: 64, height: 64, fromY: 128 }, 100)
    expect(rough.dueAfterMs(100)).toBeUndefined()
    rough.markRough({ x: 0, y: 0, width: 64, height: 64 }, 200)
    rough.move({ ...moved, y: 100, height: 64, fromY: 0 }, 300)
    expect(rough.takeStill(499, 1e9)).toEqual([{ x: 0, y: 0, width: 64, height: 64 }])
    expect(rough.takeStill(500, 1e9)).toEqual([
      { x: 0, y: 64, width: 64, height: 64 },
      { x: 0, y: 128, width: 64, height: 64 },
    ])
  })

  test('only squares that were sent sharp as a whole are no longer rough', () => {
    const rough = new RoughAreas(size)
    rough.markRough({ x: 0, y: 0, ...size }, 0)
    rough.markSharp({ x: 64, y: 0, width: 100, height: 64 })
    rough.markSharp({ x: 256, y: 128, width: 44, height: 22 })
    const still = rough.takeStill(200, 1e9)
    expect(still.filter(({ y }) => y === 0)).toEqual([
      { x: 0, y: 0, width: 64, height: 64 },
      { x: 128, y: 0, width: 172, height: 64 },
    ])
    expect(still.some((cell) => isInside(299, 149, cell))).toBe(false)
  })
})
