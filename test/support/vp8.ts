import sharp from 'sharp'

/** Key packet of VP8 with a picture of one color: a lossy WebP holds one. */
export async function keyPacket(width: number, height: number, [r, g, b]: readonly [number, number, number]) {
  const image = sharp({ create: { width, height, channels: 3, background: { r, g, b } } })
  const webp = await image.webp({ quality: 90 }).toBuffer()
  const at = webp.indexOf('VP8 ')
  return webp.subarray(at + 8, at + 8 + webp.readUInt32LE(at + 4))
}

/** Decodes a key packet to red, green and blue. Rejects for any other packet. */
export async function decodeKey(packet: Uint8Array) {
  const head = Buffer.alloc(20)
  const size = packet.length + (packet.length % 2)
  head.write('RIFF')
  head.writeUInt32LE(12 + size, 4)
  head.write('WEBPVP8 ', 8)
  head.writeUInt32LE(packet.length, 16)
  const webp = Buffer.concat([head, packet, Buffer.alloc(size - packet.length)])
  const { data, info } = await sharp(webp).raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels)].slice(0, 3)
  return { width: info.width, height: info.height, at }
}

/** Whether a packet of VP8 is decodable by itself. */
export const isKey = (packet: Uint8Array) => ((packet[0] ?? 1) & 1) === 0
