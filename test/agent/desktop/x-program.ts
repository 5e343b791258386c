import { setTimeout as wait } from 'node:timers/promises'
import { Connection } from '../../../agent/platform/linux/x11/connection.ts'
import type { Event } from '../../../agent/platform/linux/x11/protocol.ts'

const inputOutput = 1
const keysAndButtons = 0b1111

/** Program on the display that draws plain rectangles and records events. */
export class XProgram {
  readonly connection: Connection
  readonly #gc: number
  readonly events: Event[] = []

  private constructor(connection: Connection) {
    this.connection = connection
    this.#gc = connection.client.AllocID()
    connection.client.CreateGC(this.#gc, connection.root, {})
    connection.listen((event) => this.events.push(event))
  }

  static async start(display: string) {
    return new XProgram(await Connection.open({ display }))
  }

  /** Opens a window without a window manager. */
  async openWindow(x: number, y: number, width: number, height: number, values: Record<string, number> = {}) {
    const { client, root } = this.connection
    const window = client.AllocID()
    client.CreateWindow(window, root, x, y, width, height, 0, 0, inputOutput, 0, {
      overrideRedirect: 1,
      eventMask: keysAndButtons,
      ...values,
    })
    client.MapWindow(window)
    await this.connection.flush()
    return window
  }

  /** Colors are 0xRRGGBB. */
  async fill(x: number, y: number, width: number, height: number, color: number, drawable = this.connection.root) {
    const { client } = this.connection
    const pixels = Buffer.alloc(width * height * 4)
    for (let at = 0; at < pixels.length; at += 4) {
      pixels.writeUInt32LE(color, at)
    }
    const rows = Math.max(1, Math.floor(200_000 / (width * 4)))
    for (let first = 0; first < height; first += rows) {
      const count = Math.min(rows, height - first)
      const part = pixels.subarray(first * width * 4, (first + count) * width * 4)
      client.PutImage(2, drawable, this.#gc, width, count, x, y + first, 0, 24, part)
    }
    await this.connection.flush()
  }

  /** Returns the events reported so far, after the display server has processed all requests. */
  async takeEvents(...names: string[]) {
    await this.connection.flush()
    await wait(20)
    await this.connection.flush()
    return this.events.splice(0).filter(({ name }) => names.includes(name ?? ''))
  }

  stop() {
    this.connection.close()
  }
}
