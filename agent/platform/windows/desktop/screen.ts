import { UserError } from '../../../base/errors.ts'
import { mergeAreas } from '../../desktop/areas.ts'
import { changedTiles } from '../../desktop/changed-tiles.ts'
import type { Capture, Display, Picture, Rectangle, Screen } from '../../desktop/desktop.ts'
import { placeholder } from '../../desktop/placeholder.ts'
import { common, type Handle, type Out } from '../library.ts'
import { bitmapInfo, wingdi } from '../win32/wingdi.ts'
import { winuser } from '../win32/winuser.ts'

const bytesPerPixel = 4
/** Polling interval: GDI does not report drawing. */
const lookEveryMs = 50
/** `SRCCOPY | CAPTUREBLT`: with layered windows. */
const copyAll = 0x40cc_0020

async function loadApi() {
  const [library, user, gdi] = await Promise.all([common(), winuser(), wingdi()])
  return { ...library, ...user, ...gdi }
}
type Api = Awaited<ReturnType<typeof loadApi>>

const rowsOf = ({ y, height }: Rectangle, stride: number) => [y * stride, (y + height) * stride] as const

/** Copies one display with GDI each time, and compares with the previous capture. */
export class GdiScreen implements Screen {
  onChange: () => void = () => undefined
  onClose: () => void = () => undefined
  readonly #api: Api
  readonly #display: Display
  readonly #hiddenBy: () => string | undefined
  readonly #dc: Handle
  readonly #bitmap: Handle
  readonly #previous: Handle
  /** Memory of the bitmap; used only during a capture, because Windows frees it. */
  readonly #drawn: Picture
  readonly #picture: Picture
  #isHidden = false
  #looking: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(api: Api, display: Display, hiddenBy: () => string | undefined) {
    this.#api = api
    this.#display = display
    this.#hiddenBy = hiddenBy
    const { width, height } = display.bounds
    const stride = width * bytesPerPixel
    const bits: Out<unknown> = [null]
    this.#dc = api.createCompatibleDc(0)
    this.#bitmap = api.createDibSection(this.#dc, bitmapInfo(width, height), 0, bits, 0, 0)
    if (this.#dc === 0 || this.#bitmap === 0) {
      api.deleteDc(this.#dc)
      throw new UserError(`Windows has no memory for a picture of ${width} × ${height} pixels.`)
    }
    this.#previous = api.selectObject(this.#dc, this.#bitmap)
    this.#drawn = { width, height, stride, pixels: Buffer.from(api.koffi.view(bits[0], stride * height)) }
    this.#picture = { width, height, stride, pixels: Buffer.alloc(stride * height) }
  }

  /** `hiddenBy` returns the reason why the screen is hidden at present. */
  static async open(display: Display, hiddenBy: () => string | undefined): Promise<GdiScreen> {
    return new GdiScreen(await loadApi(), display, hiddenBy)
  }

  async capture(isWhole: boolean): Promise<Capture> {
    if (this.#isClosed) {
      throw new UserError('This screen is closed.')
    }
    const hiddenBy = this.#hiddenBy()
    const isWholeNeeded = isWhole || this.#isHidden !== (hiddenBy !== undefined)
    const areas = hiddenBy === undefined ? this.#copy(isWholeNeeded) : await this.#hide(hiddenBy, isWholeNeeded)
    this.#isHidden = hiddenBy !== undefined
    clearTimeout(this.#looking)
    this.#looking = this.#isClosed ? undefined : setTimeout(() => this.onChange(), lookEveryMs).unref()
    return { picture: this.#picture, areas }
  }

  close(): void {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    clearTimeout(this.#looking)
    this.#api.selectObject(this.#dc, this.#previous)
    this.#api.deleteObject(this.#bitmap)
    this.#api.deleteDc(this.#dc)
    this.onClose()
  }

  get #whole(): Rectangle {
    return { x: 0, y: 0, width: this.#picture.width, height: this.#picture.height }
  }

  #copy(isWhole: boolean): Rectangle[] {
    const { getDc, releaseDc, bitBlt, gdiFlush } = this.#api
    const { x, y, width, height } = this.#display.bounds
    const screen = getDc(0)
    const isCopied = screen !== 0 && bitBlt(this.#dc, 0, 0, width, height, screen, x, y, copyAll)
    releaseDc(0, screen)
    if (!isCopied) {
      throw new UserError(`Windows does not show ${this.#display.name} to this program.`)
    }
    gdiFlush()
    const areas = isWhole ? [this.#whole] : mergeAreas(changedTiles(this.#picture, this.#drawn))
    for (const area of areas) {
      const [start, end] = rowsOf(area, this.#picture.stride)
      this.#drawn.pixels.copy(this.#picture.pixels, start, start, end)
    }
    return areas
  }

  /** Draws the reason in place of the screen. */
  async #hide(reason: string, isWhole: boolean): Promise<Rectangle[]> {
    if (isWhole) {
      const { pixels } = await placeholder(reason, this.#picture)
      pixels.copy(this.#picture.pixels)
    }
    return isWhole ? [this.#whole] : []
  }
}
