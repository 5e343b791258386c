/** First byte of every handshake record, and so of every TLS connection. */
const handshakeRecord = 0x16
const recordHeaderBytes = 5
/** Type and length before a hello. */
const messageHeaderBytes = 4
/** Maximum size of a hello to wait for; a typical hello has 0.5 to 2 KB. */
const mostBytes = 16 * 1024

/** True if a connection begins with TLS, by its first bytes. */
export const isTls = (bytes: Buffer) => bytes[0] === handshakeRecord

/** True if the client hello is complete, in any number of records, or the bytes are not a hello. */
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
