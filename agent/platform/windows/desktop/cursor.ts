import { pointerCursor, type PointerCursor } from '../../../../shared/remote-control/values.ts'
import type { Cursor } from '../../desktop/desktop.ts'
import type { Handle } from '../library.ts'
import { bitmapInfo, wingdi, type Bitmap } from '../win32/wingdi.ts'
import { winuser, type CursorInfo, type IconInfo, type Point } from '../win32/winuser.ts'

/** Resource numbers (`IDC_…`) of the cursors that every session shares. */
const standardCursors: readonly (readonly [id: number, shape: PointerCursor])[] = [
  [32_512, pointerCursor.NormalArrow],
  [32_513, pointerCursor.Ibeam],
  [32_514, pointerCursor.Wait],
  [32_650, pointerCursor.Wait],
  [32_642, pointerCursor.SizeNwse],
  [32_643, pointerCursor.SizeNesw],
  [32_644, pointerCursor.SizeWe],
  [32_645, pointerCursor.SizeNs],
  [32_649, pointerCursor.Hand],
]
const lookEveryMs = 50
const isShown = 1
/** Windows hides the pointer while a person touches the screen or without a mouse. */
const isSuppressed = 2
const maxSize = 256
const bytesPerPixel = 4

/** Image without a visible pixel, for a program that hides the pointer. */
const hidden: Cursor = {
  shape: pointerCursor.Custom,
  image: { width: 1, height: 1, hotspotX: 0, hotspotY: 0, rgba: Buffer.alloc(bytesPerPixel) },
}

async function loadApi() {
  const [user, gdi] = await Promise.all([winuser(), wingdi()])
  return { ...user, ...gdi }
}
type Api = Awaited<ReturnType<typeof loadApi>>

/** Joins a color bitmap and its mask: white pixels of the mask are transparent where the colors have no alpha. */
function rgbaOf(colors: Buffer, mask: Buffer): Buffer {
  const rgba = Buffer.alloc(colors.length)
  let hasAlpha = false
  for (let at = 3; at < colors.length; at += bytesPerPixel) {
    hasAlpha ||= colors[at] !== 0
  }
  for (let at = 0; at < colors.length; at += bytesPerPixel) {
    rgba[at] = colors[at + 2] ?? 0
    rgba[at + 1] = colors[at + 1] ?? 0
    rgba[at + 2] = colors[at] ?? 0
    rgba[at + 3] = hasAlpha ? (colors[at + 3] ?? 0) : mask[at] === 0 ? 255 : 0
  }
  return rgba
}

/** Shape and position of the pointer. */
export class WindowsCursor {
  onChange: () => void = () => undefined
  readonly #api: Api
  readonly #shapes: ReadonlyMap<Handle, PointerCursor>
  readonly #looking: NodeJS.Timeout
  #handle: Handle | undefined
  #current: Cursor = { shape: pointerCursor.Unknown }

  private constructor(api: Api) {
    this.#api = api
    this.#shapes = new Map(standardCursors.map(([id, shape]) => [api.loadCursor(0, id), shape]))
    this.#look()
    // Windows reports no change without a hook that runs in other programs.
    this.#looking = setInterval(() => this.#look(), lookEveryMs).unref()
  }

  static async open(): Promise<WindowsCursor> {
    return new WindowsCursor(await loadApi())
  }

  get current(): Cursor {
    return this.#current
  }

  get position(): Point {
    const point: Partial<Point> = {}
    this.#api.getCursorPos(point)
    return { x: point.x ?? 0, y: point.y ?? 0 }
  }

  close(): void {
    clearInterval(this.#looking)
  }

  #look() {
    const info: Partial<CursorInfo> = { cbSize: this.#api.sizes.cursorInfo }
    // Fails while Windows shows its secure desktop.
    if (!this.#api.getCursorInfo(info)) {
      return
    }
    const { flags = 0, hCursor = 0 } = info
    const handle = flags & (isShown | isSuppressed) ? hCursor : 0
    if (handle !== this.#handle) {
      this.#handle = handle
      this.#current = this.#read(handle)
      this.onChange()
    }
  }

  #read(handle: Handle): Cursor {
    if (handle === 0) {
      return hidden
    }
    const shape = this.#shapes.get(handle) ?? pointerCursor.Custom
    const image = this.#imageOf(handle)
    return { shape: image ? shape : (this.#shapes.get(handle) ?? pointerCursor.Unknown), ...(image && { image }) }
  }

  #imageOf(handle: Handle): Cursor['image'] {
    const { getIconInfo, deleteObject } = this.#api
    const icon: Partial<IconInfo> = {}
    if (!getIconInfo(handle, icon)) {
      return undefined
    }
    const { hbmColor = 0, hbmMask = 0, xHotspot: hotspotX = 0, yHotspot: hotspotY = 0 } = icon
    try {
      const mask = this.#pixelsOf(hbmMask)
      const colors = hbmColor === 0 ? undefined : this.#pixelsOf(hbmColor)
      if (!mask) {
        return undefined
      }
      if (colors) {
        return {
          width: colors.width,
          height: colors.height,
          hotspotX,
          hotspotY,
          rgba: rgbaOf(colors.pixels, mask.pixels),
        }
      }
      // A monochrome cursor is twice as high: its mask, and below it the colors.
      const { width, height, pixels } = mask
      const half = pixels.length / 2
      const rgba = rgbaOf(pixels.subarray(half), pixels.subarray(0, half))
      return { width, height: height / 2, hotspotX, hotspotY, rgba }
    } finally {
      deleteObject(hbmMask)
      deleteObject(hbmColor)
    }
  }

  #pixelsOf(bitmap: Handle) {
    const { getObject, getDiBits, getDc, releaseDc, bitmapSize } = this.#api
    const description: Partial<Bitmap> = {}
    getObject(bitmap, bitmapSize, description)
    const { bmWidth: width = 0, bmHeight: height = 0 } = description
    if (width < 1 || height < 1 || width > maxSize || height > 2 * maxSize) {
      return undefined
    }
    const pixels = Buffer.alloc(width * height * bytesPerPixel)
    const dc = getDc(0)
    const lines = getDiBits(dc, bitmap, 0, height, pixels, bitmapInfo(width, height), 0)
    releaseDc(0, dc)
    return lines === height ? { width, height, pixels } : undefined
  }
}
