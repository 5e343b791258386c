/** Limits of a picture that a page can draw, in pixels. */
const maxSide = 16_384
const maxPixels = 64 * 1024 * 1024
const headerBytes = 24
const signature = [0x89_50_4e_47, 0x0d_0a_1a_0a, 0x0d, 0x49_48_44_52]

/**
 * Size of a PNG by its header, read before anything is decoded (T35): a few bytes can stand for more pixels than a
 * program has memory for. Undefined for other formats, and for pictures that no page can draw.
 */
export function pngSize({ buffer, byteOffset, byteLength }: Uint8Array): { width: number; height: number } | undefined {
  if (byteLength < headerBytes) {
    return undefined
  }
  const view = new DataView(buffer, byteOffset, byteLength)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const isPng = signature.every((word, index) => view.getUint32(index * 4) === word)
  const isDrawable = width > 0 && height > 0 && Math.max(width, height) <= maxSide && width * height <= maxPixels
  return isPng && isDrawable ? { width, height } : undefined
}
