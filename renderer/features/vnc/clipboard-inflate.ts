/** Maximum length of clipboard text in either direction, in characters. */
export const maxClipboardLength = 100_000

/** Maximum size of inflated text: a length field, then up to four bytes of UTF-8 per character. */
const mostBytes = 4 + 4 * (maxClipboardLength + 1)

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const bytes = new Uint8Array(mostBytes)
  let length = 0
  try {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))
    for await (const chunk of stream) {
      const part = chunk.subarray(0, mostBytes - length)
      bytes.set(part, length)
      length += part.length
      if (length === mostBytes) {
        break
      }
    }
  } catch {
    // VNC servers flush their streams without ending them.
  }
  return bytes.subarray(0, length)
}

/**
 * Returns the text of an extended clipboard message, cut one character above the limit. noVNC's own reader inflates as
 * much as the VNC server declares.
 */
export async function inflateText(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = await inflate(packed)
  const declared = bytes.length < 4 ? 0 : new DataView(bytes.buffer).getUint32(0)
  return new TextDecoder()
    .decode(bytes.subarray(4, 4 + declared))
    .replace(/\0$/, '')
    .replaceAll('\r\n', '\n')
}
