import { setImmediate } from 'node:timers/promises'
import { UserError } from '../../../../base/errors.ts'
import { mergeAreas } from '../../../desktop/areas.ts'
import type { Capture, Display, Picture, Rectangle, Screen } from '../../../desktop/desktop.ts'
import type { Connection, WaylandObject } from './connection.ts'
import { copyArea, isKnownFormat, isPlain, seenArea, type Orientation } from './orientation.ts'
import { pixelSize, type Output } from './outputs.ts'
import { screencopyFrame, screencopyManager, wlShm } from './protocol.ts'
import { SharedBuffer, type BufferShape } from './shared-buffer.ts'

const bytesPerPixel = 4
/** Rows of a turned picture that are copied without a pause. */
const rowsAtOnce = 128
const firstVersionWithBufferDone = 3
const upsideDown = 1

/** Outcome of one copy by the compositor: the changed areas of its picture, or undefined if it failed. */
type Copied = { areas: Rectangle[]; isUpsideDown: boolean } | undefined

/**
 * Output of the compositor, copied to shared memory by `zwlr_screencopy`. One request is always open: the compositor
 * answers it with the next change.
 */
export class WlrootsScreen implements Screen {
  onChange: () => void = () => undefined
  onClose: () => void = () => undefined
  readonly #connection: Connection
  readonly #output: Output
  readonly #display: Display
  readonly #shm: WaylandObject<typeof wlShm>
  /** Belongs to this screen alone: the compositor collects the areas that were not copied yet for each manager. */
  readonly #manager: WaylandObject<typeof screencopyManager>
  readonly #hasBufferDone: boolean
  readonly #picture: Picture
  #buffer: SharedBuffer | undefined
  /** Rows as the compositor draws them, where they differ from the picture. */
  #raw: Buffer | undefined
  #frame: WaylandObject<typeof screencopyFrame> | undefined
  /** The change that was reported and not read yet. */
  #changed: { copied: Copied } | undefined
  #isPointerShown: boolean
  #isClosed = false

  constructor(connection: Connection, output: Output, display: Display, isPointerShown: boolean) {
    this.#connection = connection
    this.#output = output
    this.#display = display
    this.#isPointerShown = isPointerShown
    this.#shm = connection.bind(wlShm)
    this.#manager = connection.bind(screencopyManager)
    const offered = [...connection.globals.values()].find(
      ({ interfaceName }) => interfaceName === screencopyManager.name,
    )
    this.#hasBufferDone = (offered?.version ?? 0) >= firstVersionWithBufferDone
    const { width, height } = display.bounds
    const stride = width * bytesPerPixel
    this.#picture = { width, height, stride, pixels: Buffer.alloc(stride * height) }
  }

  /** Whether the compositor draws the pointer into the next whole picture, and all after it. */
  showPointer(isShown: boolean): void {
    this.#isPointerShown = isShown
  }

  async capture(isWhole: boolean): Promise<Capture> {
    const picture = this.#picture
    this.#requireOpen()
    const changed = this.#changed
    this.#changed = undefined
    if (!isWhole && !changed && this.#frame) {
      return { picture, areas: [] }
    }
    const copied = isWhole || !changed ? await this.#copyNow() : changed.copied
    this.#requireOpen()
    const { width, height } = picture
    const areas = await this.#read(copied, isWhole || !changed ? [{ x: 0, y: 0, width, height }] : undefined)
    this.#requireOpen()
    this.#watch()
    return { picture, areas }
  }

  close(): void {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    this.#drop()
    this.#buffer?.close()
    this.#manager.request('destroy')
    this.#connection.forget(this.#manager)
    this.onClose()
  }

  #requireOpen() {
    if (this.#isClosed) {
      throw new UserError('This screen is closed.')
    }
  }

  #copyNow(): Promise<Copied> {
    return this.#connection.wait((resolve) => this.#start(false, resolve))
  }

  /** Waits for the next change. */
  #watch() {
    this.#start(true, (copied) => {
      this.#changed = { copied }
      this.onChange()
    })
  }

  #drop() {
    if (this.#frame) {
      this.#frame.request('destroy')
      this.#connection.forget(this.#frame)
      this.#frame = undefined
    }
  }

  #start(isOnChange: boolean, done: (copied: Copied) => void) {
    this.#drop()
    const areas: Rectangle[] = []
    let isUpsideDown = false
    let shape: BufferShape | undefined
    const end = (copied: Copied) => {
      this.#drop()
      done(copied)
    }
    const copy = () => {
      if (!shape || !this.#prepare(shape)) {
        end(undefined)
      } else {
        frame.request(isOnChange ? 'copy_with_damage' : 'copy', this.#buffer?.object.id ?? 0)
      }
    }
    const frame = this.#connection.create(screencopyFrame, {
      buffer: (format, width, height, stride) => {
        shape ??= { format, width, height, stride }
        if (!this.#hasBufferDone) {
          copy()
        }
      },
      buffer_done: copy,
      flags: (flags) => {
        isUpsideDown = (flags & upsideDown) !== 0
      },
      damage: (x, y, width, height) => areas.push({ x, y, width, height }),
      ready: () => end({ areas, isUpsideDown }),
      failed: () => end(undefined),
    })
    this.#frame = frame
    this.#manager.request('capture_output', frame.id, this.#isPointerShown ? 1 : 0, this.#output.object.id)
  }

  /** Returns false if the picture of the compositor no longer fits the display. */
  #prepare(shape: BufferShape) {
    const { width, height } = pixelSize({ ...this.#output, mode: shape })
    if (width !== this.#picture.width || height !== this.#picture.height || !isKnownFormat(shape.format)) {
      return false
    }
    const known = this.#buffer?.shape
    if (known?.format !== shape.format || known.stride !== shape.stride || known.width !== shape.width) {
      this.#buffer?.close()
      this.#buffer = new SharedBuffer(this.#connection, this.#shm, shape)
      this.#raw = undefined
    }
    return true
  }

  async #read(copied: Copied, whole: Rectangle[] | undefined): Promise<Rectangle[]> {
    const buffer = this.#buffer
    if (!copied || !buffer) {
      throw new UserError(`The display ${this.#display.name} is gone or has another size now.`)
    }
    const { shape } = buffer
    const orientation: Orientation = { transform: this.#output.transform, isUpsideDown: copied.isUpsideDown }
    const areas =
      whole ??
      mergeAreas(
        copied.areas
          .map((area) => seenArea(orientation, shape, this.#picture, area))
          .filter((area) => area.width > 0 && area.height > 0),
      )
    if (isPlain(orientation, shape)) {
      for (const area of areas) {
        buffer.read(this.#picture.pixels, area.y, area.height)
      }
      return areas
    }
    this.#raw ??= Buffer.alloc(shape.stride * shape.height)
    buffer.read(this.#raw, 0, shape.height)
    for (const area of areas) {
      for (let y = area.y; y < area.y + area.height; y += rowsAtOnce) {
        const height = Math.min(rowsAtOnce, area.y + area.height - y)
        copyArea(orientation, shape, this.#raw, this.#picture, { ...area, y, height })
        // Turning a whole picture takes more than 10 ms: yield.
        await setImmediate()
      }
    }
    return areas
  }
}
