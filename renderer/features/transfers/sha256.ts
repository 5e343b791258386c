import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** SHA-256 of bytes in hexadecimal digits, by the browser's own function where the address of the page has it. */
export async function sha256OfBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle?.digest('SHA-256', bytes)
  return bytesToHex(digest ? new Uint8Array(digest) : sha256(bytes))
}

const pieceBytes = 4 * 1024 * 1024

/**
 * SHA-256 of a file in hexadecimal digits, read in pieces: the browser's own function needs the whole file in memory, and is
 * missing on a plain http address of the LAN. Throws if the file cannot be read any more, and if the signal aborts.
 */
export async function sha256Of(file: Blob, onProgress: (bytes: number) => void, signal?: AbortSignal): Promise<string> {
  const hash = sha256.create()
  for (let at = 0; at < file.size; at += pieceBytes) {
    signal?.throwIfAborted()
    const piece = await file.slice(at, at + pieceBytes).arrayBuffer()
    hash.update(new Uint8Array(piece))
    onProgress(at + piece.byteLength)
  }
  return bytesToHex(hash.digest())
}
