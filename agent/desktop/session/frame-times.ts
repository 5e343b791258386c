import { windowBytes, type Channel } from '../../../shared/remote-control/channel.ts'
import type { DeviceMessage, ViewerMessage } from '../../../shared/remote-control/messages.ts'
import type { Clock } from '../../base/clock.ts'
import type { FrameDelay, LinkUse } from './quality.ts'

/** Shortest interval between frames. */
const fastestMs = 1000 / 60
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

/** Weight of the newest frame in usual times. */
const newestShare = 1 / 4
export const bytesPerMbit = 125_000

interface FrameTimesDependencies {
  clock: Clock
  channel: Pick<Channel<DeviceMessage, ViewerMessage>, 'framesAtPeer' | 'queueMs' | 'sentMbps' | 'transmissionMs'>
}

/** Time at which the next frame is due, from what the frames before it cost device, link and viewer. */
export class FrameTimes {
  readonly #deps: FrameTimesDependencies
  readonly #pace = new Pace()
  readonly delay: FrameDelay = { totalMs: 0, linkMs: 0 }
  /** Bytes of the last frame with areas in the quality of moving areas. */
  movingBytes = 0
  /**
   * Time up to which sent frames have used the frame budget. Up to one frame may be sent ahead, so that a typed key
   * shows at once.
   */
  #usedUntil = 0
  /** Usual time to capture and encode a frame, in ms. */
  #frameMs = 0
  #startedAt = Number.NEGATIVE_INFINITY
  /** Time at which the next frame was due, and how long the frame had waited for the link alone. */
  #dueAt = 0
  #linkWaitMs = 0
  /** True if the last frame alone fills the window: the next frame then waits for its ack. */
  #fillsWindow = false

  constructor(deps: FrameTimesDependencies) {
    this.#deps = deps
  }

  /** Call before the first `waitMs` of a frame. */
  beginWait(): void {
    this.#linkWaitMs = 0
  }

  /** Time until a frame is due: captured then, it is ready when the link has transmitted the frames before. */
  waitMs(now: number, hasWork: boolean): number {
    this.#dueAt = now
    const paceMs = this.#usedUntil - this.#pace.intervalMs - now
    const linkMs = this.#deps.channel.queueMs - this.#frameMs
    this.#linkWaitMs = Math.max(this.#linkWaitMs, hasWork ? linkMs - Math.max(0, paceMs) : 0)
    return Math.max(paceMs, linkMs)
  }

  /** Call when the capture begins; `changedAt` is the time of the oldest change that the frame shows. */
  begin(now: number, changedAt: number | undefined): void {
    if (changedAt !== undefined) {
      const totalMs = now - Math.max(changedAt, this.#startedAt + fastestMs)
      const linkMs = this.#linkWaitMs + (this.#fillsWindow ? now - this.#dueAt : 0)
      this.delay.totalMs += (Math.max(0, totalMs) - this.delay.totalMs) * newestShare
      this.delay.linkMs += (linkMs - this.delay.linkMs) * newestShare
    }
    this.#startedAt = now
  }

  /** Call when the frame is encoded; the next one is due after `leastMs`, or later. */
  end(startedAt: number, bytes: number, leastMs: number): void {
    const { channel, clock } = this.#deps
    this.#pace.follow(channel.framesAtPeer)
    this.#fillsWindow = bytes >= windowBytes
    this.#frameMs += (clock.monotonic() - startedAt - this.#frameMs) * newestShare
    this.#usedUntil = Math.max(this.#usedUntil, startedAt) + Math.max(this.#pace.intervalMs, leastMs)
  }

  /** Captures no frame before this time. */
  pause(until: number): void {
    this.#usedUntil = until
  }

  linkUse(): LinkUse {
    const { channel } = this.#deps
    return {
      frameMs: channel.transmissionMs(this.movingBytes),
      windowShare: this.movingBytes / windowBytes,
      linkShare: channel.transmissionMs(channel.sentMbps * bytesPerMbit) / 1000,
    }
  }
}
