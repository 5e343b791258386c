import type { MovedAreaDto } from '../../../shared/remote-control/messages.ts'
import type { Rectangle } from '../../platform/desktop/desktop.ts'

const cellSize = 64
/** Time without a change after which an area counts as still. */
const stillMs = 200

/** Tracks the parts of the picture that the viewer has in low quality, and their age. */
export class RoughAreas {
  readonly #width: number
  readonly #height: number
  readonly #columns: number
  readonly #sentAt: Float64Array
  #count = 0

  constructor({ width, height }: { width: number; height: number }) {
    this.#width = width
    this.#height = height
    this.#columns = Math.ceil(width / cellSize)
    this.#sentAt = new Float64Array(this.#columns * Math.ceil(height / cellSize)).fill(Number.NaN)
  }

  markRough(area: Rectangle, nowMs: number): void {
    this.#eachCell(area, (index) => {
      this.#count += Number.isNaN(this.#sentAt[index]) ? 1 : 0
      this.#sentAt[index] = nowMs
    })
  }

  /** Moves the quality along with the pixels; a cell with several sources takes the roughest of their states. */
  move({ x, y, width, height, fromY }: MovedAreaDto, nowMs: number): void {
    if (this.#count === 0) {
      return
    }
    const isRough = this.#sentAt.map((at) => (Number.isNaN(at) ? 0 : 1))
    this.markSharp({ x, y, width, height })
    this.#eachCell({ x, y, width, height }, (_, cell) => {
      const top = Math.max(cell.y, y)
      const bottom = Math.min(cell.y + cell.height, y + height)
      const source = { x: cell.x, y: top - y + fromY, width: cell.width, height: bottom - top }
      let comesFromRough = false
      this.#eachCell(source, (index) => (comesFromRough ||= isRough[index] === 1))
      if (comesFromRough) {
        this.markRough(cell, nowMs)
      }
    })
  }

  /** Marks only cells that the area covers completely: the rest of a partly covered cell is still rough. */
  markSharp(area: Rectangle): void {
    this.#eachCell(area, (index, cell) => {
      const isCovered =
        cell.x >= area.x &&
        cell.y >= area.y &&
        cell.x + cell.width <= area.x + area.width &&
        cell.y + cell.height <= area.y + area.height
      if (isCovered && !Number.isNaN(this.#sentAt[index])) {
        this.#sentAt[index] = Number.NaN
        this.#count--
      }
    })
  }

  /** Milliseconds until a rough area counts as still; undefined without rough areas. */
  dueAfterMs(nowMs: number): number | undefined {
    if (this.#count === 0) {
      return undefined
    }
    const oldest = this.#sentAt.reduce((least, at) => (at < least ? at : least), Number.POSITIVE_INFINITY)
    return Math.max(0, oldest + stillMs - nowMs)
  }

  /** Removes and returns rough areas that stand still, at most about `maxPixels`. */
  takeStill(nowMs: number, maxPixels: number): Rectangle[] {
    const taken: Rectangle[] = []
    if (this.#count === 0) {
      return taken
    }
    let pixels = 0
    for (let index = 0; index < this.#sentAt.length && pixels < maxPixels; index++) {
      if (!((this.#sentAt[index] ?? Number.NaN) + stillMs <= nowMs)) {
        continue
      }
      this.#sentAt[index] = Number.NaN
      this.#count--
      const cell = this.#cell(index)
      pixels += cell.width * cell.height
      const last = taken.at(-1)
      if (last && last.y === cell.y && last.x + last.width === cell.x) {
        last.width += cell.width
      } else {
        taken.push(cell)
      }
    }
    return taken
  }

  #cell(index: number): Rectangle {
    const x = (index % this.#columns) * cellSize
    const y = Math.floor(index / this.#columns) * cellSize
    return { x, y, width: Math.min(cellSize, this.#width - x), height: Math.min(cellSize, this.#height - y) }
  }

  #eachCell({ x, y, width, height }: Rectangle, visit: (index: number, cell: Rectangle) => void) {
    const right = Math.floor((x + width - 1) / cellSize)
    const bottom = Math.floor((y + height - 1) / cellSize)
    for (let row = Math.floor(y / cellSize); row <= bottom; row++) {
      for (let column = Math.floor(x / cellSize); column <= right; column++) {
        const index = row * this.#columns + column
        visit(index, this.#cell(index))
      }
    }
  }
}
