import type { MovedAreaDto } from '../../../shared/remote-control/messages.ts'
import type { Picture, Rectangle } from '../../platform/desktop/desktop.ts'
import { pixelNumbers, type PixelNumbers } from './pixel-numbers.ts'

/*
 * Detects scrolling, as of text in a browser, an editor or a terminal. A move costs about a hundred bytes on the wire,
 * encoding the area again costs hundreds of thousands, and moved pixels stay sharp. A detected move may be partly
 * wrong: remaining differences are sent like any other change.
 */

/**
 * Width of a column in pixels; a column moves completely or not at all. Strips of this width are sampled to find the
 * shift.
 */
const columnWidth = 64
const stripCount = 6
/** Distance in pixels between the samples in a row. */
const pixelsApart = 4
/** Number of rows hashed together: a single row may look like many others. */
const rowsTogether = 16
/** Distance between the rows that are compared to decide about a column. */
const rowsApart = 8
const minRows = 48
/** Minimum number of rows in a strip that must agree on the shift. */
const minVotes = 8
/** Minimum area in pixels: a smaller area is encoded as fast as searched. */
const minPixels = 32 * 1024
const multiplier = 0x9e3779b1
/** Factor of the first row of a hash: the multiplier once per row. */
const firstMultiplier = Array.from({ length: rowsTogether }).reduce<number>((power) => Math.imul(power, multiplier), 1)

/** Two pictures to compare; `before` is read `shift` rows further up. */
interface Pair {
  before: PixelNumbers
  now: PixelNumbers
}

/** Hashes each row of a strip together with the next rows. */
function signatures({ numbers, perRow }: PixelNumbers, x: number, { y, height }: Rectangle): Int32Array {
  const rows = new Int32Array(height)
  for (let row = 0; row < height; row++) {
    const start = (y + row) * perRow + x
    let mixed = 0
    for (let pixel = 0; pixel < columnWidth; pixel += pixelsApart) {
      mixed = Math.imul(mixed ^ (numbers[start + pixel] ?? 0), multiplier)
    }
    rows[row] = mixed
  }
  const found = new Int32Array(height - rowsTogether)
  let mixed = 0
  for (let row = 0; row < rowsTogether; row++) {
    mixed = (Math.imul(mixed, multiplier) + (rows[row] ?? 0)) | 0
  }
  // Each hash follows from the previous hash: the next row enters, the first row leaves.
  for (let row = 0; row < found.length; row++) {
    found[row] = mixed
    const entering = rows[row + rowsTogether] ?? 0
    mixed = (Math.imul(mixed, multiplier) + entering - Math.imul(rows[row] ?? 0, firstMultiplier)) | 0
  }
  return found
}

/**
 * Counts for each shift the rows of a strip that moved by this shift, indexed by shift plus height; repeated rows have
 * no vote.
 */
function votesOf({ before, now }: Pair, x: number, area: Rectangle): Uint32Array {
  const votes = new Uint32Array(2 * area.height)
  const [old, seen] = [signatures(before, x, area), signatures(now, x, area)]
  const places = new Map<number, number>()
  for (let row = 0; row < old.length; row++) {
    // An unchanged row has no vote.
    if (old[row] !== seen[row]) {
      const signature = old[row] ?? 0
      places.set(signature, places.has(signature) ? Number.NaN : row)
    }
  }
  for (let row = 0; row < seen.length && places.size > 0; row++) {
    const rows = row - (places.get(seen[row] ?? 0) ?? Number.NaN)
    if (rows) {
      votes[rows + area.height] = (votes[rows + area.height] ?? 0) + 1
    }
  }
  return votes
}

/** Finds the shift of most of the area, and a strip that shows the shift; undefined without a common shift. */
function shiftOf(pair: Pair, area: Rectangle): { shift: number; x: number } | undefined {
  const apart = (area.width - columnWidth) / (stripCount - 1)
  let found: { shift: number; x: number } | undefined
  let most = minVotes - 1
  for (let strip = 0; strip < stripCount; strip++) {
    const x = area.x + Math.floor(apart * strip)
    const votes = votesOf(pair, x, area)
    for (let index = 0; index < votes.length; index++) {
      if ((votes[index] ?? 0) > most) {
        most = votes[index] ?? 0
        found = { shift: index - area.height, x }
      }
    }
    if (most > area.height / 4) {
      break
    }
  }
  return found
}

function isSame({ before, now }: Pair, shift: number, x: number, y: number, width: number): boolean {
  const own = y * now.perRow + x
  const other = (y - shift) * before.perRow + x
  for (let pixel = 0; pixel < width; pixel++) {
    if (now.numbers[own + pixel] !== before.numbers[other + pixel]) {
      return false
    }
  }
  return true
}

interface Rows {
  top: number
  bottom: number
}

/** Returns the range of rows where moving explains more rows than staying does: the run with the greatest weight. */
function movedRows(pair: Pair, shift: number, x: number, { y, height }: Rectangle): Rows {
  const best = { top: y, bottom: y, weight: 0 }
  let run = { top: y, weight: 0 }
  const end = y + height + Math.min(0, shift)
  for (let row = y + Math.max(0, shift); row < end; row++) {
    if (run.weight <= 0) {
      run = { top: row, weight: 0 }
    }
    const hasMoved = isSame(pair, shift, x, row, columnWidth)
    run.weight += hasMoved ? Number(!isSame(pair, 0, x, row, columnWidth)) : -1
    if (run.weight > best.weight) {
      Object.assign(best, { top: run.top, bottom: row + 1, weight: run.weight })
    }
  }
  return best
}

/** Number of sampled rows that only moving explains, minus the rows that only staying explains. */
function gainOf(pair: Pair, shift: number, x: number, width: number, { top, bottom }: Rows): number {
  let gain = 0
  for (let row = top; row < bottom; row += rowsApart) {
    gain += Number(isSame(pair, shift, x, row, width)) - Number(isSame(pair, 0, x, row, width))
  }
  return gain
}

/**
 * Finds the parts of the area that moved up or down, as columns with the same rows. Both pictures have the same size.
 */
export function movedAreas(before: Picture, now: Picture, area: Rectangle): MovedAreaDto[] {
  const pair = { before: pixelNumbers(before), now: pixelNumbers(now) }
  const isWorthIt = area.width >= columnWidth && area.height >= minRows && area.width * area.height >= minPixels
  const found = isWorthIt ? shiftOf(pair, area) : undefined
  if (!found) {
    return []
  }
  const { shift } = found
  const rows = movedRows(pair, shift, found.x, area)
  const height = rows.bottom - rows.top
  const moved: MovedAreaDto[] = []
  let pixels = 0
  for (let x = area.x; x < area.x + area.width && height >= minRows; x += columnWidth) {
    const width = Math.min(columnWidth, area.x + area.width - x)
    const gain = gainOf(pair, shift, x, width, rows)
    const last = moved.at(-1)
    pixels += gain > 0 ? width * height : 0
    if (gain >= 0 && last && last.x + last.width === x) {
      last.width += width
    } else if (gain >= 0) {
      moved.push({ x, y: rows.top, width, height, fromX: x, fromY: rows.top - shift })
    }
  }
  return pixels >= minPixels ? moved : []
}
