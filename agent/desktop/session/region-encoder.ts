import turbo from '@julusian/jpeg-turbo'
import sharp from 'sharp'
import type { ScreenRegionDto } from '../../../shared/remote-control/messages.ts'
import { imageFormat, type ImageFormat } from '../../../shared/remote-control/values.ts'
import type { Picture, Rectangle } from '../desktop.ts'

/** A part of the picture, and how well it is to be shown. */
export interface Region {
  area: Rectangle
  /** 1 to 100. */
  quality: number
  /** Colours in full resolution: thin coloured letters stay readable. */
  isSharp: boolean
}

const bytesPerPixel = 4
/** Blue and red change places: pictures have blue first. */
const swapped: [[number, number, number], [number, number, number], [number, number, number]] = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
]

const imageOf = ({ pixels, stride }: Picture, { y, height, ...area }: Rectangle) =>
  sharp(pixels.subarray(y * stride, (y + height) * stride), {
    raw: { width: stride / bytesPerPixel, height, channels: 4 },
  })
    .extract({ left: area.x, top: 0, width: area.width, height })
    .removeAlpha()
    .recomb(swapped)

/** The area in place; in the lowest rows a copy, because the encoder asks for whole rows. */
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

const subsamplingOf = ({ isSharp }: Region) => (isSharp ? turbo.SAMP_444 : turbo.SAMP_420)

/** Encodes parts of a picture on other threads, in place. One call at a time: its images are overwritten by the next. */
export class RegionEncoder {
  #output = Buffer.alloc(0)

  async encode(picture: Picture, regions: readonly Region[], format: ImageFormat): Promise<ScreenRegionDto[]> {
    const images = await (format === imageFormat.Jpeg
      ? this.#jpegs(picture, regions)
      : Promise.all(regions.map((region) => otherImage(picture, region, format))))
    return regions.map(({ area }, index) => ({
      ...area,
      encodedImage: images[index] as Buffer,
      imageFormat: format,
    }))
  }

  #jpegs(picture: Picture, regions: readonly Region[]): Promise<Buffer[]> {
    const sizes = regions.map((region) => {
      const { width, height } = region.area
      return turbo.bufferSize({ width, height, subsampling: subsamplingOf(region) })
    })
    const total = sizes.reduce((sum, size) => sum + size, 0)
    if (total > this.#output.length) {
      this.#output = Buffer.allocUnsafeSlow(total)
    }
    let end = 0
    return Promise.all(
      regions.map((region, index) => {
        const start = end
        end += sizes[index] ?? 0
        return jpeg(picture, region, this.#output.subarray(start, end))
      }),
    )
  }
}

function jpeg(picture: Picture, region: Region, output: Buffer): Promise<Buffer> {
  const { width, height } = region.area
  const { pixels, stride } = sourceOf(picture, region.area)
  return turbo.compress(pixels, output, {
    format: turbo.FORMAT_BGRX,
    width,
    height,
    stride: stride / bytesPerPixel,
    subsampling: subsamplingOf(region),
    quality: region.quality,
  })
}

const otherImage = (picture: Picture, { area, quality, isSharp }: Region, format: ImageFormat): Promise<Buffer> =>
  format === imageFormat.Png
    ? imageOf(picture, area).png({ compressionLevel: 1 }).toBuffer()
    : imageOf(picture, area).webp({ quality, effort: 0, smartSubsample: isSharp }).toBuffer()
