/** Header of a VP8 packet: three bytes for the frame, seven more where it is decodable by itself. */
const headBytes = 3
const keyHeadBytes = 10
const keyMark = 0x9d_01_2a
const mostVersion = 3

interface Vp8Packet {
  /** Size of the decoded picture; only key packets carry and change it. */
  size: { width: number; height: number } | undefined
}

/**
 * Reads the header of a VP8 packet (RFC 6386, section 9.1), without decoding. Undefined for a damaged one, for one that
 * shows no picture, and for a picture that would be scaled.
 */
export function vp8Packet(bytes: Uint8Array): Vp8Packet | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < headBytes) {
    return undefined
  }
  const head = view.getUint16(0, true) + view.getUint8(2) * 0x1_00_00
  const isKey = (head & 1) === 0
  const isShown = ((head >> 4) & 1) === 1
  const firstBytes = head >> 5
  const start = isKey ? keyHeadBytes : headBytes
  if (!isShown || ((head >> 1) & 7) > mostVersion || firstBytes === 0 || start + firstBytes > view.byteLength) {
    return undefined
  }
  if (!isKey) {
    return { size: undefined }
  }
  const mark = view.getUint16(3) * 0x1_00 + view.getUint8(5)
  // The two highest bits are a factor by which the picture is to be scaled.
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  return mark === keyMark && Math.max(size.width, size.height) < 0x40_00 ? { size } : undefined
}
