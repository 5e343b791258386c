import { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FrameReader } from '../../../../server/engines/flow/websocket/frame-reader.ts'
import { FrameWriter } from '../../../../server/engines/relay/frame-writer.ts'
import { clientFrame, serverFrames } from '../../../support/client-frames.ts'
import { runs } from '../../../support/night.ts'

const [continuation, text, binary, close, ping, pong] = [0, 1, 2, 8, 9, 10]
const maxMessageBytes = 1_000_000

/** A reader with its recorded events; the pieces of a message are joined. */
function readerOf() {
  const messages: Buffer[] = []
  const controls: [number, string][] = []
  let pieces: Buffer[] = []
  const reader = new FrameReader(maxMessageBytes, {
    message(piece, isLast) {
      pieces.push(Buffer.from(piece))
      if (isLast) {
        messages.push(Buffer.concat(pieces))
        pieces = []
      }
    },
    control: (opcode, payload) => controls.push([opcode, payload.toString('latin1')]),
  })
  return { reader, messages, controls, beginning: () => Buffer.concat(pieces) }
}

const payloads = fc.oneof(
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 60 }) },
  fc.integer({ min: 120, max: 130 }).map((length) => new Uint8Array(length).fill(length)),
  fc.integer({ min: 60_000, max: 70_000 }).map((length) => new Uint8Array(length).map((_, index) => index * 7)),
)
const mask = fc.uint8Array({ minLength: 4, maxLength: 4 })
const control = fc.record({ opcode: fc.constantFrom(ping, pong), payload: fc.uint8Array({ maxLength: 125 }), mask })
const message = fc.record({
  opcode: fc.constantFrom(text, binary),
  fragments: fc.array(fc.record({ payload: payloads, mask, between: fc.option(control) }), {
    minLength: 1,
    maxLength: 4,
  }),
})

/** Frames of a client for some messages, and the messages. */
const sent = fc.array(message, { minLength: 1, maxLength: 5 }).map((messages) => ({
  bytes: Buffer.concat(
    messages.flatMap(({ opcode, fragments }) =>
      fragments.flatMap(({ payload, mask: key, between }, index) => [
        clientFrame({
          opcode: index === 0 ? opcode : continuation,
          isFinal: index === fragments.length - 1,
          payload,
          mask: key,
        }),
        ...(between ? [clientFrame(between)] : []),
      ]),
    ),
  ),
  messages: messages.map(({ fragments }) => Buffer.concat(fragments.map(({ payload }) => payload))),
  controls: messages.flatMap(({ fragments }) =>
    fragments.flatMap(({ between }): [number, string][] =>
      between ? [[between.opcode, Buffer.from(between.payload).toString('latin1')]] : [],
    ),
  ),
}))

/** Sizes of consecutive chunks. */
const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 80_000 })), { minLength: 1 })

/** Copies, because a reader overwrites its input. */
function* chunksOf(bytes: Buffer, sizes: readonly number[]) {
  for (let at = 0, cut = 0; at < bytes.length; cut++) {
    const end = at + (sizes[cut % sizes.length] as number)
    yield Buffer.from(new Uint8Array(bytes.subarray(at, end)))
    at = end
  }
}

