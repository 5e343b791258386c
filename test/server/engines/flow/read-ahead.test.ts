import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { byteItems, jsonItems, ReadAhead } from '../../../../server/engines/flow/read-ahead.ts'
import { ByteBudget } from '../../../../server/engines/flow/byte-budget.ts'
import { manualClock } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/server-process.ts'
import { steady, until } from '../../../support/until.ts'

/** A source with numbered items, and the count of items read from it. */
function source(count: number, size: number) {
  const seen = { taken: 0, isStopped: false }
  async function* items() {
    try {
      for (let number = 0; number < count; number++) {
        yield { number, filler: 'x'.repeat(size) }
        seen.taken++
      }
    } finally {
      seen.isStopped = true
    }
  }
  return { seen, items: items() }
}

async function readAhead(count: number, size: number, { budget = 100_000, directory = '' } = {}) {
  const clock = manualClock()
  const disk = new ByteBudget(budget, {})
  const room = { directory: directory || (await temporaryFolder()), maxBytes: 10_000, held: disk.open({}) }
  const { seen, items } = source(count, size)
  let failures = 0
  const reader = new ReadAhead(items, { clock, room, codec: jsonItems, onFailed: () => failures++ })[
    Symbol.asyncIterator
  ]()
  /** Until nothing changes unless time passes. */
  const idle = () => steady(() => `${seen.taken} ${disk.used} ${failures}`, 5)
  return { clock, disk, room, seen, reader, failures: () => failures, idle }
}

const numberOf = ({ value }: IteratorResult<unknown>) => (value as { number: number }).number

test('unread items are buffered in memory and on disk, and the source is not blocked', async () => {
  const { seen, disk, reader } = await readAhead(60, 100)
  await until(() => seen.taken === 60)
  expect(disk.used).toBeGreaterThan(5_000)
  for (let number = 0; number < 60; number++) {
    expect(numberOf(await reader.next())).toBe(number)
  }
  expect([await reader.next(), disk.used]).toEqual([{ done: true, value: undefined }, 0])
})

test('a reader that reads slowly gets everything in order, however often the file is filled', async () => {
  const { clock, seen, disk, reader, idle } = await readAhead(500, 300)
  for (let number = 0; number < 500; number++) {
    if (number % 20 === 0) {
      await idle()
      clock.advance(4_000)
    }
    expect(numberOf(await reader.next())).toBe(number)
    expect(disk.used).toBeLessThanOrEqual(10_000)
  }
  expect([(await reader.next()).done, seen.isStopped]).toEqual([true, true])
})

test('a stream whose reader does not read fails 5 s after there is no room for it', async () => {
  const { clock, seen, disk, reader, failures, idle } = await readAhead(500, 300)
  await until(() => disk.used > 9_500)
  await idle()
  clock.advance(4_000)
  await idle()
  expect([failures(), seen.isStopped]).toEqual([0, false])
  clock.advance(1_000)
  await until(() => failures() === 1)
  await expect(reader.next()).rejects.toThrow('The reader was too slow.')
  await until(() => seen.isStopped && disk.used === 0)
})

test('with a full disk, the source waits for the reader', async () => {
  const { seen, reader, idle } = await readAhead(100, 10, { directory: '/dev/null/none' })
  await idle()
  expect(seen.taken).toBeLessThan(12)
  for (let number = 0; number < 100; number++) {
    expect(numberOf(await reader.next())).toBe(number)
  }
})

test('streams share one disk budget', async () => {
  const first = await readAhead(60, 100, { budget: 8_000 })
  await until(() => first.seen.taken === 60)
  const second = source(60, 100)
  first.disk.open({}).take(8_000 - first.disk.used)
  const parts = {
    clock: first.clock,
    room: { ...first.room, held: first.disk.open({}) },
    codec: jsonItems,
    onFailed: () => {},
  }
  const reader = new ReadAhead(second.items, parts)[Symbol.asyncIterator]()
  expect(await steady(() => second.seen.taken, 5)).toBeLessThan(12)
  await reader.return?.()
  await first.reader.return?.()
})

/** Pieces of bytes, buffered for a reader. */
async function bytesAhead(pieces: readonly Uint8Array[]) {
  async function* items() {
    yield* pieces
  }
  const clock = manualClock()
  const disk = new ByteBudget(1_000_000, {})
  const room = { directory: await temporaryFolder(), maxBytes: 200_000, held: disk.open({}) }
  const ahead = new ReadAhead(items(), { clock, room, codec: byteItems, onFailed: () => {} })
  return { clock, disk, reader: ahead[Symbol.asyncIterator]() as AsyncIterator<Uint8Array> }
}

const piecesOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(bytes + index, index))

async function allOf(reader: AsyncIterator<Uint8Array>): Promise<Uint8Array[]> {
  const blocks: Uint8Array[] = []
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    blocks.push(next.value)
  }
  return blocks
}

test('bytes are the same from memory and from the file', async () => {
  const whole = Buffer.concat(piecesOf(110, 3_000))
  const { clock, disk, reader } = await bytesAhead(piecesOf(110, 3_000))
  await until(() => {
    clock.advance(10)
    return disk.used > 100_000
  })
  expect(Buffer.concat(await allOf(reader)).equals(whole)).toBe(true)
  expect(disk.used).toBe(0)
})

test('waiting bytes are joined to blocks of at most 256 KiB', async () => {
  const whole = Buffer.concat(piecesOf(40, 30_000))
  const { reader } = await bytesAhead(piecesOf(40, 30_000))
  const blocks = await allOf(reader)
  expect(Buffer.concat(blocks).equals(whole)).toBe(true)
  expect(blocks.length).toBeLessThan(12)
  expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024)
})

test('bytes wait 10 ms for the reader before the file is used', async () => {
  const { clock, disk, reader } = await bytesAhead(piecesOf(70, 1_000))
  expect(await steady(() => disk.used, 5)).toBe(0)
  clock.advance(9)
  expect(await steady(() => disk.used, 5)).toBe(0)
  clock.advance(1)
  await until(() => disk.used > 10_000)
  await reader.return?.()
})

test('a reader that stops leaves no file and stops the source', async () => {
  const { seen, disk, room, reader } = await readAhead(500, 300)
  await until(() => disk.used > 9_000)
  await reader.return?.()
  await until(() => seen.isStopped)
  expect([disk.used, await readdir(room.directory)]).toEqual([0, []])
})

test('an error of the source reaches the reader', async () => {
  async function* broken() {
    yield 1
    throw new Error('broken')
  }
  let failures = 0
  const room = { directory: await temporaryFolder(), maxBytes: 1, held: new ByteBudget(1, {}).open({}) }
  const parts = { clock: manualClock(), room, codec: jsonItems, onFailed: () => failures++ }
  const reader = new ReadAhead(broken(), parts)[Symbol.asyncIterator]()
  await until(() => failures === 1)
  await expect(reader.next()).rejects.toThrow('broken')
})
