import sharp from 'sharp'
import { imageFormat } from '../../shared/remote-control/values.ts'
import type { Desktop, Picture, Rectangle } from '../platform/desktop/desktop.ts'
import { drawPointer, pointerImageOf } from './pointer-image.ts'
import { RegionEncoder } from './session/region-encoder.ts'

const quality = 80
const bytesPerPixel = 4
/**
 * Maximum size of a preview; larger pictures are scaled down. Every window of four ordinary displays stays
 * recognizable.
 */
const maxWidth = 3840
const maxHeight = 2160
/** Limit for composing a desktop in memory, in pixels. */
const maxPixels = 128 * 1024 * 1024

/** Returns the bounding rectangle. */
function around(areas: readonly Rectangle[]): Rectangle {
  const x = Math.min(...areas.map((area) => area.x))
  const y = Math.min(...areas.map((area) => area.y))
  const width = Math.max(...areas.map((area) => area.x + area.width)) - x
  const height = Math.max(...areas.map((area) => area.y + area.height)) - y
  return { x, y, width, height }
}

function copyRows(from: Picture, to: Picture, x: number, y: number) {
  for (let row = 0; row < from.height; row++) {
    const start = row * from.stride
    from.pixels.copy(to.pixels, (y + row) * to.stride + x * bytesPerPixel, start, start + from.width * bytesPerPixel)
  }
}

async function encode(picture: Picture): Promise<Buffer> {
  const { width, height } = picture
  const isLarge = width > maxWidth || height > maxHeight
  const whole = { area: { x: 0, y: 0, width, height }, quality: isLarge ? 95 : quality, isSharp: false }
  const [jpeg] = await new RegionEncoder().encode(picture, [whole], imageFormat.Jpeg)
  const image = Buffer.from(jpeg!.encodedImage)
  return isLarge
    ? await sharp(image).resize(maxWidth, maxHeight, { fit: 'inside' }).jpeg({ quality }).toBuffer()
    : image
}

/** Composes all displays as they are laid out, with the pointer, into one JPEG. Rejects when the desktop is closed. */
export async function previewOf(desktop: Desktop): Promise<Buffer> {
  const displays = desktop.displays()
  const whole = around(displays.map(({ bounds }) => bounds))
  if (displays.length === 0 || whole.width * whole.height > maxPixels) {
    throw new Error(displays.length === 0 ? 'The desktop has no display.' : 'The desktop is too large for a preview.')
  }
  const stride = whole.width * bytesPerPixel
  const picture = { width: whole.width, height: whole.height, stride, pixels: Buffer.alloc(stride * whole.height) }
  desktop.showPointer?.(true)
  for (const display of displays) {
    const screen = await desktop.openScreen(display)
    try {
      copyRows((await screen.capture(true)).picture, picture, display.bounds.x - whole.x, display.bounds.y - whole.y)
    } finally {
      screen.close()
    }
  }
  if (!desktop.showPointer) {
    const [pointer, image] = await Promise.all([desktop.pointer(), pointerImageOf(desktop.cursor())])
    drawPointer(picture, image, { x: pointer.x - whole.x, y: pointer.y - whole.y })
  }
  return await encode(picture)
}
