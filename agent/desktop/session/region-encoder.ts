import sharp from 'sharp'
import type { ScreenRegionDto } from '../../../shared/remote-control/messages.ts'
import { imageFormat, type ImageFormat } from '../../../shared/remote-control/values.ts'
import type { Picture, Rectangle } from '../../platform/desktop/desktop.ts'
import { indexedPng } from './indexed-png.ts'
import { pixelNumbers } from './pixel-numbers.ts'

/**
 * Undefined on Node 20, which crashes when it loads this package (built for a newer Node-API); sharp takes four times
 * as long.
 */
const turbo = Number(process.versions.napi) >= 10 ? (await import('@julusian/jpeg-turbo')).default : undefined

/** Part of the picture with its encoding quality. */
export interface Region {
  area: Rectangle
  /** 1 to 100. */
  quality: number
  /** Full color resolution (no chroma subsampling): thin colored letters stay readable. */
  isSharp: boolean
  /** Every pixel as it is, as PNG or WebP. */
  isExact?: boolean
}

const bytesPerPixel = 4
/** Two bands for full HD: each further image costs the viewer's browser 0.8 ms of CPU. */
const bandPixels = 1_100_000
/** Smaller bands for exact images, which take ten times as long: all threads are used, and lines of text still match. */
const exactBandPixels = 320_000

/** Copies the area as red, green and blue: the encoder's own conversion takes ten times as long. */
function imageOf(picture: Picture, { x, y, width, height }: Rectangle) {
  const { numbers, perRow } = pixelNumbers(picture)
  const colors = Buffer.allocUnsafeSlow(width * height * 3)
  for (let row = 0, at = 0; row < height; row++) {
    const start = (y + row) * perRow + x
    for (let column = 0; column < width; column++) {
      const color = numbers[start + column] ?? 0
      colors[at++] = color >> 16
      colors[at++] = color >> 8
      colors[at++] = color
    }
  }
  return sharp(colors, { raw: { width, height, channels: 3 } })
}

/** Returns the area in place. For the lowest rows returns a copy, because the encoder reads whole rows. */
function sourceOf({ pixels, stride }: Picture, { x, y, width, height }: Rectangle) {
  const start = y * stride + x * bytesPerPixel
  if (start + height * stride <= pixels.length) {
    return { pixels: pixels.subarray(start), stride }
  }
  const rowBytes = width * bytesPerPixel
  const copy = Buffer.allocUnsafe(rowBytes * height)
  for (let row = 0; row < height; row++) {
    pixels.copy(copy, row * rowBytes, start + row * stride, start + row * stride + rowBytes)
  }
  return { pixels: copy, stride: rowBytes }
}

/**
 * Splits a large area so that several threads encode the area: bands of about the same height, aligned to encoder
 * blocks so that no seam shows.
 */
export function inBands({ x, y, width, height }: Rectangle, isExact = false): Rectangle[] {
  const count = Math.ceil((width * height) / (isExact ? exactBandPixels : bandPixels))
  const rows = Math.ceil(height / count / 16) * 16
  return Array.from({ length: Math.ceil(height / rows) }, (_, index) => {
    const top = index * rows
    return { x, y: y + top, width, height: Math.min(rows, height - top) }
  })
}

/**
 * Encodes parts of a picture in place on worker threads. Calls must not overlap: each call overwrites the images of the
 * previous call.
 */
export class RegionEncoder {
  #output = Buffer.alloc(0)

  async encode(picture: Picture, regions: readonly Region[], format: ImageFormat): Promise<ScreenRegionDto[]> {
    const exact = regions.filter(({ isExact }) => isExact)
    const other = regions.filter(({ isExact }) => !isExact)
    const [exactImages, images] = await Promise.all([
      Promise.all(exact.map(({ area }) => exactImage(picture, area))),
      turbo && format === imageFormat.Jpeg
        ? this.#jpegs(turbo, picture, other)
        : Promise.all(other.map((region) => slowImage(picture, region, format))),
    ])
    return [
      ...other.map(({ area }, index) => ({ ...area, encodedImage: images[index]!, imageFormat: format })),
      ...exact.map(({ area }, index) => ({ ...area, ...exactImages[index]! })),
    ]
  }

  #jpegs(encoder: NonNullable<typeof turbo>, picture: Picture, regions: readonly Region[]): Promise<Buffer[]> {
    const options = regions.map(({ area: { width, height }, quality, isSharp }) => ({
      format: encoder.FORMAT_BGRX,
      subsampling: isSharp ? encoder.SAMP_444 : encoder.SAMP_420,
      width,
      height,
      quality,
    }))
    const sizes = options.map((option) => encoder.bufferSize(option))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    if (total > this.#output.length) {
      this.#output = Buffer.allocUnsafeSlow(total)
    }
    let end = 0
    return Promise.all(
      regions.map(({ area }, index) => {
        const start = end
        end += sizes[index] ?? 0
        const { pixels, stride } = sourceOf(picture, area)
        const option = { ...(options[index] as (typeof options)[number]), stride: stride / bytesPerPixel }
        return encoder.compress(pixels, this.#output.subarray(start, end), option)
      }),
    )
  }
}

/** Encodes text, which has few colors, by a palette: other encoders take several times as long for it. */
async function exactImage(picture: Picture, area: Rectangle) {
  const png = await indexedPng(picture, area)
  return png
    ? { encodedImage: png, imageFormat: imageFormat.Png }
    : {
        encodedImage: await imageOf(picture, area).webp({ lossless: true, effort: 0 }).toBuffer(),
        imageFormat: imageFormat.WebP,
      }
}

function slowImage(picture: Picture, { area, quality, isSharp }: Region, format: ImageFormat): Promise<Buffer> {
  const image = imageOf(picture, area)
  switch (format) {
    case imageFormat.Jpeg:
      return image.jpeg({ quality, chromaSubsampling: isSharp ? '4:4:4' : '4:2:0' }).toBuffer()
    case imageFormat.Png:
      return image.png({ compressionLevel: 1 }).toBuffer()
    case imageFormat.WebP:
      return image.webp({ quality, effort: 0, smartSubsample: isSharp }).toBuffer()
  }
}
