import type { Rectangle } from './desktop.ts'

/** Maximum number of areas; more areas cost more in requests and image headers than the pixels between them. */
const maxAreas = 24
/** Fixed cost of one area, expressed in pixels. */
const areaCost = 2_048
/** Above this number, rectangles are first grouped by rows: comparing all pairs takes too long. */
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

export const pixelsOf = (areas: readonly Rectangle[]): number => areas.reduce((sum, area) => sum + sizeOf(area), 0)

/** Smallest rectangle around one or more others. */
export const unionOf = (areas: readonly Rectangle[]): Rectangle => areas.reduce((all, area) => union(all, area))

/** Intersection of `area` with `bounds`, in coordinates of `bounds`; null without an intersection. */
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

/** Merges areas that overlap or lie close together, until separate reads are cheaper; at most 24 remain. */
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
