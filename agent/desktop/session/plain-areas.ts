import type { Picture, Rectangle } from '../../platform/desktop/desktop.ts'
import { joined, partsOf } from './cells.ts'
import { pixelNumbers, type PixelNumbers } from './pixel-numbers.ts'

/** Share of pixels like their left or upper neighbor from which an area is text or drawn: photographs have hardly any. */
const plainShare = 0.4

/** Whether most pixels are like a neighbor. */
function isPlain({ numbers, perRow }: PixelNumbers, { x, y, width, height }: Rectangle): boolean {
  let different = 0
  const most = width * height * (1 - plainShare)
  for (let row = 0; row < height && different <= most; row++) {
    const start = (y + row) * perRow + x
    for (let column = 1; column < width; column++) {
      const color = numbers[start + column]
      if (color !== numbers[start + column - 1] && (row === 0 || color !== numbers[start + column - perRow])) {
        different++
      }
    }
  }
  return different <= most
}

/** Divides areas into parts with text, or drawn like buttons and tables, and parts with photographs and the like. */
export function splitPlain(picture: Picture, areas: readonly Rectangle[]): { plain: Rectangle[]; rest: Rectangle[] } {
  const pixels = pixelNumbers(picture)
  const [plain, rest]: [Rectangle[], Rectangle[]] = [[], []]
  for (const area of areas) {
    for (const part of partsOf(area)) {
      ;(isPlain(pixels, part) ? plain : rest).push(part)
    }
  }
  return { plain: joined(plain), rest: joined(rest) }
}
