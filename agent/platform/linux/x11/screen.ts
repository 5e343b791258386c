import type { Damage, Event, Fixes } from './protocol.ts'
import { UserError } from '../../../base/errors.ts'
import type { Capture, Display, Picture, Rectangle, Screen } from '../../desktop/desktop.ts'
import { clip, mergeAreas } from '../../desktop/areas.ts'
import type { Connection } from './connection.ts'
import { readThroughConnection, Segment } from './shared-memory.ts'

const bytesPerPixel = 4

/** Region of one display in the root window. Reads only areas that the display server reports as damaged. */
export class X11Screen implements Screen {
  onChange: () => void = () => undefined
  readonly #connection: Connection
  readonly #display: Display
  readonly #damageExtension: Damage
  readonly #fixes: Fixes
  readonly #segment: Segment | null
  readonly #picture: Picture
  readonly #damage: number
  readonly #region: number
  readonly #unlisten: () => void
  /** Sequence number of the request that fetched the last damage report; events from earlier requests are stale. */
  #takenAt = 0
  #isClosed = false

  private constructor(connection: Connection, display: Display, damage: Damage, fixes: Fixes, segment: Segment | null) {
    this.#connection = connection
    this.#display = display
    this.#damageExtension = damage
    this.#fixes = fixes
    this.#segment = segment
    const { width, height } = display.bounds
    const stride = width * bytesPerPixel
    this.#picture = { width, height, stride, pixels: Buffer.alloc(stride * height) }
    this.#damage = connection.client.AllocID()
    this.#region = connection.client.AllocID()
    fixes.CreateRegion(this.#region, [])
    // A report sends a single event until fetched: a program that draws a thousand lines causes one event.
    damage.Create(this.#damage, connection.root, damage.ReportLevel.NonEmpty)
    const eventType = damage.firstEvent
    this.#unlisten = connection.listen((event) => this.#handle(event, eventType))
  }

  static async open(connection: Connection, display: Display): Promise<X11Screen> {
    const [damage, fixes] = await Promise.all([connection.extension('damage'), connection.extension('fixes')])
    const { width, height } = display.bounds
    const segment = await Segment.create(connection, width * height * bytesPerPixel)
    return new X11Screen(connection, display, damage, fixes, segment)
  }

  /** Whether pixels are read through shared memory. */
  get isShared() {
    return this.#segment !== null
  }

  async capture(isWhole: boolean): Promise<Capture> {
    if (this.#isClosed) {
      throw new UserError('This screen is closed.')
    }
    try {
      const areas = await this.#take(isWhole)
      await (this.#segment ? this.#readShared(this.#segment, areas) : this.#readSent(areas))
      return { picture: this.#picture, areas }
    } catch (error) {
      if (error instanceof UserError) {
        throw error
      }
      throw new UserError(`The display ${this.#display.name} is gone or has another size now.`)
    }
  }

  close() {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    this.#unlisten()
    if (this.#connection.isOpen) {
      this.#damageExtension.Destroy(this.#damage)
      this.#fixes.DestroyRegion(this.#region)
    }
    this.#segment?.close()
  }

  #handle(event: Event, eventType: number) {
    if (event.type === eventType && event.damage === this.#damage && event.seq >= this.#takenAt) {
      this.onChange()
    }
  }

  /**
   * Fetches the damaged areas and starts the next report. Runs before the capture, so that drawing during the capture
   * is reported again.
   */
  async #take(isWhole: boolean): Promise<Rectangle[]> {
    const { width, height } = this.#picture
    this.#damageExtension.Subtract(this.#damage, 0, isWhole ? 0 : this.#region)
    this.#takenAt = this.#connection.client.seq_num
    const whole = { x: 0, y: 0, width, height }
    if (isWhole) {
      return [whole]
    }
    const { rectangles } = await this.#connection.ask<{ rectangles: readonly Rectangle[] }>((callback) =>
      this.#fixes.FetchRegion(this.#region, callback),
    )
    const inside = rectangles.map((area) => clip(area, this.#display.bounds)).filter((area) => area !== null)
    const areas = mergeAreas(inside)
    const pixelCount = areas.reduce((sum, area) => sum + area.width * area.height, 0)
    return pixelCount > width * height ? [whole] : areas
  }

  async #readShared(segment: Segment, areas: readonly Rectangle[]) {
    const { x: left, y: top } = this.#display.bounds
    const { pixels, stride } = this.#picture
    let end = 0
    const parts = areas.map((area) => {
      const offset = end
      end += area.width * area.height * bytesPerPixel
      return { ...area, offset }
    })
    await Promise.all(
      parts.map(({ x, y, width, height, offset }) => segment.fill(left + x, top + y, width, height, offset)),
    )
    if (this.#isClosed) {
      throw new UserError('This screen is closed.')
    }
    for (const { x, y, width, height, offset } of parts) {
      segment.read(offset, width * bytesPerPixel, height, pixels, y * stride + x * bytesPerPixel, stride)
    }
  }

  async #readSent(areas: readonly Rectangle[]) {
    const { x: left, y: top } = this.#display.bounds
    const { pixels, stride } = this.#picture
    for (const { x, y, width, height } of areas) {
      const rows = await readThroughConnection(this.#connection, left + x, top + y, width, height)
      for (let row = 0; row < height; row++) {
        const from = row * width * bytesPerPixel
        rows.copy(pixels, (y + row) * stride + x * bytesPerPixel, from, from + width * bytesPerPixel)
      }
    }
  }
}
