import type { ServerResponse } from 'node:http'
import type { Clock } from '../../clock.ts'
import type { Payload } from '../protocol/messages.ts'
import type { Transport, TransportPeer } from './transport.ts'

const octets = 'application/octet-stream'

/** No answer to a poll, errors included, may be cached on the way. */
export const noCacheHeaders = {
  'Cache-Control': 'no-cache, no-store',
  Pragma: 'no-cache',
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
}

interface LongPollingTimes {
  readonly pollTimeoutMs: number
  readonly disconnectTimeoutMs: number
}

/** Server to client in the answers to requests that wait for output; the client sends by POST. */
export class LongPollingTransport implements Transport {
  readonly name = 'LongPolling'
  readonly carriesBinary = true
  readonly isContinuous = false
  format: 'Text' | 'Binary' = 'Text'
  readonly #peer: TransportPeer
  readonly #times: LongPollingTimes
  readonly #clock: Clock
  /** Output no poll has taken yet. */
  #output: Uint8Array[] = []
  #outputBytes = 0
  /** The poll that waits for output. */
  #poll: ServerResponse | undefined
  /** The answer that is being written. */
  #answer: ServerResponse | undefined
  #answers = 0
  /** Since when the poll waits or, between two polls, the connection does. */
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
    return this.#outputBytes
  }

  get isReachable(): boolean {
    return this.#poll !== undefined || this.#answer !== undefined
  }

  get writeMark(): number | undefined {
    return this.#answer && this.#answers
  }

  /** Takes the next GET of the client. A poll that still waits is answered with nothing. */
  poll(response: ServerResponse): void {
    this.#answerPoll(204)
    this.#poll = response
    this.#since = this.#clock.monotonic()
    response.on('error', () => {})
    response.on('close', () => this.#pollClosed(response))
    if (this.#isFirst) {
      // Tells the client that it is connected. From now on it sends by POST and receives by polling.
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

  /** The client asked for the end by DELETE. */
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

  /** One answer for everything that is written in the same turn of the event loop. */
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

  /** Answers the poll that waits, if one does. */
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

  /** The answer has been sent, or the client gave up waiting: then unsent output is kept for its next poll. */
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
