const fastestMs = 1000 / 60
const slowestMs = 250
/** Target length of the viewer's queue: each further frame in the queue delays the picture by the time of one frame. */
export const usualFrames = 1
const slower = 1.15
const faster = 0.9

/** Interval between frames: matches the viewer's drawing rate, at most 60 frames per second. */
export class Pace {
  #intervalMs = fastestMs

  get intervalMs() {
    return this.#intervalMs
  }

  /** Call once per frame with the viewer's queue length. */
  follow(waitingFrames: number): void {
    const factor = waitingFrames > usualFrames ? slower : waitingFrames < usualFrames ? faster : 1
    this.#intervalMs = Math.min(slowestMs, Math.max(fastestMs, this.#intervalMs * factor))
  }
}