describe('a reader', () => {
  test('emits all messages and control frames in order, however they are split', () => {
    fc.assert(
      fc.property(sent, cuts, ({ bytes, messages, controls }, sizes) => {
        const told = readerOf()
        for (const chunk of chunksOf(bytes, sizes)) {
          told.reader.read(chunk)
        }
        expect(told.messages.map((each) => each.toString('latin1'))).toEqual(
          messages.map((each) => each.toString('latin1')),
        )
        expect(told.controls).toEqual(controls)
      }),
      { numRuns: runs(25) },
    )
  })

  test('emits the same for a split at every byte', () => {
    const bytes = Buffer.concat([
      clientFrame({ opcode: text, payload: Buffer.from('begin'), isFinal: false }),
      clientFrame({ opcode: ping, payload: Buffer.from('between') }),
      clientFrame({ opcode: continuation, payload: Buffer.alloc(200, 'x') }),
      clientFrame({ opcode: binary }),
      clientFrame({ opcode: close, payload: Buffer.from([3, 232]) }),
    ])
    for (let at = 1; at < bytes.length; at++) {
      const { reader, messages, controls } = readerOf()
      reader.read(Buffer.from(bytes.subarray(0, at)))
      reader.read(Buffer.from(bytes.subarray(at)))
      expect(messages.map(String)).toEqual([`begin${'x'.repeat(200)}`, ''])
      expect(controls).toEqual([
        [ping, 'between'],
        [close, '\u0003è'],
      ])
    }
  })

  test('emits the start of a message before its end arrives', () => {
    const told = readerOf()
    const bytes = clientFrame({ opcode: binary, payload: Buffer.from('beginning and end') })
    told.reader.read(bytes.subarray(0, bytes.length - 8))
    expect([told.beginning().toString(), told.messages]).toEqual(['beginning', []])
  })

  test('emits nothing after a close frame', () => {
    const { reader, controls } = readerOf()
    reader.read(Buffer.concat([clientFrame({ opcode: close }), clientFrame({ opcode: ping }), Buffer.alloc(9)]))
    reader.read(clientFrame({ opcode: ping }))
    expect(controls).toEqual([[close, '']])
  })

  const begun = clientFrame({ opcode: binary, payload: Buffer.from('x'), isFinal: false })
  const broken: [string, Buffer, number, RegExp][] = [
    ['without a mask', Buffer.from([0x82, 0x01]), 1002, /MASK must be set/],
    ['with a reserved bit', Buffer.from([0xc2, 0x80]), 1002, /RSV/],
    ['with another reserved bit', Buffer.from([0x92, 0x80]), 1002, /RSV/],
    ['of an unknown kind', Buffer.from([0x83, 0x80]), 1002, /invalid opcode 3/],
    ['of an unknown control kind', Buffer.from([0x8b, 0x80]), 1002, /invalid opcode 11/],
    ['that continues nothing', Buffer.from([0x80, 0x80]), 1002, /invalid opcode 0/],
    ['that begins within a message', Buffer.concat([begun, Buffer.from([0x82, 0x80])]), 1002, /invalid opcode 2/],
    ['of control in fragments', Buffer.from([0x09, 0x80]), 1002, /FIN must be set/],
    ['of control that is too long', Buffer.from([0x89, 0xfe]), 1002, /invalid payload length 126/],
    ['of a length beyond all', Buffer.from([0x82, 0xff, ...Buffer.alloc(12, 255)]), 1009, /Max payload/],
    ['of a message that is too large', clientFrame({ opcode: 2, payload: Buffer.alloc(1_000_001) }), 1009, /Max/],
    [
      'that makes a message too large',
      Buffer.concat([begun, clientFrame({ opcode: 0, payload: Buffer.alloc(1_000_000) })]),
      1009,
      /Max/,
    ],
  ]

  test.each(broken)('rejects a frame %s', (_, bytes, code, reason) => {
    const { reader } = readerOf()
    expect(() => reader.read(bytes)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(reason) }))
  })

  test('reads several large messages in a row', () => {
    const { reader, messages } = readerOf()
    for (let count = 0; count < 3; count++) {
      reader.read(clientFrame({ opcode: binary, payload: Buffer.alloc(maxMessageBytes) }))
    }
    expect(messages).toHaveLength(3)
  })
})

/** Passes a whole chunk on. */
const gather = (writer: FrameWriter, chunk: Buffer, work: () => void) =>
  writer.gather(chunk, () => {
    work()
    return chunk.length
  })

/** A writer whose output is flushed at once, or by `flush`. */
function writerOf({ isTaken = true } = {}) {
  const written: Buffer[] = []
  let flush = () => {}
  const output = new Writable({
    // Copied, because the source may be reused.
    write: (bytes: Buffer, _, done) => {
      written.push(Buffer.from(bytes))
      if (isTaken) {
        done()
      } else {
        flush = done
      }
    },
  })
  const frames = () => serverFrames(Buffer.concat(written))
  return { writer: new FrameWriter(output), output, frames, written, flush: () => flush() }
}

