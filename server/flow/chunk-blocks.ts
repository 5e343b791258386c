/** Sizes of blocks. Node reads at most the largest at once from a socket. */
const blockSizes = [8_192, 16_384, 32_768, 65_536]
/** Chunks of fewer bytes are not copied. */
const minChunkBytes = 4_096
/** Bytes of blocks of one size that are kept for the next flood. */
const maxFreeBytes = 2 * 1024 * 1024

const free = new Map<number, Buffer[]>(blockSizes.map((size) => [size, []]))
const blocks = new WeakSet<ArrayBufferLike>()

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

/**
 * Copies a queued chunk into a pooled block. Node's own chunk, queued for long, survives the quick garbage collections, so
 * a flood would fill memory with unused chunks. A block has at most twice the bytes of its chunk, because the budget of
 * unproved input counts the bytes of the chunk.
 */
export function toBlock(chunk: Buffer): Buffer {
  const size = blockSizes.find((each) => each >= chunk.length)
  if (chunk.length < minChunkBytes || size === undefined) {
    return chunk
  }
  const block = free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size)
  blocks.add(block.buffer)
  const copy = block.subarray(0, chunk.copy(block))
  freeChunk(chunk)
  return copy
}

/** Returns the block of a chunk to the pool, or frees the chunk; the caller uses the chunk no more. */
export function giveBlock(chunk: Buffer): void {
  const { buffer } = chunk
  const others = free.get(buffer.byteLength)
  if (!blocks.has(buffer) || !others) {
    freeChunk(chunk)
  } else if (others.length * buffer.byteLength < maxFreeBytes) {
    others.push(Buffer.from(buffer))
  } else {
    freeChunk(Buffer.from(buffer))
  }
}
