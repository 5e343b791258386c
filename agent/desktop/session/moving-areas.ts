import { maxVideoAreas } from '../../../shared/remote-control/messages.ts'
import type { Rectangle } from '../../platform/desktop/desktop.ts'

const cellSize = 64
/** Share of a cell that has to change: a caret, a spinner and typed text are no video. */
const changedShare = 1 / 4
/**
 * Changes in a row after which a cell moves, and the longest time from a capture to the next change. A long time between
 * captures does not matter: on a slow line or a busy machine, a film is captured rarely, but always changed again soon.
 */
const steps = 5
const pauseMs = 150
/** Pixels that must move before a video begins, and below which it ends: small areas cost less as images. */
const beginPixels = 120_000
const endPixels = 60_000

interface Split {
  /** Areas that are part of a moving picture, on the grid of cells. */
  moving: Rectangle[]
  rest: Rectangle[]
}

const pixelsOf = (areas: readonly Rectangle[]) => areas.reduce((sum, { width, height }) => sum + width * height, 0)

/** Finds the areas of a screen that change again and again, as in a video. */
export class MovingAreas {
  readonly #width: number
  readonly #height: number
  readonly #columns: number
  readonly #rows: number
  /** Capture of the last change of each cell. */
  readonly #capturedAt: Float64Array
  readonly #streak: Uint8Array
  #isMoving = false

  constructor({ width, height }: { width: number; height: number }) {
    this.#width = width
    this.#height = height
    this.#columns = Math.ceil(width / cellSize)
    this.#rows = Math.ceil(height / cellSize)
    this.#capturedAt = new Float64Array(this.#columns * this.#rows).fill(Number.NEGATIVE_INFINITY)
    this.#streak = new Uint8Array(this.#columns * this.#rows)
  }

  /**
   * Call with all changes of a frame, which do not overlap, the time of its capture, and the time of the first drawing
   * since the capture before.
   */
  split(changed: readonly Rectangle[], now: number, changedAt: number): Split {
    const isMoving = this.#follow(changed, now, changedAt)
    const moving = this.#runs((row, column) => isMoving[row * this.#columns + column] === 1)
    this.#isMoving = pixelsOf(moving) >= (this.#isMoving ? endPixels : beginPixels) && moving.length <= maxVideoAreas
    return this.#isMoving
      ? { moving, rest: changed.flatMap((area) => this.#outside(area, isMoving)) }
      : { moving: [], rest: [...changed] }
  }

  /** Marks the cells that moved in this frame and those before. */
  #follow(changed: readonly Rectangle[], now: number, changedAt: number): Uint8Array {
    const pixels = new Uint16Array(this.#streak.length)
    for (const area of changed) {
      this.#eachCell(area, (index, part) => (pixels[index] = (pixels[index] ?? 0) + part.width * part.height))
    }
    return this.#streak.map((streak, index) => {
      const { width, height } = this.#cell(index)
      if ((pixels[index] ?? 0) < width * height * changedShare) {
        return 0
      }
      const isNext = changedAt - (this.#capturedAt[index] ?? 0) <= pauseMs
      this.#capturedAt[index] = now
      this.#streak[index] = isNext ? Math.min(steps, streak + 1) : 1
      return Number(this.#streak[index] === steps)
    })
  }

  #cell(index: number): Rectangle {
    const x = (index % this.#columns) * cellSize
    const y = Math.floor(index / this.#columns) * cellSize
    return { x, y, width: Math.min(cellSize, this.#width - x), height: Math.min(cellSize, this.#height - y) }
  }

  #eachCell({ x, y, width, height }: Rectangle, visit: (index: number, part: Rectangle) => void) {
    for (let row = Math.floor(y / cellSize); row * cellSize < y + height; row++) {
      for (let column = Math.floor(x / cellSize); column * cellSize < x + width; column++) {
        const left = Math.max(x, column * cellSize)
        const top = Math.max(y, row * cellSize)
        visit(row * this.#columns + column, {
          x: left,
          y: top,
          width: Math.min(x + width, (column + 1) * cellSize) - left,
          height: Math.min(y + height, (row + 1) * cellSize) - top,
        })
      }
    }
  }

  /** Joins cells to areas: runs in a row, and equal runs below each other. */
  #runs(isWanted: (row: number, column: number) => boolean): Rectangle[] {
    const found: Rectangle[] = []
    for (let row = 0; row < this.#rows; row++) {
      let run: Rectangle | undefined
      for (let column = 0; column < this.#columns; column++) {
        if (!isWanted(row, column)) {
          run = undefined
          continue
        }
        const cell = this.#cell(row * this.#columns + column)
        if (run) {
          run.width += cell.width
        } else {
          run = cell
          found.push(run)
        }
      }
    }
    return joined(found)
  }

  /** Parts of an area outside of the moving cells. */
  #outside(area: Rectangle, isMoving: Uint8Array): Rectangle[] {
    const found: Rectangle[] = []
    this.#eachCell(area, (index, part) => {
      const last = found.at(-1)
      if (isMoving[index] === 1) {
        return
      }
      if (last?.y === part.y && last.x + last.width === part.x) {
        last.width += part.width
      } else {
        found.push(part)
      }
    })
    return joined(found)
  }
}

/** Joins areas of the same columns below each other. */
function joined(areas: readonly Rectangle[]): Rectangle[] {
  const found: Rectangle[] = []
  for (const area of areas) {
    const above = found.find(({ x, y, width, height }) => x === area.x && width === area.width && y + height === area.y)
    if (above) {
      above.height += area.height
    } else {
      found.push({ ...area })
    }
  }
  return found
}
