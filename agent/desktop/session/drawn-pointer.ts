import { clip } from '../../platform/desktop/areas.ts'
import type { Cursor, Desktop, Picture, Rectangle } from '../../platform/desktop/desktop.ts'
import { drawPointer, pointerImageOf, type PointerImage } from '../pointer-image.ts'

const bytesPerPixel = 4

/** Position and image of the pointer, in desktop coordinates. */
interface Pointer {
  x: number
  y: number
  cursor: Cursor
  image: PointerImage
}

interface Painted {
  picture: Picture
  area: Rectangle
  /** Rows of pixels that the pointer covers, restored by `erase`. */
  under: Buffer[]
}

/**
 * Draws the device's pointer into the picture, for viewers that ask for it. `erase` restores the picture between
 * frames.
 */
export class DrawnPointer {
  readonly #desktop: Desktop
  #seen: Pointer | undefined
  #shown: Pointer | undefined
  #painted: Painted | undefined

  constructor(desktop: Desktop) {
    this.#desktop = desktop
  }

  /** Reads position and image of the pointer; returns true when the viewer's picture is out of date. */
  async look(): Promise<boolean> {
    const cursor = this.#desktop.cursor()
    const { x, y } = await this.#desktop.pointer()
    const image = this.#seen?.cursor === cursor ? this.#seen.image : await pointerImageOf(cursor)
    this.#seen = { x, y, cursor, image }
    return this.#shown?.x !== x || this.#shown.y !== y || this.#shown.cursor !== cursor
  }

  /** Draws the pointer at the position last read. Returns the areas within the display that may have changed. */
  draw(picture: Picture, display: Rectangle): Rectangle[] {
    const left = this.#areaOn(display)
    this.#shown = this.#seen
    this.redraw(picture, display)
    return [left, this.#areaOn(display)].filter((area) => area !== null)
  }

  /** Draws the pointer again at the position that the viewer sees, unless the pointer is already in the picture. */
  redraw(picture: Picture, display: Rectangle): void {
    const area = this.#areaOn(display)
    if (!this.#shown || !area || this.#painted) {
      return
    }
    const rowOf = (row: number) => {
      const start = (area.y + row) * picture.stride + area.x * bytesPerPixel
      return Buffer.from(picture.pixels.subarray(start, start + area.width * bytesPerPixel))
    }
    this.#painted = { picture, area, under: Array.from({ length: area.height }, (_, row) => rowOf(row)) }
    const { x, y, image } = this.#shown
    drawPointer(picture, image, { x: x - display.x, y: y - display.y })
  }

  /** Restores the pixels under the pointer. No encoder may be reading the picture. */
  erase(): void {
    if (this.#painted) {
      const { picture, area, under } = this.#painted
      under.forEach((pixels, row) =>
        pixels.copy(picture.pixels, (area.y + row) * picture.stride + area.x * bytesPerPixel),
      )
      this.#painted = undefined
    }
  }

  #areaOn(display: Rectangle): Rectangle | null {
    if (!this.#shown) {
      return null
    }
    const { x, y, image } = this.#shown
    const { width, height, hotspotX, hotspotY } = image
    return clip({ x: x - hotspotX, y: y - hotspotY, width, height }, display)
  }
}
