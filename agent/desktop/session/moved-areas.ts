import type { MovedAreaDto } from '../../../shared/remote-control/messages.ts'
import type { Picture, Rectangle } from '../desktop.ts'

/*
 * Finds what was scrolled: text that somebody reads in a browser, an editor or a terminal. To move it on the viewer's
 * side costs a hundred bytes where to encode it again costs hundreds of thousands, and it stays as sharp as it is.
 * What is found here need not be right everywhere: what differs afterwards is sent like any other change.
 */

/** Columns move as a whole or not at all; strips of the same width are looked at to learn how far. */
const columnWidth = 64
const stripCount = 6
/** Pixels of a row that are looked at in a strip. */
const pixelsApart = 4
/** One row alone may look like many others. */
const rowsTogether = 16
/** Rows that are compared to decide about a column. */
const rowsApart = 8
const minRows = 48
/** Rows of one strip that must agree on how far it went. */
const minVotes = 8
/** Fewer pixels than these are encoded as fast as they are searched. */
const minPixels = 32 * 1024
const multiplier = 0x9e3779b1

/** A picture as one number for each pixel. */
interface Pixels {
  numbers: Int32Array
  perRow: number
}

function pixelsOf({ pixels, stride }: Picture): Pixels {
  const { buffer, byteOffset, byteLength } = pixels.byteOffset % 4 === 0 ? pixels : Uint8Array.from(pixels)
  return { numbers: new Int32Array(buffer, byteOffset, byteLength >> 2), perRow: stride >> 2 }
}

/** The two pictures; `before` is compared so many rows further up. */
interface Pair {
  before: Pixels
  now: Pixels
}

/** A number for each row of a strip and the next ones; equal where the pixels are. */
function signatures({ numbers, perRow }: Pixels, x: number, { y, height }: Rectangle): Int32Array {
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
  for (let row = 0; row < found.length; row++) {
    let mixed = 0
    for (let next = 0; next < rowsTogether; next++) {
      mixed = Math.imul(mixed ^ (rows[row + next] ?? 0), multiplier)
    }
    found[row] = mixed
  }
  return found
}

/** How many rows of a strip went so many rows down, by that number and the height; what stands there twice has no vote. */
function votesOf({ before, now }: Pair, x: number, area: Rectangle): Uint32Array {
  const votes = new Uint32Array(2 * area.height)
  const [old, seen] = [signatures(before, x, area), signatures(now, x, area)]
  const places = new Map<number, number>()
  for (let row = 0; row < old.length; row++) {
    // Whoever stayed has nothing to say.
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

/** How many rows down most of the area went, and a strip that shows it; undefined when nothing went as a whole. */
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

/** Between which rows a strip has moved more than it has not: the heaviest run of them. */
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

/** Of the rows of a column, how many only moving explains, less those that only staying does. */
function gainOf(pair: Pair, shift: number, x: number, width: number, { top, bottom }: Rows): number {
  let gain = 0
  for (let row = top; row < bottom; row += rowsApart) {
    gain += Number(isSame(pair, shift, x, row, width)) - Number(isSame(pair, 0, x, row, width))
  }
  return gain
}

/** What of the area was moved up or down, as columns of the same rows. Both pictures have the same size. */
export function movedAreas(before: Picture, now: Picture, area: Rectangle): MovedAreaDto[] {
  const pair = { before: pixelsOf(before), now: pixelsOf(now) }
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
