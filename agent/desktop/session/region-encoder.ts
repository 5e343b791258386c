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

/** Encodes parts of a picture on other threads, in place. One call at a time: its images are overwritten by the next. */
export class RegionEncoder {
  readonly #outputs: Buffer[] = []

  async encode(picture: Picture, regions: readonly Region[], format: ImageFormat): Promise<ScreenRegionDto[]> {
    const images = await Promise.all(regions.map((region, index) => this.#image(picture, region, format, index)))
    return images.map((encodedImage, index) => ({
      ...(regions[index] as Region).area,
      encodedImage,
      imageFormat: format,
    }))
  }

  #image(picture: Picture, region: Region, format: ImageFormat, index: number): Promise<Buffer> {
    const { area, quality, isSharp } = region
    switch (format) {
      case imageFormat.Png:
        return imageOf(picture, area).png({ compressionLevel: 1 }).toBuffer()
      case imageFormat.WebP:
        return imageOf(picture, area).webp({ quality, effort: 0, smartSubsample: isSharp }).toBuffer()
      case imageFormat.Jpeg:
        return this.#jpeg(picture, region, index)
    }
  }

  #jpeg(picture: Picture, { area, quality, isSharp }: Region, index: number): Promise<Buffer> {
    const { width, height } = area
    const { pixels, stride } = sourceOf(picture, area)
    const subsampling = isSharp ? turbo.SAMP_444 : turbo.SAMP_420
    const output = this.#output(index, turbo.bufferSize({ width, height, subsampling }))
    const options = { format: turbo.FORMAT_BGRX, width, height, stride: stride / bytesPerPixel, subsampling, quality }
    return turbo.compress(pixels, output, options)
  }

  #output(index: number, size: number): Buffer {
    const kept = this.#outputs[index]
    if (kept && kept.length >= size) {
      return kept
    }
    const output = Buffer.allocUnsafeSlow(size)
    this.#outputs[index] = output
    return output
  }
}
