import { clip } from '../areas.ts'
import type { Cursor, Desktop, Picture, Rectangle } from '../desktop.ts'
import { drawPointer, pointerImageOf, type PointerImage } from '../pointer-image.ts'

const bytesPerPixel = 4

/** On the desktop. */
interface Pointer {
  x: number
  y: number
  cursor: Cursor
  image: PointerImage
}

interface Painted {
  picture: Picture
  area: Rectangle
  /** Row after row what stood there before. */
  under: Buffer[]
}

/** The pointer of the device as a part of the picture, for viewers that ask for it. The picture is as it was in between. */
export class DrawnPointer {
  readonly #desktop: Desktop
  #seen: Pointer | undefined
  #shown: Pointer | undefined
  #painted: Painted | undefined

  constructor(desktop: Desktop) {
    this.#desktop = desktop
  }

  /** Finds out where it is and how it looks; true when that is not what the viewer is shown. */
  async look(): Promise<boolean> {
    const cursor = this.#desktop.cursor()
    const { x, y } = await this.#desktop.pointer()
    const image = this.#seen?.cursor === cursor ? this.#seen.image : await pointerImageOf(cursor)
    this.#seen = { x, y, cursor, image }
    return this.#shown?.x !== x || this.#shown.y !== y || this.#shown.cursor !== cursor
  }

  /** Draws it where it was seen last. The areas that may differ from the picture before, within the display. */
  draw(picture: Picture, display: Rectangle): Rectangle[] {
    const left = this.#areaOn(display)
    this.#shown = this.#seen
    this.redraw(picture, display)
    return [left, this.#areaOn(display)].filter((area) => area !== null)
  }

  /** Draws it as the viewer is shown it, unless it is drawn. */
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

  /** Nothing may read the picture any more. */
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