/** Messages that a client would decode from frames. */
function messagesOf(frames: ReturnType<typeof serverFrames>): string[] {
  const messages: string[] = []
  let pieces: Buffer[] = []
  for (const { opcode, isFinal, payload } of frames) {
    expect(opcode).toBe(pieces.length === 0 ? binary : continuation)
    pieces.push(payload)
    if (isFinal) {
      messages.push(Buffer.concat(pieces).toString('latin1'))
      pieces = []
    }
  }
  expect(pieces).toEqual([])
  return messages
}

describe('a writer', () => {
  test('writes binary messages from the events of a reader, however they were split, and leaves out empty messages', () => {
    fc.assert(
      fc.property(sent, cuts, ({ bytes, messages }, sizes) => {
        const { writer, frames } = writerOf()
        const reader = new FrameReader(maxMessageBytes, {
          message: (piece, isLast) => writer.message(piece, isLast),
          control: () => {},
        })
        for (const chunk of chunksOf(bytes, sizes)) {
          gather(writer, chunk, () => reader.read(chunk))
        }
        expect(messagesOf(frames())).toEqual(
          messages.filter(({ length }) => length > 0).map((each) => each.toString('latin1')),
        )
      }),
      { numRuns: runs(25) },
    )
  })

  test('joins small pieces into few fragments', () => {
    const { writer, frames } = writerOf()
    const pieces = Array.from({ length: 10_000 }, (_, index) => Buffer.alloc(100, index))
    pieces.forEach((piece, index) =>
      gather(writer, Buffer.alloc(0), () => writer.message(piece, index === pieces.length - 1)),
    )
    expect(frames().length).toBeLessThanOrEqual(Math.ceil(1_000_000 / 16_384) + 1)
    expect(messagesOf(frames())).toEqual([Buffer.concat(pieces).toString('latin1')])
  })

  test('writes many small messages as one buffer', () => {
    const { writer, written, frames } = writerOf()
    gather(writer, Buffer.alloc(0), () => {
      for (let count = 0; count < 500; count++) {
        writer.message(Buffer.from(`message ${count}`), true)
      }
    })
    expect([written.length, frames().length]).toEqual([1, 500])
  })

  test('may send a control frame within a message', () => {
    const { writer, frames } = writerOf()
    gather(writer, Buffer.alloc(0), () => writer.message(Buffer.alloc(20_000), false))
    writer.control(9, Buffer.from('alive?'))
    gather(writer, Buffer.alloc(0), () => writer.message(Buffer.from('end'), true))
    expect(frames().map(({ opcode, isFinal }) => [opcode, isFinal])).toEqual([
      [binary, false],
      [ping, true],
      [continuation, true],
    ])
  })

  const chunkOf = (bytes: number) => Buffer.from(new ArrayBuffer(bytes))

  test('frees a chunk once its output is flushed, also without an event, and not before', async () => {
    const taken = chunkOf(65_536)
    const quick = writerOf().writer
    gather(quick, taken, () => quick.message(taken, true))
    expect([taken.length, quick.bytesBehind]).toEqual([0, 0])

    const kept = chunkOf(65_536)
    const { writer: slow, output, flush } = writerOf({ isTaken: false })
    gather(slow, kept, () => slow.message(kept, true))
    slow.release()
    expect([kept.length, slow.bytesBehind]).toEqual([65_536, 65_536])
    while (output.writableLength > 0) {
      flush()
      await new Promise((resolve) => setImmediate(resolve))
    }
    gather(slow, Buffer.alloc(0), () => expect([kept.length, slow.bytesBehind]).toEqual([0, 0]))
  })

  test('copies small pieces, and frees no shared memory', () => {
    const { writer } = writerOf({ isTaken: false })
    const chunk = chunkOf(65_536)
    gather(writer, chunk, () => writer.message(chunk.subarray(0, 100), true))
    expect(chunk).toHaveLength(0)
    const part = chunkOf(65_536).subarray(1)
    gather(writer, part, () => {})
    expect(part).toHaveLength(65_535)
  })
})
