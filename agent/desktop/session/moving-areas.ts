import { maxVideoAreas } from '../../../shared/remote-control/messages.ts'
import { pixelsOf } from '../../platform/desktop/areas.ts'
import type { Rectangle } from '../../platform/desktop/desktop.ts'
import { cellSize, joined, partsOf } from './cells.ts'

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

/** Finds the areas of a screen that change again and again, as in a video. */
export class MovingAreas {
  readonly #cells: readonly Rectangle[]
  readonly #columns: number
  /** Capture of the last change of each cell. */
  readonly #capturedAt: Float64Array
  readonly #streak: Uint8Array
  #isMoving = false

  constructor({ width, height }: { width: number; height: number }) {
    this.#cells = [...partsOf({ x: 0, y: 0, width, height })]
    this.#columns = Math.ceil(width / cellSize)
    this.#capturedAt = new Float64Array(this.#cells.length).fill(Number.NEGATIVE_INFINITY)
    this.#streak = new Uint8Array(this.#cells.length)
  }

  /**
   * Call with all changes of a frame, which do not overlap, the time of its capture, and the time of the first drawing
   * since the capture before.
   */
  split(changed: readonly Rectangle[], now: number, changedAt: number): Split {
    const isMoving = this.#follow(changed, now, changedAt)
    const moving = joined(this.#cells.filter((_, index) => isMoving[index] === 1))
    this.#isMoving = pixelsOf(moving) >= (this.#isMoving ? endPixels : beginPixels) && moving.length <= maxVideoAreas
    return this.#isMoving
      ? { moving, rest: changed.flatMap((area) => this.#outside(area, isMoving)) }
      : { moving: [], rest: [...changed] }
  }

  /** Marks the cells that moved in this frame and those before. */
  #follow(changed: readonly Rectangle[], now: number, changedAt: number): Uint8Array {
    const pixels = new Uint16Array(this.#streak.length)
    for (const part of changed.flatMap((area) => [...partsOf(area)])) {
      const index = this.#indexOf(part)
      pixels[index] = (pixels[index] ?? 0) + part.width * part.height
    }
    return this.#streak.map((streak, index) => {
      const { width, height } = this.#cells[index]!
      if ((pixels[index] ?? 0) < width * height * changedShare) {
        return 0
      }
      const isNext = changedAt - (this.#capturedAt[index] ?? 0) <= pauseMs
      this.#capturedAt[index] = now
      this.#streak[index] = isNext ? Math.min(steps, streak + 1) : 1
      return Number(this.#streak[index] === steps)
    })
  }

  #indexOf({ x, y }: Rectangle): number {
    return Math.floor(y / cellSize) * this.#columns + Math.floor(x / cellSize)
  }

  /** Parts of an area outside of the moving cells. */
  #outside(area: Rectangle, isMoving: Uint8Array): Rectangle[] {
    return joined([...partsOf(area)].filter((part) => isMoving[this.#indexOf(part)] === 0))
  }
}
