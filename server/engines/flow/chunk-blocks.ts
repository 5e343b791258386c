/**
 * Frees the memory of a chunk at once. Otherwise the garbage collector would scan the whole heap for every 32 MB of
 * chunks, which took a quarter of the relay's CPU time or more, and a flood would fill memory with chunks.
 */
export function freeChunk({ buffer, length }: Uint8Array): void {
  // Only if no other buffer shares the memory.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) {
    buffer.transfer(0)
  }
}
