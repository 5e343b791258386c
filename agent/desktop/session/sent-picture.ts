import { maxMoves, type MovedAreaDto } from '../../../shared/remote-control/messages.ts'
import { clip } from '../../platform/desktop/areas.ts'
import type { Picture, Rectangle } from '../../platform/desktop/desktop.ts'
import { movedAreas } from './moved-areas.ts'

/** Side of the compared tiles, in pixels. */
export const tileSize = 64
const bytesPerPixel = 4
/** Maximum number of regions per frame; more regions cost more than the pixels between them. */
const maxRegions = 48
/** Number of pixels above which a search for moves is costly: full HD takes 3 ms. */
const costlyPixels = 1_000_000
/** Fruitless searches in a row after which some captures are not searched, and their maximum number. */
const patience = 2
const maxSkipped = 4

interface Run {
  x: number
  right: number
  y: number
  bottom: number
}

/**
 * Copy of the viewer's picture, used to drop areas that were redrawn without a change: systems report coarse areas, and
 * comparing is much cheaper than encoding (full HD: 0.7 ms when all differs or nothing does, 2 ms for a page of text
 * that was scrolled; as JPEG 11 ms and more).
 */
export class SentPicture {
  readonly #picture: Picture
  /** Costly searches in a row that found no move. */
  #fruitless = 0
  #skipped = 0

  constructor({ width, height }: { width: number; height: number }) {
    const stride = width * bytesPerPixel
    this.#picture = { width, height, stride, pixels: Buffer.allocUnsafe(stride * height) }
  }

  get width() {
    return this.#picture.width
  }

  get height() {
    return this.#picture.height
  }

  /** Replaces the whole copy with a picture of the same size. */
  replace(picture: Picture): void {
    this.#copy(picture, { x: 0, right: this.width, y: 0, bottom: this.height })
  }

  /**
   * Returns the parts of the areas that only moved, and applies the moves to the copy. While large areas change without
   * a move, as in a video, most captures are not searched.
   */
  moves(picture: Picture, areas: readonly Rectangle[]): MovedAreaDto[] {
    const inside = this.#inside(areas)
    if (inside.reduce((sum, { width, height }) => sum + width * height, 0) < costlyPixels) {
      return this.#search(picture, inside)
    }
    if (this.#skipped < Math.min(maxSkipped, this.#fruitless - patience)) {
      this.#skipped++
      return []
    }
    const moves = this.#search(picture, inside)
    this.#fruitless = moves.length > 0 ? 0 : this.#fruitless + 1
    this.#skipped = 0
    return moves
  }

  #search(picture: Picture, areas: readonly Rectangle[]): MovedAreaDto[] {
    const moves: MovedAreaDto[] = []
    for (const area of areas) {
      const moved = movedAreas(this.#picture, picture, area).slice(0, maxMoves - moves.length)
      moved.forEach((part) => this.#move(part))
      moves.push(...moved)
      if (moves.length === maxMoves) {
        break
      }
    }
    return moves
  }

  /** Returns the parts of the areas that differ, as few rectangles, and updates the copy. */
  changes(picture: Picture, areas: readonly Rectangle[]): Rectangle[] {
    const runs: Run[] = []
    for (const { x, y: top, width, height } of this.#inside(areas)) {
      const end = top + height
      for (let y = top; y < end;) {
        const bottom = Math.min(end, (Math.floor(y / tileSize) + 1) * tileSize)
        this.#compareBand(picture, { x, right: x + width, y, bottom }, runs)
        y = bottom
      }
    }
    return (runs.length > maxRegions ? widened(runs) : runs).map(toRectangle)
  }

  /** Clips the areas to the picture: systems may report areas that reach beyond the edge. */
  #inside(areas: readonly Rectangle[]): Rectangle[] {
    const bounds = { x: 0, y: 0, width: this.width, height: this.height }
    return areas.flatMap((area) => clip(area, bounds) ?? [])
  }

