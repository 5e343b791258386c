import { UserError } from '../../../base/errors.ts'
import type { Picture } from '../../desktop/desktop.ts'
import { common, type Handle, type Out } from '../library.ts'
import { bitmapInfo, wingdi } from '../win32/wingdi.ts'
import { winuser } from '../win32/winuser.ts'

const bytesPerPixel = 4
/** `SRCCOPY | CAPTUREBLT`: with layered windows. */
const copyAll = 0x40cc_0020

async function loadApi() {
  const [library, user, gdi] = await Promise.all([common(), winuser(), wingdi()])
  return { ...library, ...user, ...gdi }
}
type Api = Awaited<ReturnType<typeof loadApi>>

/** Picture in the memory of GDI, into which a part of the screen is copied. */
export class GdiBitmap {
  /** Not to be used after `close`, because Windows frees the memory. */
  readonly picture: Picture
  readonly #api: Api
  readonly #dc: Handle
  readonly #bitmap: Handle
  readonly #previous: Handle

  private constructor(api: Api, width: number, height: number) {
    this.#api = api
    const stride = width * bytesPerPixel
    const bits: Out<unknown> = [null]
    this.#dc = api.createCompatibleDc(0)
    this.#bitmap = api.createDibSection(this.#dc, bitmapInfo(width, height), 0, bits, 0, 0)
    if (this.#dc === 0 || this.#bitmap === 0) {
      api.deleteDc(this.#dc)
      throw new UserError(`Windows has no memory for a picture of ${width} × ${height} pixels.`)
    }
    this.#previous = api.selectObject(this.#dc, this.#bitmap)
    this.picture = { width, height, stride, pixels: Buffer.from(api.koffi.view(bits[0], stride * height)) }
  }

  /** Rejects with a UserError. */
  static async create(width: number, height: number): Promise<GdiBitmap> {
    return new GdiBitmap(await loadApi(), width, height)
  }

  /** Copies from a position of the desktop on. Returns false if Windows does not show the desktop. */
  copyScreen(x: number, y: number): boolean {
    const { getDc, releaseDc, bitBlt, gdiFlush } = this.#api
    const { width, height } = this.picture
    const screen = getDc(0)
    const isCopied = screen !== 0 && bitBlt(this.#dc, 0, 0, width, height, screen, x, y, copyAll)
    releaseDc(0, screen)
    gdiFlush()
    return isCopied
  }

  close(): void {
    this.#api.selectObject(this.#dc, this.#previous)
    this.#api.deleteObject(this.#bitmap)
    this.#api.deleteDc(this.#dc)
  }
}
