import { afterEach, expect, test, vi } from 'vitest'
import { FairQueue } from '../../server/engines/flow/fair-queue.ts'
import { FrameReader } from '../../server/engines/flow/websocket/frame-reader.ts'
import { clientFrame } from '../support/client-frames.ts'
import { useTestRelay } from '../support/test-relay.ts'

const count = 20_000
/** Frames of a connection that are parsed without a turn. */
const most = 256

/** Every message holds its number, so that a lost or swapped one shows. */
const messages = Array.from({ length: count }, (_, index) => Buffer.from(String(index)))
const frames = Buffer.concat(messages.map((message) => clientFrame({ opcode: 2, payload: message })))

afterEach(() => void vi.restoreAllMocks())

test('a reader stops after the given number of frames, and resumes where it stopped', () => {
  const read: string[] = []
  const reader = new FrameReader(1_000, { message: (piece) => void read.push(String(piece)), control: () => {} })
  const counts: number[] = []
  // Read input is overwritten.
  const received = Buffer.from(frames)
  for (let at = 0; at < received.length;) {
    at += reader.read(received.subarray(at), most)
    counts.push(read.length)
  }
  expect(counts.map((sum, index) => sum - (counts[index - 1] ?? 0)).every((some) => some <= most)).toBe(true)
  expect(read.join()).toBe(messages.join())
})

test('a session of many small messages takes turns with other work, and keeps their order', async () => {
  const turns = vi.spyOn(FairQueue.prototype, 'add')
  const relay = await useTestRelay()
  const { other, socket } = await relay.joinRaw('requester')
  socket.write(frames)
  await other.received(count)
  expect(other.messages.map(({ data }) => String(data)).join()).toBe(messages.join())
  // A read of the system holds at most 64 KiB, about 6,000 of these frames.
  expect(turns.mock.calls.length).toBeGreaterThan(count / most / 2)
})

test('a session that ends while a rest waits for its turn closes both sides', async () => {
  const relay = await useTestRelay()
  const { other, socket, session } = await relay.joinRaw('requester')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(frames)
  socket.end(clientFrame({ opcode: 8 }))
  await other.received(1)
  session.end('enough')
  await Promise.all([closed, new Promise((resolve) => other.webSocket.once('close', resolve))])
  expect(session.isRunning).toBe(false)
})
