import { expect, test } from 'vitest'
import { giveBlock, toBlock } from '../../../server/flow/chunk-blocks.ts'

test('the memory of a chunk that waits has at most twice the bytes of the chunk', () => {
  for (const bytes of [4_096, 8_192, 8_193, 20_000, 40_000, 65_536]) {
    const waiting = toBlock(Buffer.alloc(bytes, 1))
    expect(waiting).toEqual(Buffer.alloc(bytes, 1))
    expect(waiting.buffer.byteLength).toBeLessThanOrEqual(bytes * 2)
  }
})

test('memory that was given back is used for the next chunk', () => {
  const first = toBlock(Buffer.alloc(50_000, 1))
  giveBlock(first)
  const second = toBlock(Buffer.alloc(60_000, 2))
  expect(second.buffer).toBe(first.buffer)
  expect(second).toEqual(Buffer.alloc(60_000, 2))
})
