const fastestMs = 1000 / 60
const slowestMs = 250
/** One frame is drawn, another is decoded; with more the viewer falls behind. */
const usualFrames = 2
const slower = 1.15
const faster = 0.9

/** How often frames are sent: as often as the viewer draws them, at most 60 times a second. Later frames are newer ones. */
export class Pace {
  #intervalMs = fastestMs

  get intervalMs() {
    return this.#intervalMs
  }

  /** To be told with each frame how many of those before it wait at the viewer. */
  follow(waitingFrames: number): void {
    const factor = waitingFrames > usualFrames ? slower : waitingFrames < usualFrames ? faster : 1
    this.#intervalMs = Math.min(slowestMs, Math.max(fastestMs, this.#intervalMs * factor))
  }
}
