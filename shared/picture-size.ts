/** Type and size of a picture according to its header. */
export interface PictureSize {
  type: 'image/jpeg' | 'image/png' | 'image/webp'
  width: number
  height: number
}

/** Limits of canvas sizes in browsers, in pixels. */
const maxSide = 16_384
export const maxPixels = 64 * 1024 * 1024

/** Whether browsers can draw a picture of this size; sizes sent by a peer are untrusted. */
export const isDrawable = (width: number, height: number): boolean =>
  width > 0 && height > 0 && Math.max(width, height) <= maxSide && width * height <= maxPixels

/** Start of a JPEG frame; C4, C8 and CC are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const startsImage = 0xd8
const startsScan = 0xda
const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker < startsImage)
const fills = 0xff
/**
 * Markers that decoders handle differently, so the header is rejected: escaped bytes, a second start, the end, the
 * first scan.
 */
const endsHeader = (marker: number) => [0x00, startsImage, 0xd9, startsScan].includes(marker)

function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; at + 9 <= view.byteLength;) {
    const marker = view.getUint8(at + 1)
    const length = view.getUint16(at + 2)
    if (view.getUint8(at) !== 0xff || endsHeader(marker)) {
      return undefined
    }
    if (isFrame(marker)) {
      return { type: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    if (marker === fills) {
      at += 1
    } else if (hasNoLength(marker)) {
      at += 2
    } else if (length >= 2) {
      at += 2 + length
    } else {
      return undefined
    }
  }
  return undefined
}

const text = (view: DataView, at: number) =>
  String.fromCharCode(...Array.from({ length: 4 }, (_, index) => view.getUint8(at + index)))

function webpSize(view: DataView): PictureSize | undefined {
  const type = 'image/webp'
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_00_00
  switch (text(view, 12)) {
    case 'VP8 ':
      return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { type, width: uint24(24) + 1, height: uint24(27) + 1 }
  }
  return undefined
}

function headerSize({ buffer, byteOffset, byteLength }: Uint8Array): PictureSize | undefined {
  const view = new DataView(buffer, byteOffset, byteLength)
  if (view.byteLength < 30) {
    return undefined
  }
  if (view.getUint8(0) === 0xff && view.getUint8(1) === startsImage) {
    return jpegSize(view)
  }
  // Checks all eight bytes: browsers choose the decoder by content, and a picture may match two formats.
  if (view.getUint32(0) === 0x89_50_4e_47 && view.getUint32(4) === 0x0d_0a_1a_0a && text(view, 12) === 'IHDR') {
    return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
  }
  return text(view, 0) === 'RIFF' && text(view, 8) === 'WEBP' ? webpSize(view) : undefined
}

/**
 * Reads the size of a JPEG, PNG or WebP from its header, without decoding: a few bytes can stand for more pixels than a
 * tab has memory for. Returns undefined for other formats, truncated headers and empty pictures.
 */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const size = headerSize(bytes)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

/** Size of a PNG that browsers can draw (T35); undefined for everything else. */
export function drawablePngSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const { type, width = 0, height = 0 } = pictureSize(bytes) ?? {}
  return type === 'image/png' && isDrawable(width, height) ? { width, height } : undefined
}