  /** Compares one row of tiles. Adjacent tiles that differ form one run; a run may extend the run above. */
  #compareBand(picture: Picture, band: Run, runs: Run[]) {
    const first = Math.floor(band.x / tileSize)
    const count = Math.ceil(band.right / tileSize) - first
    const differs = this.#differingTiles(picture, band, first, count)
    for (let index = 0; index < count; index++) {
      if (!differs[index]) {
        continue
      }
      const start = index
      while (differs[index + 1]) {
        index++
      }
      const run = this.#trimmed(picture, {
        x: Math.max(band.x, (first + start) * tileSize),
        right: Math.min(band.right, (first + index + 1) * tileSize),
        y: band.y,
        bottom: band.bottom,
      })
      this.#copy(picture, run)
      const above = runs.find(({ x, right, bottom }) => x === run.x && right === run.right && bottom === run.y)
      if (above) {
        above.bottom = run.bottom
      } else {
        runs.push(run)
      }
    }
  }

  /** Removes unchanged rows at top and bottom: after a scroll only a few rows are new. */
  #trimmed(picture: Picture, { x, right, y, bottom }: Run): Run {
    while (this.#isSame(picture, y, x, right)) {
      y++
    }
    while (this.#isSame(picture, bottom - 1, x, right)) {
      bottom--
    }
    return { x, right, y, bottom }
  }

  #differingTiles(picture: Picture, { x, right, y, bottom }: Run, first: number, count: number): Uint8Array {
    const edge = (index: number) => Math.min(right, Math.max(x, (first + index) * tileSize))
    const differs = new Uint8Array(count)
    let same = [{ from: 0, to: count }]
    for (let row = y; row < bottom && same.length > 0; row++) {
      // Compare adjacent tiles without a difference so far in one call.
      if (same.every(({ from, to }) => this.#isSame(picture, row, edge(from), edge(to)))) {
        continue
      }
      for (let index = 0; index < count; index++) {
        if (!differs[index] && !this.#isSame(picture, row, edge(index), edge(index + 1))) {
          differs[index] = 1
        }
      }
      same = zerosOf(differs)
    }
    return differs
  }

  #isSame({ pixels, stride }: Picture, row: number, x: number, right: number): boolean {
    const own = row * this.#picture.stride
    const other = row * stride
    return (
      this.#picture.pixels.compare(
        pixels,
        other + x * bytesPerPixel,
        other + right * bytesPerPixel,
        own + x * bytesPerPixel,
        own + right * bytesPerPixel,
      ) === 0
    )
  }

  #move({ x, y, width, height, fromY }: MovedAreaDto) {
    const { pixels, stride } = this.#picture
    for (let count = 0; count < height; count++) {
      // Choose the row order so that no source row is overwritten before the copy.
      const row = fromY < y ? height - 1 - count : count
      const from = (fromY + row) * stride + x * bytesPerPixel
      pixels.copyWithin((y + row) * stride + x * bytesPerPixel, from, from + width * bytesPerPixel)
    }
  }

  #copy({ pixels, stride }: Picture, { x, right, y, bottom }: Run) {
    const own = this.#picture
    if (stride === own.stride && x === 0 && right === this.width) {
      pixels.copy(own.pixels, y * stride, y * stride, bottom * stride)
      return
    }
    for (let row = y; row < bottom; row++) {
      const from = row * stride + x * bytesPerPixel
      pixels.copy(own.pixels, row * own.stride + x * bytesPerPixel, from, from + (right - x) * bytesPerPixel)
    }
  }
}

/** Returns the ranges of adjacent zeros. */
function zerosOf(flags: Uint8Array) {
  const found: { from: number; to: number }[] = []
  for (let index = 0; index < flags.length; index++) {
    const last = found.at(-1)
    if (!flags[index] && last?.to === index) {
      last.to++
    } else if (!flags[index]) {
      found.push({ from: index, to: index + 1 })
    }
  }
  return found
}

const toRectangle = ({ x, right, y, bottom }: Run): Rectangle => ({ x, y, width: right - x, height: bottom - y })

/** Merges the runs of each tile row into one run, from the first change to the last. */
function widened(runs: readonly Run[]): Run[] {
  const bands = new Map<number, Run>()
  for (const run of runs) {
    const key = Math.floor(run.y / tileSize)
    const band = bands.get(key) ?? { ...run }
    band.x = Math.min(band.x, run.x)
    band.right = Math.max(band.right, run.right)
    band.y = Math.min(band.y, run.y)
    band.bottom = Math.max(band.bottom, run.bottom)
    bands.set(key, band)
  }
  return [...bands.values()]
}
