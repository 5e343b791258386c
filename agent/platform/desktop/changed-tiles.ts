import type { Picture, Rectangle } from './desktop.ts'

const bytesPerPixel = 4
const tileSize = 64

/** Returns the tiles that differ between two pictures of the same size and stride. */
export function changedTiles(before: Picture, now: Picture): Rectangle[] {
  const tiles: Rectangle[] = []
  for (let y = 0; y < now.height; y += tileSize) {
    const height = Math.min(tileSize, now.height - y)
    for (let x = 0; x < now.width; x += tileSize) {
      const width = Math.min(tileSize, now.width - x)
      for (let row = y; row < y + height; row++) {
        const from = row * now.stride + x * bytesPerPixel
        const to = from + width * bytesPerPixel
        if (now.pixels.compare(before.pixels, from, to, from, to) !== 0) {
          tiles.push({ x, y, width, height })
          break
        }
      }
    }
  }
  return tiles
}
