/** Shortest interval between frames. */
export const fastestMs = 1000 / 60
const slowestMs = 250
/** Maximum length of the viewer's queue: each frame in the queue delays the picture by the time of one frame. */
const usualFrames = 1
/** Factors of the interval for a viewer with a longer queue, with this queue and without a queue. */
const slower = 1.15
const gentlySlower = 1.02
const faster = 0.94

/** Interval between frames: matches the viewer's drawing rate, at most 60 frames per second. */
export class Pace {
  #intervalMs = fastestMs

  get intervalMs() {
    return this.#intervalMs
  }

  /** Call once per frame with the viewer's queue length. */
  follow(waitingFrames: number): void {
    const factor = waitingFrames > usualFrames ? slower : waitingFrames === usualFrames ? gentlySlower : faster
    this.#intervalMs = Math.min(slowestMs, Math.max(fastestMs, this.#intervalMs * factor))
  }
}
