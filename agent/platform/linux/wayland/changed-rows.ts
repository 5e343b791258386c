import type { Picture, Rectangle } from '../../desktop/desktop.ts'

const bytesPerPixel = 4
/** Number of unchanged rows within one area: another area costs more. */
const maxGap = 32

/** Returns the bands of rows that differ between two pictures of the same size. */
export function changedRows(before: Picture, now: Picture): Rectangle[] {
  const bands: Rectangle[] = []
  const { width, height } = now
  for (let y = 0; y < height; y++) {
    const [start, other] = [y * now.stride, y * before.stride]
    const end = width * bytesPerPixel
    if (now.pixels.compare(before.pixels, other, other + end, start, start + end) === 0) {
      continue
    }
    const last = bands.at(-1)
    if (last && y - last.y - last.height <= maxGap) {
      last.height = y - last.y + 1
    } else {
      bands.push({ x: 0, y, width, height: 1 })
    }
  }
  return bands
}
