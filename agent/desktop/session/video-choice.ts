/** Longest time between frames of the same motion. */
const pauseMs = 250
/** Frames after a switch that are not compared: the interval between frames still follows from those before. */
const settlingFrames = 10
const comparedFrames = 30
/** Share of the time between frames of a video in which the link has to transmit the same frame as images. */
const roomyShare = 1 / 2
/** Share of that time that images may take to be preferred: they use about six times the bytes. */
const fasterShare = 0.85
/** Time for which a comparison holds. */
const heldMs = 60_000

/**
 * Chooses how motion is sent, by the frames that device, link and viewer manage. A video needs few bytes and much processor
 * time, so busy machines on a fast link show more frames as images.
 */
export class VideoChoice {
  prefersImages = false
  #frames = 0
  #frameAt = Number.NEGATIVE_INFINITY
  #settledAt = 0
  /** Usual time between frames of a video. */
  #videoMs = 0
  /** Time of the last attempt with images. */
  #triedAt = Number.NEGATIVE_INFINITY

  /** Call once per frame with areas that move, with the time in ms in which the link transmits one as images. */
  follow(now: number, imagesMs: number): void {
    const isPause = now - this.#frameAt > pauseMs
    this.#frameAt = now
    if (isPause && this.#frames === 0 && this.prefersImages) {
      // Two in a row are no pauses: images take that long.
      this.#triedAt = now
      this.#prefer(false)
      return
    }
    this.#frames = isPause ? 0 : this.#frames + 1
    if (this.#frames === settlingFrames) {
      this.#settledAt = now
    }
    if (this.prefersImages && imagesMs > roomyShare * this.#videoMs) {
      this.#triedAt = now
      this.#prefer(false)
    } else if (this.#frames === settlingFrames + comparedFrames) {
      this.#compare(now, (now - this.#settledAt) / comparedFrames, imagesMs)
    }
  }

  #compare(now: number, frameMs: number, imagesMs: number) {
    this.#frames = settlingFrames
    this.#settledAt = now
    const isDue = now - this.#triedAt > heldMs
    if (!this.prefersImages) {
      this.#videoMs = frameMs
      if (isDue && imagesMs <= roomyShare * frameMs) {
        this.#triedAt = now
        this.#prefer(true)
      }
    } else if (isDue || frameMs > fasterShare * this.#videoMs) {
      this.#prefer(false)
    }
  }

  #prefer(areImages: boolean) {
    this.prefersImages = areImages
    this.#frames = 0
  }
}
