import type { Rectangle } from '../../platform/desktop/desktop.ts'

/** Side in pixels of the squares in which a picture is divided. */
export const cellSize = 64

/** Returns the parts of an area in each cell that it touches, row by row. */
export function* partsOf({ x, y, width, height }: Rectangle): Iterable<Rectangle> {
  for (let top = y; top < y + height;) {
    const bottom = Math.min(y + height, (Math.floor(top / cellSize) + 1) * cellSize)
    for (let left = x; left < x + width;) {
      const right = Math.min(x + width, (Math.floor(left / cellSize) + 1) * cellSize)
      yield { x: left, y: top, width: right - left, height: bottom - top }
      left = right
    }
    top = bottom
  }
}

/** Joins parts that `partsOf` returned: neighbors in a row, then equal runs below each other. */
export function joined(parts: Iterable<Rectangle>): Rectangle[] {
  const runs: Rectangle[] = []
  for (const part of parts) {
    const last = runs.at(-1)
    if (last?.y === part.y && last.height === part.height && last.x + last.width === part.x) {
      last.width += part.width
    } else {
      runs.push({ ...part })
    }
  }
  const found: Rectangle[] = []
  for (const run of runs) {
    const above = found.find(({ x, y, width, height }) => x === run.x && width === run.width && y + height === run.y)
    if (above) {
      above.height += run.height
    } else {
      found.push(run)
    }
  }
  return found
}
