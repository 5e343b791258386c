/** Many bytes, so that whole pictures are a small part of them; else once a minute, unless little was shown. */
const after = { manyBytes: 12 * 1024 * 1024, fewBytes: 1024 * 1024, ms: 60_000 }

/** Whole pictures, at which a recording can be played. */
export class WholePictures {
  /** Whether the session can be recorded. */
  areWanted = false
  #bytesSince = 0
  #at = 0

  received(bytes: number): void {
    this.#bytesSince += bytes
  }

  /** True when the next one is to be requested. */
  isDue(now: number): boolean {
    const { manyBytes, fewBytes, ms } = after
    const isDue = this.areWanted && this.#bytesSince > (now - this.#at > ms ? fewBytes : manyBytes)
    if (isDue) {
      this.#bytesSince = 0
      this.#at = now
    }
    return isDue
  }
}
