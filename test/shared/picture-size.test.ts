import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { pictureSize } from '../../shared/picture-size.ts'

const source = sharp({ create: { width: 300, height: 200, channels: 3, background: '#123456' } })
/** The picture starts in the middle of a buffer, as in a message. */
const sizeOf = (bytes: Uint8Array) => pictureSize(Buffer.concat([Buffer.alloc(7), bytes]).subarray(7))

test.each([
  ['JPEG', 'image/jpeg', () => source.clone().jpeg()],
  ['progressive JPEG with a profile', 'image/jpeg', () => source.clone().withMetadata().jpeg({ progressive: true })],
  ['PNG', 'image/png', () => source.clone().png()],
  ['lossy WebP', 'image/webp', () => source.clone().webp()],
  ['lossless WebP', 'image/webp', () => source.clone().webp({ lossless: true })],
  ['WebP with a profile', 'image/webp', () => source.clone().withMetadata({ orientation: 3 }).webp()],
])('the size of a %s is read from its header', async (_, type, made) => {
  expect(sizeOf(await made().toBuffer())).toEqual({ type, width: 300, height: 200 })
})

describe('T18, T35: hostile pictures', () => {
  test('a few bytes that claim to be huge are known by their header', () => {
    const header = Buffer.from('89504e470d0a1a0a0000000d49484452000186a0000186a00802000000', 'hex')
    const png = Buffer.concat([header, deflateSync(Buffer.alloc(1000))])
    expect(sizeOf(png)).toEqual({ type: 'image/png', width: 100_000, height: 100_000 })
  })

  /** Small frame where a naive reader looks, before the large one that decoders use. */
  const twoFaced = (marker: string) =>
    Buffer.from(`ffd8${marker}ffc0000b08${'0001'}${'0001'}01011100ffc0000b08ffffffff01011100${'00'.repeat(30)}`, 'hex')
  test.each([
    ['bytes before a marker', 'ab'],
    ['an escaped byte', 'ff000004abcd'],
    ['a segment shorter than its length', 'ffe00000'],
    ['the end of the picture', 'ffd90002'],
    ['a second start', 'ffd8'],
    ['a scan without a frame', 'ffda0002'],
  ])('a JPEG whose header decoders may read in another way has no size: %s', (_, marker) => {
    expect(sizeOf(twoFaced(marker))).toBeUndefined()
  })

  test.each([
    ['nothing', ''],
    ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('hex')],
    ['a GIF', `474946383961ffffffff${'00'.repeat(40)}`],
    ['a picture of no height', `89504e470d0a1a0a0000000d494844520000000a00000000${'00'.repeat(20)}`],
    ['a file with only the first bytes of a PNG', `89504e4766747970617669664948445200000001${'00000001'.repeat(4)}`],
    ['a JPEG that is cut', 'ffd8ffe00010'],
    ['a JPEG that points behind its end', `ffd8ffe0ffff${'00'.repeat(40)}`],
    ['a WebP of an unknown kind', Buffer.from(`RIFF0000WEBPVP9 ${'0'.repeat(40)}`).toString('hex')],
  ])('%s has no size', (_, hex) => {
    expect(sizeOf(Buffer.from(hex, 'hex'))).toBeUndefined()
  })
})
