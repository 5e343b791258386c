import sharp from 'sharp'
import type { Cursor, Picture } from '../platform/desktop/desktop.ts'

const bytesPerPixel = 4

const arrow = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="14" height="21">' +
    '<path d="M1 1v16l4-4 3 7 3-1-3-7h5z" fill="#fff" stroke="#000" stroke-linejoin="round"/></svg>',
)

export type PointerImage = NonNullable<Cursor['image']>

/** Image of the cursor; named shapes have no image and are drawn as an arrow. */
export async function pointerImageOf({ image }: Cursor): Promise<PointerImage> {
  if (image) {
    return image
  }
  const { data, info } = await sharp(arrow).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, hotspotX: 1, hotspotY: 1, rgba: data }
}

/** Draws the image with its hotspot at (x, y) of the picture, clipped to the picture. */
export function drawPointer(picture: Picture, image: PointerImage, { x: atX, y: atY }: { x: number; y: number }): void {
  const [left, top] = [atX - image.hotspotX, atY - image.hotspotY]
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
