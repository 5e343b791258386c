import { describe, expect, test } from 'vitest'
import { firstNewLine, LineCollector, readLog, type LogText } from '../../../../renderer/features/logs/log-lines.ts'

const streamOf = (...pieces: (string | Uint8Array)[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece))
      controller.close()
    },
  })

const read = (...pieces: (string | Uint8Array)[]) => readLog(streamOf(...pieces), () => {})

describe('reading a log', () => {
  test('joins lines and characters that arrive in pieces', async () => {
    const bytes = new TextEncoder().encode('zwölf\r\nzwei')
    const { lines } = await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))
    expect(lines).toEqual(['zwölf', 'zwei'])
  })

  test('reads UTF-16, as Windows writes it', async () => {
    const { lines } = await read(Uint8Array.of(0xff, 0xfe), new Uint8Array(Buffer.from('one\r\ntwo\r\n', 'utf16le')))
    expect(lines).toEqual(['one', 'two'])
  })

  test('of an empty file has no line', async () => {
    expect(await read()).toEqual({ lines: [], dropped: 0, bytes: 0 })
  })

  test('keeps the last lines of a log above its limit, and counts the missing lines', () => {
    const collector = new LineCollector(3)
    collector.push('1\n2\n3\n4\n5')
    collector.end()
    expect([collector.lines, collector.dropped]).toEqual([['3', '4', '5'], 2])
  })

  test('cuts a line without an end', () => {
    const collector = new LineCollector()
    collector.push('x'.repeat(250_000))
    collector.end()
    expect(collector.lines.map(({ length }) => length)).toEqual([100_000, 100_000, 50_000])
  })
})

describe('new lines', () => {
  const log = (lines: string[], dropped = 0): LogText => ({ lines, dropped, bytes: lines.join().length + dropped * 10 })

  test('begin after the known lines', () => {
    expect(firstNewLine(log(['a', 'b']), log(['a', 'b', 'c']))).toBe(2)
  })

  test('are none when nothing was added', () => {
    expect(firstNewLine(log(['a', 'b']), log(['a', 'b']))).toBe(2)
  })

  test('are all lines of a replaced file, even if it is longer', () => {
    expect(firstNewLine(log(['a', 'b', 'c']), log(['x']))).toBe(0)
    expect(firstNewLine(log(['a', 'b', 'c']), log(['x', 'y', 'z', 'long enough']))).toBe(0)
  })

  test('counts lines that are not kept any more', () => {
    expect(firstNewLine(log(['a', 'b', 'c']), log(['b', 'c', 'd'], 1))).toBe(2)
  })
})
