import type { Rectangle } from './desktop.ts'

/** More areas than this cost more in requests and picture headers than the pixels between them. */
const maxAreas = 24
/** What one area costs besides its pixels, in pixels. */
const areaCost = 2_048
/** Above this, rectangles are first gathered by rows: comparing each with each other one takes too long. */
const maxCompared = 64
const bandHeight = 64

const sizeOf = ({ width, height }: Rectangle) => width * height

function union(a: Rectangle, b: Rectangle): Rectangle {
  const x = Math.min(a.x, b.x)
  const y = Math.min(a.y, b.y)
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  }
}

/** The part of `area` inside of `bounds`, in coordinates of `bounds`; null when there is none. */
export function clip(area: Rectangle, bounds: Rectangle): Rectangle | null {
  const x = Math.max(area.x, bounds.x)
  const y = Math.max(area.y, bounds.y)
  const width = Math.min(area.x + area.width, bounds.x + bounds.width) - x
  const height = Math.min(area.y + area.height, bounds.y + bounds.height) - y
  return width > 0 && height > 0 ? { x: x - bounds.x, y: y - bounds.y, width, height } : null
}

function gatherBands(areas: readonly Rectangle[]) {
  const bands = new Map<number, Rectangle>()
  for (const area of areas) {
    const band = Math.floor(area.y / bandHeight)
    const other = bands.get(band)
    bands.set(band, other ? union(area, other) : area)
  }
  return [...bands.values()]
}

/** Puts areas together that overlap or lie close, until reading them one by one is worth it; at most 24 remain. */
export function mergeAreas(areas: readonly Rectangle[]): Rectangle[] {
  const merged = areas.length > maxCompared ? gatherBands(areas) : [...areas]
  for (;;) {
    let best: { first: number; second: number; both: Rectangle; waste: number } | undefined
    for (const [first, a] of merged.entries()) {
      for (let second = first + 1; second < merged.length; second++) {
        const b = merged[second] as Rectangle
        const both = union(a, b)
        const waste = sizeOf(both) - sizeOf(a) - sizeOf(b)
        if (!best || waste < best.waste) {
          best = { first, second, both, waste }
        }
      }
    }
    if (!best || (best.waste > areaCost && merged.length <= maxAreas)) {
      return merged
    }
    merged.splice(best.second, 1)
    merged[best.first] = best.both
  }
}
