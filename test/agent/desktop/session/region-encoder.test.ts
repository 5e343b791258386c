import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { RegionEncoder, type Region } from '../../../../agent/desktop/session/region-encoder.ts'
import { decodeRegion } from '../../../../tools/simulate/remote-viewer.ts'
import { imageFormat, type ImageFormat } from '../../../../shared/remote-control/values.ts'

const [width, height, stride] = [100, 60, 110 * 4]
const pixels = Buffer.alloc(stride * height)
for (let y = 0; y < height; y++) {
  for (let x = 0; x < width; x++) {
    pixels.set([x < 50 ? 200 : 20, 2 * y, x], y * stride + x * 4)
  }
}
const picture = { width, height, pixels, stride }
const regions: Region[] = [
  { area: { x: 3, y: 5, width: 40, height: 30 }, quality: 95, isSharp: false },
  { area: { x: 61, y: 31, width: 39, height: 29 }, quality: 95, isSharp: true },
]

/**
 * Encodes regions as a Node version without the fast encoder does, in a process with all dependencies of a desktop's.
 */
const encodeOnOldNode = async () => {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const program = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, napi: '9' } })
    await import(${url('../../../../agent/desktop/main.ts')})
    const { RegionEncoder } = await import(${url('../../../../agent/desktop/session/region-encoder.ts')})
    const pixels = Buffer.from('${pixels.toString('base64')}', 'base64')
    const picture = { width: ${width}, height: ${height}, stride: ${stride}, pixels }
    const images = await new RegionEncoder().encode(picture, ${JSON.stringify(regions)}, ${imageFormat.Jpeg})
    const isLoaded = process.report.getReport().sharedObjects.some((file) => file.includes('jpeg-turbo'))
    console.log(JSON.stringify({ isLoaded, images: images.map((i) => ({ ...i, encodedImage: i.encodedImage.toString('base64') })) }))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  return JSON.parse(stdout) as {
    isLoaded: boolean
    images: { encodedImage: string; x: number; y: number; width: number; height: number }[]
  }
}

const expectSame = async (
  encoded: { encodedImage: Uint8Array; x: number; y: number; width: number; height: number },
  format: ImageFormat,
) => {
  const image = await decodeRegion({ ...encoded, imageFormat: format })
  expect([image.width, image.height]).toEqual([encoded.width, encoded.height])
  for (let y = 0; y < image.height; y += 7) {
    for (let x = 0; x < image.width; x += 5) {
      const seen = [...image.pixels.subarray((y * image.width + x) * 4).subarray(0, 3)]
      const wanted = [...pixels.subarray((encoded.y + y) * stride + (encoded.x + x) * 4).subarray(0, 3)]
      seen.forEach((value, index) => expect(Math.abs(value - (wanted[index] ?? 0))).toBeLessThan(10))
    }
  }
}

describe('RegionEncoder', () => {
  test.each(Object.entries(imageFormat))('cuts regions from rows with padding, as %s', async (_, format) => {
    const encoder = new RegionEncoder()
    const images = await encoder.encode(picture, regions, format)
    expect(images.map(({ x, y }) => [x, y])).toEqual([
      [3, 5],
      [61, 31],
    ])
    for (const image of images) {
      await expectSame(image, format)
    }
  })

  test('does not use the fast encoder on a Node version that it crashes', async () => {
    const { isLoaded, images } = await encodeOnOldNode()
    expect(isLoaded).toBe(false)
    for (const image of images) {
      await expectSame({ ...image, encodedImage: Buffer.from(image.encodedImage, 'base64') }, imageFormat.Jpeg)
    }
  })
})
