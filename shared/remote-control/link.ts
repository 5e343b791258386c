/** Smaller messages say little about the rate. */
const leastBytes = 8 * 1024
/** Weight of the newest message in the rate. A busy peer acks late but never early, so faster messages count more. */
const fasterWeight = 1 / 2
const slowerWeight = 1 / 10
/** The shortest round trip is that of the last one to two periods, because the route may have become longer. */
const periodMs = 15_000

interface Message {
  bytes: number
  sentAt: number
}

/**
 * Estimates when a link has transmitted what was sent, from the times of the acks: a link transmits one message after
 * the other, and an ack arrives one round trip after its message was transmitted. All times are milliseconds.
 */
export class Link {
  readonly #inFlight: Message[] = []
  #msPerByte: number | undefined
  /** Shortest round trips of the period before and of this period, which began at `#periodAt`. */
  #shortestBefore = Number.POSITIVE_INFINITY
  #shortestNow = Number.POSITIVE_INFINITY
  #periodAt = 0
  #ackedAt = Number.NEGATIVE_INFINITY

  sent(now: number, bytes: number): void {
    this.#inFlight.push({ bytes, sentAt: now })
  }

  /** Call once per ack: acks arrive in the order of the messages. */
  acked(now: number): void {
    const message = this.#inFlight.shift()
    if (!message) {
      return
    }
    this.#measureRoundTrip(now, now - message.sentAt)
    if (message.bytes >= leastBytes) {
      const transmissionMs = now - Math.max(this.#ackedAt, message.sentAt + this.#shortestMs)
      const msPerByte = Math.max(0, transmissionMs) / message.bytes
      const usual = this.#msPerByte ?? msPerByte
      this.#msPerByte = usual + (msPerByte - usual) * (msPerByte < usual ? fasterWeight : slowerWeight)
    }
    this.#ackedAt = now
  }

  get #shortestMs() {
    return Math.min(this.#shortestBefore, this.#shortestNow)
  }

  #measureRoundTrip(now: number, roundTripMs: number) {
    if (now - this.#periodAt >= periodMs) {
      this.#shortestBefore = this.#shortestNow
      this.#shortestNow = Number.POSITIVE_INFINITY
      this.#periodAt = now
    }
    this.#shortestNow = Math.min(this.#shortestNow, roundTripMs)
  }

  /** Estimated milliseconds to transmit `bytes`; 0 while the rate is unknown. */
  transmissionMs(bytes: number): number {
    return bytes * (this.#msPerByte ?? 0)
  }

  /** Estimated milliseconds until the link has transmitted all that was sent; 0 while the rate is unknown. */
  queueMs(now: number): number {
    let freeAt = this.#ackedAt - this.#shortestMs
    for (const { bytes, sentAt } of this.#inFlight) {
      freeAt = Math.max(freeAt, sentAt) + this.transmissionMs(bytes)
    }
    return this.#inFlight.length === 0 ? 0 : Math.max(0, freeAt - now)
  }
}
