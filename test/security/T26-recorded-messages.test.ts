import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BlockReader, BlockWriter, newKey } from '../../server/recordings/block-file.ts'
import { temporaryFolder } from '../support/server-process.ts'

/** A relayed message may be as large. */
const largestMessage = 64 * 1024 * 1024

/** Largest share of the main thread's processor time for which `work` lets nothing else run. */
async function longestShare(work: () => Promise<unknown>): Promise<number> {
  let [isRunning, longest, total] = [true, 0, 0]
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, user + system)
    total += user + system
    if (isRunning) {
      setImmediate(turn)
    }
  }
  setImmediate(turn)
  await work()
  isRunning = false
  turn()
  return longest / total
}

test('a recorded message of the largest size is sealed and opened in pieces, between which others are served', async () => {
  const [id, key, path] = [randomUUID(), newKey(), join(await temporaryFolder(), 'file')]
  const entries = Buffer.alloc(largestMessage, 'picture')
  const writer = await BlockWriter.create(path, id, key)
  const segment = { from: 0, to: 1, isKey: true, marks: [], entries }
  expect(await longestShare(() => writer.write(segment))).toBeLessThan(0.3)
  await writer.finish()

  await using reader = await BlockReader.open(path, id, key)
  const [block] = (await reader.readBlocks()).blocks
  let opened: Buffer = Buffer.alloc(0)
  const open = async () => {
    opened = await reader.readEntries(block!)
  }
  expect(await longestShare(open)).toBeLessThan(0.3)
  expect(opened.equals(entries)).toBe(true)
})
