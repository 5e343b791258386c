/** Sizes of blocks. Node reads at most the largest at once from a socket. */
const blockSizes = [8_192, 16_384, 32_768, 65_536]
/** Smaller chunks stay as they came. */
const minChunkBytes = 4_096
/** Bytes of blocks of one size that are kept for the next flood. */
const maxFreeBytes = 2 * 1024 * 1024

const free = new Map<number, Buffer[]>(blockSizes.map((size) => [size, []]))
const blocks = new WeakSet<ArrayBufferLike>()

/**
 * Copies a chunk that waits into memory that is used again. A chunk of Node that waits for long outlives the quick
 * collections of garbage: a flood of them would fill memory with chunks that nobody needs any more. The block has at
 * most twice the bytes of the chunk, since the budget of unproved input counts those of the chunk.
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

/** Gives back the block of a chunk, of which nothing may be used any more. */
export function giveBlock({ buffer }: Buffer): void {
  const others = free.get(buffer.byteLength)
  if (blocks.has(buffer) && others && others.length * buffer.byteLength < maxFreeBytes) {
    others.push(Buffer.from(buffer))
  }
}
