import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32, deflate, deflateSync } from 'node:zlib'
import type { Picture, Rectangle } from '../../platform/desktop/desktop.ts'
import { pixelNumbers } from './pixel-numbers.ts'

const compress = promisify(deflate)
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const byPalette = 3
const maxColors = 256
/** Hash table of colors: four times as many slots as colors keep it fast. */
const slotBits = 10
const slotCount = 1 << slotBits
/** Odd, and different in each process: chosen colors in one slot would take a hundred times as long. */
const multiplier = 2 * randomInt(2 ** 31) + 1
const free = -1
/** Level of deflate: text shrinks a little more with a higher one, in twice the time. */
const level = 1
/** Fewer bytes are compressed here: another thread costs more than 0.1 ms. */
const fewBytes = 48 * 1024
const outputBytes = { least: 1024, most: 256 * 1024 }

interface Indexed {
  colors: readonly number[]
  indices: Uint8Array
}

/** Returns the palette of an area and the index of each pixel; undefined for more colors than a palette has. */
function indexed(picture: Picture, { x, y, width, height }: Rectangle): Indexed | undefined {
  const { numbers, perRow } = pixelNumbers(picture)
  const colorIn = new Int32Array(slotCount).fill(free)
  const indexIn = new Uint8Array(slotCount)
  const colors: number[] = []
  const indices = new Uint8Array(width * height)
  let [last, lastIndex] = [free, 0]
  for (let row = 0, at = 0; row < height; row++) {
    const start = (y + row) * perRow + x
    for (let column = 0; column < width; column++, at++) {
      const color = (numbers[start + column] ?? 0) & 0xff_ff_ff
      // Neighbors mostly have the same color.
      if (color !== last) {
        let slot = Math.imul(color, multiplier) >>> (32 - slotBits)
        while (colorIn[slot] !== color && colorIn[slot] !== free) {
          slot = (slot + 1) % slotCount
        }
        if (colorIn[slot] === free) {
          if (colors.length === maxColors) {
            return undefined
          }
          colorIn[slot] = color
          indexIn[slot] = colors.length
          colors.push(color)
        }
        last = color
        lastIndex = indexIn[slot] ?? 0
      }
      indices[at] = lastIndex
    }
  }
  return { colors, indices }
}

const bitsFor = (colors: number) => (colors <= 2 ? 1 : colors <= 4 ? 2 : colors <= 16 ? 4 : 8)

/** Returns rows as PNG has them: the filter, which is none, and the indices, the first one in the highest bits. */
function rowsOf(indices: Uint8Array, width: number, height: number, bits: number): Buffer {
  const rowBytes = 1 + Math.ceil((width * bits) / 8)
  const rows = Buffer.alloc(rowBytes * height)
  for (let row = 0; row < height; row++) {
    const from = row * width
    let at = row * rowBytes + 1
    if (bits === 8) {
      rows.set(indices.subarray(from, from + width), at)
      continue
    }
    let [packed, used] = [0, 0]
    for (let column = 0; column < width; column++) {
      packed = (packed << bits) | (indices[from + column] ?? 0)
      used += bits
      if (used === 8) {
        rows[at++] = packed
        packed = used = 0
      }
    }
    if (used > 0) {
      rows[at] = packed << (8 - used)
    }
  }
  return rows
}

function chunk(type: string, content: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + content.length)
  bytes.writeUInt32BE(content.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(content, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + content.length)), 8 + content.length)
  return bytes
}

function header(width: number, height: number, bits: number): Buffer {
  const content = Buffer.alloc(13)
  content.writeUInt32BE(width, 0)
  content.writeUInt32BE(height, 4)
  content.set([bits, byPalette], 8)
  return chunk('IHDR', content)
}

/**
 * Encodes an area with at most 256 colors as PNG, exactly and faster than JPEG; undefined for more colors. Reads the
 * pixels before it returns.
 */
export async function indexedPng(picture: Picture, area: Rectangle): Promise<Buffer | undefined> {
  const found = indexed(picture, area)
  if (!found) {
    return undefined
  }
  const { width, height } = area
  const bits = bitsFor(found.colors.length)
  const rows = rowsOf(found.indices, width, height, bits)
  const palette = Buffer.from(
    found.colors.flatMap((color) => [(color >> 16) & 0xff, (color >> 8) & 0xff, color & 0xff]),
  )
  const chunkSize = Math.max(outputBytes.least, Math.min(rows.length, outputBytes.most))
  const content = await (rows.length <= fewBytes
    ? deflateSync(rows, { level, chunkSize })
    : compress(rows, { level, chunkSize }))
  return Buffer.concat([
    signature,
    header(width, height, bits),
    chunk('PLTE', palette),
    chunk('IDAT', content),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
