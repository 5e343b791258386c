import sharp from 'sharp'
import { isAbsolute } from 'node:path/win32'
import { clipboardLimitText, maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../base/errors.ts'

/** Formats of `winuser.h`. */
export const format = { bitmap: 2, dib: 8, unicodeText: 13, files: 15 } as const
/** Name that browsers and Office register for PNG. */
export const pngFormatName = 'PNG'

const bytesPerPixel = 4
/** Size of an 8K screen: the pixels of a picture are in memory twice for a moment. */
const maxPixels = 7680 * 4320
/** Matrix that swaps red and blue: Windows stores pictures as BGR. */
const swapped: [[number, number, number], [number, number, number], [number, number, number]] = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
]

/** Throws a UserError above the limit; `name` is that of the content. */
export function requireSize(name: string, byteCount: number): void {
  if (byteCount > maxClipboardBytes) {
    throw new UserError(`The ${name} on the clipboard of the device is ${clipboardLimitText}.`)
  }
}

/** Throws a UserError for pictures that are not exchanged. */
export function requirePixels(width: number, height: number): void {
  if (width <= 0 || height <= 0 || width * height > maxPixels) {
    throw new UserError('This picture has more pixels than clipboards share. Send it as a file.')
  }
}

/** Content of `CF_UNICODETEXT`. Programs of Windows expect CR LF. */
export const unicodeOf = (text: string): Buffer => Buffer.from(`${text.replaceAll(/\r?\n/g, '\r\n')}\0`, 'utf16le')

/** Text of `CF_UNICODETEXT`, up to its NUL. */
export function textOf(unicode: Buffer): string {
  const text = unicode.toString('utf16le')
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}

/** Content of `CF_HDROP`: a `DROPFILES` with paths in Unicode. */
export function dropFilesOf(paths: readonly string[]): Buffer {
  const header = Buffer.alloc(20)
  header.writeUInt32LE(header.length, 0)
  header.writeUInt32LE(1, 16)
  return Buffer.concat([header, Buffer.from(`${paths.join('\0')}\0\0`, 'utf16le')])
}

const dropFilesLength = 20

/**
 * Paths of a `DROPFILES`, at most `most`. Another program wrote it, and `DragQueryFile` would read past its end. Paths in
 * a code page are left out: no program of a Windows that the agent runs on writes them.
 */
export function pathsOfDropFiles(content: Buffer, most: number): string[] {
  if (content.length < dropFilesLength || content.readUInt32LE(16) === 0) {
    return []
  }
  const text = content.subarray(content.readUInt32LE(0)).toString('utf16le')
  const paths: string[] = []
  for (let start = 0; paths.length < most;) {
    const end = text.indexOf('\0', start)
    if (end <= start) {
      break
    }
    paths.push(text.slice(start, end))
    start = end + 1
  }
  return paths
}

/** Paths that name a place on this device or its network; null without one. */
export function usablePaths(paths: readonly string[]): readonly string[] | null {
  const usable = paths.filter((path) => isAbsolute(path))
  return usable.length > 0 ? usable : null
}

/** Content of `CF_DIB`: last row on top, on white, because programs disagree about transparent pixels there. */
export async function dibOf(png: Buffer): Promise<Buffer> {
  const image = sharp(png, { limitInputPixels: maxPixels })
  const { width, height } = await image.metadata()
  requirePixels(width, height)
  const pixels = await image
    .flatten({ background: 'white' })
    .toColorspace('srgb')
    .flip()
    .recomb(swapped)
    .ensureAlpha()
    .raw()
    .toBuffer()
  const header = Buffer.alloc(40)
  header.writeUInt32LE(header.length, 0)
  header.writeInt32LE(width, 4)
  header.writeInt32LE(height, 8)
  header.writeUInt16LE(1, 12)
  header.writeUInt16LE(bytesPerPixel * 8, 14)
  header.writeUInt32LE(pixels.length, 20)
  return Buffer.concat([header, pixels])
}

/** PNG of pixels as GDI returns them: four bytes per pixel, of which the last says nothing. */
export const pngOf = (pixels: Buffer, width: number, height: number): Promise<Buffer> =>
  sharp(pixels, { raw: { width, height, channels: bytesPerPixel } })
    .removeAlpha()
    .recomb(swapped)
    .png()
    .toBuffer()
