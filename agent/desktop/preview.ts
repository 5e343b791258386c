import sharp from 'sharp'
import { imageFormat } from '../../shared/remote-control/values.ts'
import type { Cursor, Desktop, Picture, Rectangle } from './desktop.ts'
import { RegionEncoder } from './session/region-encoder.ts'

const quality = 80
const bytesPerPixel = 4
/** A larger picture is made smaller: this one shows every window of four ordinary displays. */
const maxWidth = 3840
const maxHeight = 2160
/** For a desktop that is too large to be put together in memory. */
const maxPixels = 128 * 1024 * 1024

const arrow = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="14" height="21">' +
    '<path d="M1 1v16l4-4 3 7 3-1-3-7h5z" fill="#fff" stroke="#000" stroke-linejoin="round"/></svg>',
)

/** The smallest rectangle that holds all of them. */
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

/** Shapes with a name have no picture of their own; an arrow says as well where the pointer is. */
async function imageOf({ image }: Cursor): Promise<NonNullable<Cursor['image']>> {
  if (image) {
    return image
  }
  const { data, info } = await sharp(arrow).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, hotspotX: 1, hotspotY: 1, rgba: data }
}

function drawOver(picture: Picture, image: NonNullable<Cursor['image']>, left: number, top: number) {
  for (let y = Math.max(0, -top); y < Math.min(image.height, picture.height - top); y++) {
    for (let x = Math.max(0, -left); x < Math.min(image.width, picture.width - left); x++) {
      const from = (y * image.width + x) * bytesPerPixel
      const to = (top + y) * picture.stride + (left + x) * bytesPerPixel
      const alpha = (image.rgba[from + 3] ?? 0) / 255
      for (let channel = 0; channel < 3; channel++) {
        const below = picture.pixels[to + 2 - channel] ?? 0
        picture.pixels[to + 2 - channel] = below + ((image.rgba[from + channel] ?? 0) - below) * alpha
      }
    }
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

/** All displays of a desktop as they are laid out, with the pointer, as one JPEG. Rejects when it is gone. */
export async function previewOf(desktop: Desktop): Promise<Buffer> {
  const displays = desktop.displays()
  const whole = around(displays.map(({ bounds }) => bounds))
  if (displays.length === 0 || whole.width * whole.height > maxPixels) {
    throw new Error(displays.length === 0 ? 'The desktop has no display.' : 'The desktop is too large for a preview.')
  }
  const stride = whole.width * bytesPerPixel
  const picture = { width: whole.width, height: whole.height, stride, pixels: Buffer.alloc(stride * whole.height) }
  for (const display of displays) {
    const screen = await desktop.openScreen(display)
    try {
      copyRows((await screen.capture(true)).picture, picture, display.bounds.x - whole.x, display.bounds.y - whole.y)
    } finally {
      screen.close()
    }
  }
  const [pointer, image] = await Promise.all([desktop.pointer(), imageOf(desktop.cursor())])
  drawOver(picture, image, pointer.x - whole.x - image.hotspotX, pointer.y - whole.y - image.hotspotY)
  return await encode(picture)
}
