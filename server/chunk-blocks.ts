/** Sizes of blocks. Node reads at most the largest at once from a socket. */
const blockSizes = [8_192, 16_384, 32_768, 65_536]
/** Chunks of fewer bytes are not copied. */
const minChunkBytes = 4_096
/** Bytes of blocks of one size that are kept for the next flood. */
const maxFreeBytes = 2 * 1024 * 1024

const free = new Map<number, Buffer[]>(blockSizes.map((size) => [size, []]))
const blocks = new WeakSet<ArrayBufferLike>()

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
  chunk.copy(block)
  return block.subarray(0, chunk.length)
}

/** Returns the block of a chunk to the pool; the caller uses the chunk no more. */
export function giveBlock({ buffer }: Buffer): void {
  const others = free.get(buffer.byteLength)
  if (blocks.has(buffer) && others && others.length * buffer.byteLength < maxFreeBytes) {
    others.push(Buffer.from(buffer))
  }
}
