/** Rate of a whole screen of full HD in motion, in kbit/s. */
const wholeKbits = 8_500
const wholePixels = 1920 * 1080
/**
 * Least rate for a slower link, which then gets fewer frames: frames below 8 KiB say nothing about the link, so an estimate
 * that is too low would stay (`Link`).
 */
const leastKbits = 2_000
/** Share of the link that a video takes: input, text and bursts need the rest. */
const linkShare = 0.8
/** Queue of the link in ms above which the rate falls, and below which it rises. */
const longQueueMs = 80
const shortQueueMs = 30
const down = 0.9
const up = 1.02
const leastShare = 0.2
/** Share of the full rate below which a video has half of the frames: few sharp frames look better than many blurred ones. */
const fullShare = 0.7
const fastestMs = 1000 / 60
const slowestMs = 1000 / 30

export interface VideoLink {
  /** Estimated rate of the link; infinite if the link is no limit. */
  mbps: number
  /** Time in ms that sent messages wait for the link. */
  queueMs: number
  /** Limit of the viewer. */
  mostMbps: number
}

/** Rate and frames of a video, by the size of what moves and the link. */
export class VideoRate {
  kbitPerSecond = leastKbits
  /** Shortest time between frames. */
  intervalMs = fastestMs
  #share = 1

  follow(pixels: number, { mbps, queueMs, mostMbps }: VideoLink): void {
    const factor = queueMs > longQueueMs ? down : queueMs < shortQueueMs ? up : 1
    this.#share = Math.min(1, Math.max(leastShare, this.#share * factor))
    const full = (wholeKbits * pixels) / wholePixels
    const link = Math.min(mbps * linkShare, mostMbps) * 1000
    this.kbitPerSecond = Math.min(full, Math.max(leastKbits, link * this.#share))
    this.intervalMs = this.kbitPerSecond >= full * fullShare ? fastestMs : slowestMs
  }
}
