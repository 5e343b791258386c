/** Node reads at most this much at once from a socket. */
const blockBytes = 65_536
/** Smaller chunks are kept as they came. */
const minChunkBytes = 4_096
/** Blocks that are kept for the next flood. */
const maxFreeBlocks = 128

const free: Buffer[] = []
const blocks = new WeakSet<ArrayBufferLike>()

/**
 * Memory of chunks that wait, used again. A chunk of Node that waits for long outlives the quick collections of garbage:
 * a flood of them would fill memory with chunks that nobody needs any more.
 */
export function toBlock(chunk: Buffer): Buffer {
  if (chunk.length < minChunkBytes || chunk.length > blockBytes) {
    return chunk
  }
  const block = free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
  blocks.add(block.buffer)
  chunk.copy(block)
  return block.subarray(0, chunk.length)
}

/** Gives back the block of a chunk, of which nothing may be used any more. */
export function giveBlock(chunk: Buffer): void {
  if (blocks.has(chunk.buffer) && free.length < maxFreeBlocks) {
    free.push(Buffer.from(chunk.buffer))
  }
}
