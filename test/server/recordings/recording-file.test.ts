import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { BlockReader, BlockWriter, newKey, type Segment } from '../../../server/recordings/block-file.ts'
import { RecordingFile } from '../../../server/recordings/recording-file.ts'
import { SegmentBuilder } from '../../../server/recordings/segments.ts'
import { temporaryFolder } from '../../support/server-process.ts'

async function openFile(maxBytes: number) {
  const [id, key, path] = [randomUUID(), newKey(), join(await temporaryFolder(), 'file')]
  const writer = await BlockWriter.create(path, id, key)
  const problems: string[] = []
  let now = 0
  const file = new RecordingFile({
    writer,
    maxBytes,
    now: () => now,
    isDiskFull: () => Promise.resolve(false),
    onProblem: (problem) => problems.push(problem),
  })
  return { file, writer, problems, pass: (ms: number) => void (now += ms), read: () => BlockReader.open(path, id, key) }
}

const segment = (bytes: number): Segment => ({ from: 0, to: 1, isKey: true, marks: [], entries: Buffer.alloc(bytes) })

test('a recording ends when it has taken all the space for recordings', async () => {
  const { file, writer, problems } = await openFile(5_000)
  for (let count = 0; count < 10; count++) {
    file.write(segment(1_000))
  }
  expect((await file.close()).digest).toBeUndefined()
  expect(problems).toEqual(['The recording takes all the space for recordings.'])
  expect(writer.bytes).toBeLessThanOrEqual(5_000)
})

test('the last segment before a rest is flushed to the disk without waiting for another one', async () => {
  const { file, writer, pass } = await openFile(100_000)
  const flush = vi.spyOn(writer, 'flush')
  pass(1_000)
  file.write(segment(10))
  await vi.waitFor(() => expect(flush).toHaveBeenCalledTimes(1))
  file.write(segment(10))
  await vi.waitFor(() => expect(writer.blocks).toBe(2))
  file.tick()
  pass(1_000)
  file.tick()
  await vi.waitFor(() => expect(flush).toHaveBeenCalledTimes(2))
  await file.close()
})

test('marks with the longest texts leave a recording readable (T20)', async () => {
  const { file, read } = await openFile(10_000_000)
  const builder = new SegmentBuilder((closed) => file.write(closed))
  for (let count = 0; count < 1_000; count++) {
    builder.mark({ at: 0, kind: 'upload', text: '\u0001'.repeat(200) })
  }
  builder.close()
  await file.close()
  await using reader = await read()
  expect((await reader.readBlocks()).blocks[0]!.marks.length).toBeGreaterThan(50)
})

test('whole pictures in each frame begin a segment once a second at most (T35)', () => {
  const segments: Segment[] = []
  const builder = new SegmentBuilder((closed) => segments.push(closed))
  for (let at = 0; at < 3_000; at++) {
    builder.beginKey(at)
    builder.add(0, at, Buffer.alloc(1))
  }
  builder.close()
  expect(segments.map(({ from, isKey }) => [from, isKey])).toEqual([0, 1_000, 2_000].map((from) => [from, true]))
})

test('a session of more than 49 days is recorded to its end', () => {
  const segments: Segment[] = []
  const builder = new SegmentBuilder((closed) => segments.push(closed))
  builder.add(0, 50 * 24 * 60 * 60_000, Buffer.alloc(1))
  builder.close()
  expect(segments).toHaveLength(1)
})
