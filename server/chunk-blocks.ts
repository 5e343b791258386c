/** Maximum size of one read of Node from a socket. */
const blockBytes = 65_536
/** Smaller chunks are not copied. */
const minChunkBytes = 4_096
/** Maximum number of pooled blocks. */
const maxFreeBlocks = 128

const free: Buffer[] = []
const blocks = new WeakSet<ArrayBufferLike>()

/**
 * Copies a queued chunk to a pooled block. A long-lived chunk of Node survives the young-generation garbage collection:
 * a flood of chunks would fill memory with garbage.
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

/** Returns the block of a chunk to the pool; the chunk must not be used any more. */
export function giveBlock(chunk: Buffer): void {
  if (blocks.has(chunk.buffer) && free.length < maxFreeBlocks) {
    free.push(Buffer.from(chunk.buffer))
  }
}
