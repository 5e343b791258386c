import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { handshake, start } from './http-harness.ts'

const [text, ping] = [1, 9]
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
