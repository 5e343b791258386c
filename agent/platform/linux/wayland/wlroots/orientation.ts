import type { Picture, Rectangle } from '../../../desktop/desktop.ts'
import type { BufferShape } from './shared-buffer.ts'

/** Formats of `wl_shm` and of DRM that have one byte for each color. */
const blueFirst = [0, 1]
const redFirst = [0x34_32_34_41, 0x34_32_34_42]
const bytesPerPixel = 4

export const isKnownFormat = (format: number): boolean => blueFirst.includes(format) || redFirst.includes(format)

/** Way from the pixels that the compositor draws to those that the person sees. */
export interface Orientation {
  /** Turn and mirroring of the output, as `wl_output.transform` numbers them. */
  transform: number
  isUpsideDown: boolean
}

/**
 * Position in the compositor's picture of a pixel that the person sees; both are measured in pixels.
 */
function sourceOf({ transform, isUpsideDown }: Orientation, { width, height }: BufferShape, x: number, y: number) {
  const [right, bottom] = [width - 1, height - 1]
  const turned: readonly [number, number] = (
    [
      [x, y],
      [y, bottom - x],
      [right - x, bottom - y],
      [right - y, x],
      [right - x, y],
      [y, x],
      [x, bottom - y],
      [right - y, bottom - x],
    ] as const
  )[transform] ?? [x, y]
  return isUpsideDown ? { x: turned[0], y: bottom - turned[1] } : { x: turned[0], y: turned[1] }
}

const between = (a: { x: number; y: number }, b: { x: number; y: number }): Rectangle => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x) + 1,
  height: Math.abs(a.y - b.y) + 1,
})

/** Whether pixels can be read to their place without a change. */
export const isPlain = ({ transform, isUpsideDown }: Orientation, { format, width, stride }: BufferShape): boolean =>
  transform === 0 && !isUpsideDown && stride === width * bytesPerPixel && blueFirst.includes(format)

/** Area of the compositor's picture, as the person sees it. */
export function seenArea(orientation: Orientation, shape: BufferShape, picture: Picture, area: Rectangle): Rectangle {
  // Each step changes one coordinate, so that the inverse follows from three pixels.
  const origin = sourceOf(orientation, shape, 0, 0)
  const [stepX, stepY] = [sourceOf(orientation, shape, 1, 0), sourceOf(orientation, shape, 0, 1)]
  const seen = (x: number, y: number) => ({
    x: (x - origin.x) * (stepX.x - origin.x) + (y - origin.y) * (stepX.y - origin.y),
    y: (x - origin.x) * (stepY.x - origin.x) + (y - origin.y) * (stepY.y - origin.y),
  })
  const found = between(seen(area.x, area.y), seen(area.x + area.width - 1, area.y + area.height - 1))
  const [x, y] = [Math.max(0, found.x), Math.max(0, found.y)]
  return {
    x,
    y,
    width: Math.min(picture.width, found.x + found.width) - x,
    height: Math.min(picture.height, found.y + found.height) - y,
  }
}

/** Copies an area that the person sees from the compositor's picture. */
export function copyArea(
  orientation: Orientation,
  shape: BufferShape,
  from: Buffer,
  picture: Picture,
  area: Rectangle,
): void {
  const source = new Uint32Array(from.buffer, from.byteOffset, from.length / bytesPerPixel)
  const { pixels, stride, width } = picture
  const target = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / bytesPerPixel)
  const words = shape.stride / bytesPerPixel
  const at = (x: number, y: number) => {
    const place = sourceOf(orientation, shape, x, y)
    return place.y * words + place.x
  }
  const step = at(1, 0) - at(0, 0)
  const isSwapped = redFirst.includes(shape.format)
  for (let y = area.y; y < area.y + area.height; y++) {
    let index = at(area.x, y)
    const row = (y * stride) / bytesPerPixel
    for (let x = area.x; x < Math.min(width, area.x + area.width); x++, index += step) {
      const pixel = source[index] ?? 0
      target[row + x] = isSwapped ? (pixel & 0xff_00_ff_00) | ((pixel & 0xff) << 16) | ((pixel >>> 16) & 0xff) : pixel
    }
  }
}
