/** The first byte of every record of a handshake, and so of every TLS connection. */
const handshakeRecord = 0x16
const recordHeaderBytes = 5
/** Type and length in front of a hello. */
const messageHeaderBytes = 4
/** A larger one is not waited for: a usual hello has half a KB to two. */
const mostBytes = 16 * 1024

/** Whether a connection begins with TLS, by its first bytes. */
export const isTls = (bytes: Buffer) => bytes[0] === handshakeRecord

/** Whether all of a client's hello is there, in however many records, or what is there is none. */
export function isWholeHello(bytes: Buffer): boolean {
  const parts: Buffer[] = []
  for (let at = 0; at + recordHeaderBytes <= bytes.length;) {
    if (bytes[at] !== handshakeRecord) {
      return true
    }
    const begin = at + recordHeaderBytes
    at = begin + bytes.readUInt16BE(at + 3)
    parts.push(bytes.subarray(begin, at))
  }
  const message = Buffer.concat(parts)
  const isWhole =
    message.length >= messageHeaderBytes && message.length >= messageHeaderBytes + message.readUIntBE(1, 3)
  return isWhole || bytes.length >= mostBytes
}
