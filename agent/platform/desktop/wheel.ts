/** Pixels that most browsers report for one wheel notch. */
const pixelsPerNotch = 100
const maxNotchesAtOnce = 30

/** Converts scrolled pixels to notches of a wheel, which every program understands. */
export class Wheel {
  /** Fractions of notches that are not sent yet. */
  readonly #scrolled = { x: 0, y: 0 }

  /** Returns the notches to send; positive is up and left. */
  notches(axis: 'x' | 'y', pixels: number): number {
    // A change of direction discards the remainder.
    const rest = Math.sign(this.#scrolled[axis]) === -Math.sign(pixels) ? 0 : this.#scrolled[axis]
    const total = rest + (Number.isFinite(pixels) ? pixels : 0) / pixelsPerNotch
    const notches = Math.trunc(total)
    this.#scrolled[axis] = total - notches
    return Math.sign(notches) * Math.min(Math.abs(notches), maxNotchesAtOnce)
  }
}
