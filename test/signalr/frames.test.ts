import { describe, expect, test } from 'vitest'
import { readBinaryFrame, writeBinaryFrame } from '../../server/engines/signalr/protocol/binary-frames.ts'
import { ReceiveBuffer } from '../../server/engines/signalr/protocol/receive-buffer.ts'
import { readTextFrame } from '../../server/engines/signalr/protocol/text-frames.ts'

function buffer(...chunks: (string | number[])[]) {
  const input = new ReceiveBuffer()
  for (const chunk of chunks) {
    input.append(Buffer.from(chunk as string))
  }
  return input
}

describe('text frames', () => {
  test('end at the record separator, wherever chunks end', () => {
    const input = buffer('one', '\x1etw', 'o\x1e\x1ethr')
    const read = () => readTextFrame(input, 100)
    expect([read(), read(), read(), read()]).toEqual(['one', 'two', '', undefined])
    input.append(Buffer.from('ee\x1e'))
    expect([read(), read(), input.length]).toEqual(['three', undefined, 0])
  })

  test('count with their separator towards the limit', () => {
    expect(readTextFrame(buffer('1234\x1e'), 5)).toBe('1234')
    expect(() => readTextFrame(buffer('12345\x1e'), 5)).toThrow('The maximum message size of 5B was exceeded.')
  })

  test('are rejected as too large before their end has arrived', () => {
    expect(readTextFrame(buffer('12345'), 5)).toBeUndefined()
    expect(() => readTextFrame(buffer('12345', '6'), 5)).toThrow('The maximum message size of 5B was exceeded.')
  })

  test('are limited individually, not together', () => {
    const input = buffer('1234\x1e1234\x1e1234\x1e')
    expect([1, 2, 3].map(() => readTextFrame(input, 5))).toEqual(['1234', '1234', '1234'])
  })
})

describe('binary frames', () => {
  test.each([
    [0, [0]],
    [53, [0x35]],
    [127, [0x7f]],
    [128, [0x80, 0x01]],
    [5248, [0x80, 0x29]],
    [2_097_152, [0x80, 0x80, 0x80, 0x01]],
  ])('of %d bytes have the right prefix and are read again', (length, prefix) => {
    const frame = writeBinaryFrame(new Uint8Array(length).fill(7))
    expect([...frame.subarray(0, prefix.length)]).toEqual(prefix)
    expect(frame.length).toBe(prefix.length + length)
    const input = new ReceiveBuffer()
    input.append(Buffer.from(frame))
    expect(readBinaryFrame(input, Infinity)?.length).toBe(length)
    expect(input.length).toBe(0)
  })

  test('wait for the rest of prefix and body', () => {
    const input = buffer([0x80])
    expect(readBinaryFrame(input, 1_000)).toBeUndefined()
    input.append(Buffer.from([0x01, 1]))
    expect(readBinaryFrame(input, 1_000)).toBeUndefined()
    input.append(Buffer.alloc(127, 1))
    expect(readBinaryFrame(input, 1_000)?.length).toBe(128)
  })

  test('count with their prefix towards the limit', () => {
    expect(readBinaryFrame(buffer([4, 1, 2, 3, 4]), 5)).toEqual(new Uint8Array([1, 2, 3, 4]))
    expect(() => readBinaryFrame(buffer([5, 1, 2, 3, 4, 5]), 5)).toThrow('The maximum message size of 5B was exceeded.')
  })

  test('are rejected for the size they announce', () => {
    expect(() => readBinaryFrame(buffer([0xff, 0xff, 0xff, 0xff, 7]), 32_768)).toThrow('maximum message size')
  })

  test.each([
    [0xff, 0xff, 0xff, 0xff, 0x08],
    [0x80, 0x80, 0x80, 0x80, 0x80],
  ])('that announce more than 2 GB are refused', (...prefix) => {
    expect(() => readBinaryFrame(buffer(prefix), Infinity)).toThrow('Messages over 2GB in size are not supported.')
  })
})

describe('the receive buffer', () => {
  test('reads a chunk that holds whole messages in place, and releases it', () => {
    const input = new ReceiveBuffer()
    const chunk = Buffer.from('one\x1etwo\x1e')
    input.append(chunk)
    expect(input.bytes).toBe(chunk)
    readTextFrame(input, 100)
    readTextFrame(input, 100)
    expect([input.length, input.bytes.length]).toEqual([0, 0])
  })

  test('never writes into a chunk it was given', () => {
    const first = Buffer.alloc(64, 'a').subarray(0, 3)
    const input = new ReceiveBuffer()
    input.append(first)
    input.append(Buffer.from('bbb\x1e'))
    expect(readTextFrame(input, 100)).toBe('aaabbb')
    const chunk = Buffer.from('one\x1etwo')
    input.append(chunk)
    readTextFrame(input, 100)
    input.append(Buffer.from('x\x1e'))
    expect([readTextFrame(input, 100), first.toString(), chunk.toString()]).toEqual(['twox', 'aaa', 'one\x1etwo'])
  })
})
