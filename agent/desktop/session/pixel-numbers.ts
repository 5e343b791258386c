import type { Picture } from '../../platform/desktop/desktop.ts'

/** Picture as one 32-bit number per pixel. */
export interface PixelNumbers {
  numbers: Int32Array
  perRow: number
}

/** Returns a view on the pixels, or a copy of pixels that are not aligned. */
export function pixelNumbers({ pixels, stride }: Picture): PixelNumbers {
  const { buffer, byteOffset, byteLength } = pixels.byteOffset % 4 === 0 ? pixels : Uint8Array.from(pixels)
  return { numbers: new Int32Array(buffer, byteOffset, byteLength >> 2), perRow: stride >> 2 }
}
