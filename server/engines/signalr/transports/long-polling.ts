import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../ground/clock.ts'
import type { Payload } from '../protocol/messages.ts'
import type { Transport, TransportPeer } from './transport.ts'

const octets = 'application/octet-stream'

/** Forbids caching of poll responses, including errors. */
export const noCacheHeaders = {
  'Cache-Control': 'no-cache, no-store',
  Pragma: 'no-cache',
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
}

interface LongPollingTimes {
  readonly pollTimeoutMs: number
  readonly disconnectTimeoutMs: number
}

/** Sends output in responses to waiting GET requests; the client sends by POST. */
export class LongPollingTransport implements Transport {
  readonly name = 'LongPolling'
  readonly carriesBinary = true
  readonly isContinuous = false
  format: 'Text' | 'Binary' = 'Text'
  readonly #peer: TransportPeer
  readonly #times: LongPollingTimes
  readonly #clock: Clock
  /** Output without a poll yet. */
  #output: Uint8Array[] = []
  #outputBytes = 0
  /** The poll that waits for output. */
  #poll: ServerResponse | undefined
  /** The response being sent. */
  #answer: ServerResponse | undefined
  #answers = 0
  /** Start of the waiting poll or, between two polls, of the gap. */
  #since: number
  #isFirst = true
  #isFlushing = false
  #isEnded = false
  #isClosed = false

  constructor(peer: TransportPeer, times: LongPollingTimes, clock: Clock) {
    this.#peer = peer
    this.#times = times
    this.#clock = clock
    this.#since = clock.monotonic()
  }

  get bufferedBytes(): number {
    return this.#outputBytes + (this.#answer?.writableLength ?? 0)
  }

  get isReachable(): boolean {
    return this.#poll !== undefined || this.#answer !== undefined
  }

  get writeMark(): number | undefined {
    return this.#answer && this.#answers
  }

  /** Handles the next GET of the client. Answers a poll that is still waiting with 204. */
  poll(response: ServerResponse): void {
    this.#answerPoll(204)
    this.#poll = response
    this.#since = this.#clock.monotonic()
    response.on('error', () => {})
    response.on('close', () => this.#pollClosed(response))
    if (this.#isFirst) {
      // The first response reports the connection as open. From then on the client sends by POST and receives by
      // polling.
      this.#isFirst = false
      this.#answerPoll(200, octets)
    } else if (this.#isClosed) {
      this.#answerPoll(204)
    } else {
      this.#flush()
    }
  }

  write(payload: Payload): void {
    if (this.#isEnded) {
      return
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    this.#output.push(bytes)
    this.#outputBytes += bytes.length
    this.#flushSoon()
  }

  end(): void {
    this.#isEnded = true
    this.#flushSoon()
  }

  destroy(): void {
    this.#isEnded = true
    this.#output = []
    this.#outputBytes = 0
    this.#answer?.destroy()
    this.#close(false)
  }

  /** Closes after a DELETE of the client. */
  deleted(): void {
    this.#isEnded = true
    this.#close(true)
  }

  tick(now: number): void {
    const waitedMs = now - this.#since
    if (this.#poll) {
      if (waitedMs >= this.#times.pollTimeoutMs) {
        this.#answerPoll(200, 'text/plain')
      }
    } else if (!this.#answer && waitedMs >= this.#times.disconnectTimeoutMs) {
      this.#close(false)
    }
  }

  /** Sends one response for all output of the same event-loop iteration. */
  #flushSoon(): void {
    if (this.#isFlushing || !this.#poll) {
      return
    }
    this.#isFlushing = true
    setImmediate(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    if (!this.#poll) {
      return
    }
    if (this.#outputBytes > 0) {
      const body = Buffer.concat(this.#output, this.#outputBytes)
      this.#output = []
      this.#outputBytes = 0
      this.#answerPoll(200, octets, body)
      this.#peer.drained()
    } else if (this.#isEnded) {
      this.#close(true)
    }
  }

  /** Answers the waiting poll, if any. */
  #answerPoll(status: 200 | 204, contentType?: string, body?: Buffer): void {
    const response = this.#poll
    if (!response) {
      return
    }
    this.#poll = undefined
    this.#answer = response
    this.#answers++
    response.writeHead(status, {
      ...noCacheHeaders,
      ...(status === 200 && { 'Content-Type': contentType, 'Content-Length': body?.length ?? 0 }),
    })
    response.end(body)
  }

  /**
   * Called when the response is sent or the client closed the poll; then unsent output stays queued for its next poll.
   */
  #pollClosed(response: ServerResponse): void {
    if (this.#answer === response) {
      this.#answer = undefined
    }
    if (this.#poll === response) {
      this.#poll = undefined
    }
    if (!this.#poll) {
      this.#since = this.#clock.monotonic()
    }
  }

  #close(isClean: boolean): void {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    this.#answerPoll(204)
    this.#peer.transportClosed(isClean)
  }
}
