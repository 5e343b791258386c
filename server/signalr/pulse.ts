import type { HubOptions } from './options.ts'
import type { Transport } from './transports/transport.ts'

/**
 * The times of one connection. The clock is read by the heartbeat alone, once a second for everybody; what happens in
 * between only leaves a mark for it.
 */
export class Pulse {
  #lastPing: number
  #lastMessage = 0
  #hasHeard = false
  #isWatched = false
  #writeMark: number | undefined
  #writeSince = 0

  constructor(now: number) {
    this.#lastPing = now
  }

  /** A whole message has come, or the reader has been busy with one. */
  heard(): void {
    this.#hasHeard = true
  }

  /** The first ping of a client promises more of them: from now on silence means that it is gone. */
  watch(): void {
    this.#isWatched = true
  }

  isPingDue(transport: Transport, now: number, { keepAliveIntervalMs }: HubOptions): boolean {
    if (!transport.isContinuous || now - this.#lastPing < keepAliveIntervalMs) {
      return false
    }
    if (transport.writeMark !== undefined) {
      return false
    }
    this.#lastPing = now
    return true
  }

  isClientSilent(now: number, { clientTimeoutMs }: HubOptions): boolean {
    if (this.#hasHeard) {
      this.#hasHeard = false
      this.#lastMessage = now
    }
    return this.#isWatched && now - this.#lastMessage >= clientTimeoutMs
  }

  /** Whether one write has been under way for too long. */
  isWriteStuck(transport: Transport, now: number, { sendTimeoutMs }: HubOptions): boolean {
    const mark = transport.writeMark
    if (mark === undefined || mark !== this.#writeMark) {
      this.#writeMark = mark
      this.#writeSince = now
      return false
    }
    return now - this.#writeSince >= sendTimeoutMs
  }
}
