import fc from 'fast-check'
import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { FrameSplitter } from '../../server/signalr/transports/websocket-frames.ts'
import { until } from '../support/until.ts'
import { handshake, start } from './http-harness.ts'
import { runs } from '../support/night.ts'

const [text, binary, close, ping] = [1, 2, 8, 9]
const mask = Buffer.from([0x12, 0x34, 0x56, 0x78])

interface Frame {
  opcode: number
  payload: Buffer
  isFinal?: boolean
}

const masked = (payload: Buffer) => payload.map((byte, index) => byte ^ (mask[index % 4] as number))

function headOf({ opcode, isFinal = true }: Omit<Frame, 'payload'>, length: number): Buffer {
  const first = (isFinal ? 0x80 : 0) | opcode
  if (length < 126) {
    return Buffer.from([first, 0x80 | length, ...mask])
  }
  const long = length < 65_536 ? Buffer.alloc(2) : Buffer.alloc(8)
  long.writeUIntBE(length, Math.max(0, long.length - 6), Math.min(6, long.length))
  return Buffer.from([first, 0x80 | (long.length === 2 ? 126 : 127), ...long, ...mask])
}

const frame = (each: Frame) => Buffer.concat([headOf(each, each.payload.length), masked(each.payload)])

/** Reads whole frames, as the library would. */
function read(bytes: Buffer): { opcode: number; isFinal: boolean; payload: Uint8Array }[] {
  const frames = []
  for (let at = 0; at < bytes.length;) {
    const short = (bytes[at + 1] as number) & 0x7f
    const long = short < 126 ? 0 : short === 126 ? 2 : 8
    const length = long === 0 ? short : bytes.readUIntBE(at + 2 + Math.max(0, long - 6), Math.min(6, long))
    const key = bytes.subarray(at + 2 + long, at + 6 + long)
    const payload = bytes.subarray(at + 6 + long, at + 6 + long + length)
    expect(payload).toHaveLength(length)
    const first = bytes[at] as number
    frames.push({
      opcode: first & 0x0f,
      isFinal: first >= 0x80,
      payload: payload.map((byte, index) => byte ^ (key[index % 4] as number)),
    })
    at += 6 + long + length
  }
  return frames
}

const payloads = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.integer({ min: 120, max: 70_000 }).map((length) => new Uint8Array(length).map((_, index) => index * 7)),
)
const messages = fc.array(
  fc.record({ opcode: fc.constantFrom(text, binary), parts: fc.array(payloads, { minLength: 1, maxLength: 3 }) }),
  { minLength: 1, maxLength: 6 },
)

/** Sizes of consecutive chunks; some are as large as Node reads at once. */
const cuts = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 5 }), fc.integer({ min: 5_000, max: 80_000 }))
  .map(([small, large]) => [...small, large])

test('however messages are cut and fragmented, the library gets all their bytes in whole messages', () => {
  fc.assert(
    fc.property(messages, cuts, (sent, sizes) => {
      const bytes = Buffer.concat(
        sent.flatMap(({ opcode, parts }) =>
          parts.flatMap((part, index) => [
            frame({
              opcode: index === 0 ? opcode : 0,
              isFinal: index === parts.length - 1,
              payload: Buffer.from(part),
            }),
            // A ping is allowed between two fragments.
            frame({ opcode: ping, payload: Buffer.from('p') }),
          ]),
        ),
      )
      const splitter = new FrameSplitter()
      const got: Buffer[] = []
      for (let at = 0, cut = 0; at < bytes.length; cut++) {
        const end = at + (sizes[cut % sizes.length] as number)
        const pieces = splitter.split(Buffer.from(bytes.subarray(at, end)))
        // Whole after each chunk: nothing is buffered inside the library.
        got.push(
          ...read(Buffer.concat(pieces)).map(({ opcode, isFinal, payload }) => {
            expect(isFinal).toBe(true)
            return opcode === ping ? Buffer.alloc(0) : Buffer.from(payload)
          }),
        )
        at = end
      }
      const all = Buffer.concat(sent.flatMap(({ parts }) => parts.map((part) => Buffer.from(part))))
      expect(Buffer.concat(got).equals(all)).toBe(true)
    }),
    { numRuns: runs(40) },
  )
})

test('a chunk of whole messages is passed on unchanged', () => {
  const chunk = Buffer.concat([
    frame({ opcode: text, payload: Buffer.from('a') }),
    frame({ opcode: close, payload: Buffer.from([3, 232]) }),
  ])
  const [piece, ...more] = new FrameSplitter().split(chunk)
  expect([piece?.buffer === chunk.buffer, piece?.length, more]).toEqual([true, chunk.length, []])
})

/** A client that writes raw frames after the upgrade. */
async function open(early: Buffer = Buffer.alloc(0)) {
  const hub = await start()
  const socket = connect(hub.port, '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => {})
  const key = Buffer.alloc(16).toString('base64')
  const request = `GET /hub HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`
  socket.write(Buffer.concat([Buffer.from(request), early]))
  await until(() => received.length)
  return { ...hub, socket, received: () => Buffer.concat(received).toString('latin1') }
}

test.each<[string, Buffer]>([
  ['continues a message that was not begun', frame({ opcode: 0, payload: Buffer.from('x') })],
  [
    'begins a message inside another',
    Buffer.concat([
      frame({ opcode: text, isFinal: false, payload: Buffer.from('x') }),
      frame({ opcode: text, payload: Buffer.from('x') }),
    ]),
  ],
  ['does not mask', Buffer.from([0x81, 1, 0x78])],
  ['uses an unknown kind of frame', frame({ opcode: 3, payload: Buffer.from('x') })],
  ['fragments a ping', frame({ opcode: ping, isFinal: false, payload: Buffer.from('x') })],
  ['compresses without asking', Buffer.from([0xc1, 0x81, ...mask, 0x78])],
])('a client that %s is disconnected with 1002', async (_, bytes) => {
  const { socket, received } = await open()
  const ended = once(socket, 'end')
  socket.write(bytes)
  await ended
  expect(received().slice(-4, -2)).toBe('\x88\x02')
  expect(Buffer.from(received().slice(-2), 'latin1').readUInt16BE(0)).toBe(1002)
})

test('input sent together with the upgrade is read', async () => {
  const large = `{"type":1,"invocationId":"1","target":"Echo","arguments":["${'x'.repeat(20_000)}"]}\x1e`
  const bytes = frame({ opcode: text, payload: Buffer.from(handshake + large) })
  const { socket, received } = await open(bytes.subarray(0, 1_000))
  socket.write(bytes.subarray(1_000))
  await until(() => received().includes('"result":"xxx'))
  socket.destroy()
})

test('a giant message buffers no more than the size limit of one message', async () => {
  const { socket, received } = await open()
  socket.write(frame({ opcode: text, payload: Buffer.from(handshake) }))
  await until(() => received().includes('{}'))
  // Announces a gigabyte and sends a little more than allowed.
  socket.write(Buffer.concat([headOf({ opcode: text }, 2 ** 30), Buffer.alloc(40_000)]))
  await until(() => received().includes('"type":7'))
  expect(received()).toContain('{"type":7,"error":"Connection closed with an error.","allowReconnect":true}')
  socket.destroy()
})
