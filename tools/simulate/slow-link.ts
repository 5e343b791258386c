import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Maximum delay that queued bytes may add before the link stops reading, like the queue of a router. */
const longestQueueMs = 200

/** Rate of each direction, and delay of a round trip without a queue. */
export interface LinkShape {
  mbps: number
  roundTripMs: number
}

/** Direction of a link: all connections share the rate. */
class Line {
  shape: LinkShape = { mbps: Number.POSITIVE_INFINITY, roundTripMs: 0 }
  #freeAt = 0

  /** Returns the arrival time of bytes that enter the line now. */
  arrivalOf(bytes: number): number {
    this.#freeAt = Math.max(performance.now(), this.#freeAt) + (bytes * 8) / (this.shape.mbps * 1000)
    return this.#freeAt + this.shape.roundTripMs / 2
  }

  get queueMs() {
    return this.#freeAt - performance.now()
  }

  /** Forwards what arrives on one socket to the other, in order and in time. */
  join(from: Socket, to: Socket): void {
    const queue: { bytes: Buffer; arrivesAt: number }[] = []
    let hasTimer = false
    const deliver = () => {
      hasTimer = false
      for (let next = queue[0]; next && next.arrivesAt <= performance.now(); next = queue[0]) {
        queue.shift()
        to.write(next.bytes)
      }
      if (this.queueMs < longestQueueMs) {
        from.resume()
      }
      wait()
    }
    const wait = () => {
      const next = queue[0]
      // Other connections may have filled the line on which this one waits.
      if (!hasTimer && (next || from.isPaused())) {
        hasTimer = true
        setTimeout(deliver, Math.max(0, next ? next.arrivesAt - performance.now() : this.queueMs - longestQueueMs))
      }
    }
    from.on('data', (bytes: Buffer) => {
      queue.push({ bytes, arrivesAt: this.arrivalOf(bytes.length) })
      if (this.queueMs >= longestQueueMs) {
        from.pause()
      }
      wait()
    })
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroy())
  }
}

/** TCP proxy in front of a server, with the rate and the delay of a slow link. */
export class SlowLink {
  readonly url: string
  readonly #lines: readonly Line[]
  readonly #close: () => void

  private constructor(url: string, lines: readonly Line[], close: () => void) {
    this.url = url
    this.#lines = lines
    this.#close = close
  }

  static async open(serverUrl: string): Promise<SlowLink> {
    const { hostname, port } = new URL(serverUrl)
    const [up, down] = [new Line(), new Line()]
    const sockets = new Set<Socket>()
    const server = createServer({ noDelay: true }, (near) => {
      const far = connect({ host: hostname, port: Number(port), noDelay: true })
      up.join(near, far)
      down.join(far, near)
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
      }
    })
    await new Promise<void>((resolve) => server.listen(0, hostname, resolve))
    const url = `http://${hostname}:${(server.address() as AddressInfo).port}`
    return new SlowLink(url, [up, down], () => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    })
  }

  /** Unlimited before the first call, so that a page loads fast. */
  shape(shape: LinkShape): void {
    this.#lines.forEach((line) => (line.shape = shape))
  }

  close(): void {
    this.#close()
  }
}
