import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { decodeEnvelope, encodeMessage } from '../../../../shared/remote-control/codec.ts'
import { messages } from '../../../../shared/remote-control/messages.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop } from './memory-desktop.ts'
import { runQuietly, startRelay } from './scene.ts'

describe('a hostile viewer', () => {
  const attack = async (bytes: Uint8Array) => {
    const relay = await startRelay()
    const desktop = new MemoryDesktop([10, 10])
    const ended = runQuietly(desktop, relay.uri)
    const socket = new WebSocket(relay.uri)
    socket.on('error', () => {})
    await once(socket, 'open')
    socket.send(bytes)
    const end = await ended
    relay.stop()
    return { end, desktop }
  }

  test.each([
    ['text', Buffer.from('hello there')],
    ['a list that claims four billion items', Buffer.from('ddffffffff', 'hex')],
    ['a float where a button belongs', patched()],
    ['a message that ends in the middle', encodeMessage('TypeText', { text: 'abc' }, 1n).subarray(0, 20)],
  ])('that sends %s is dropped, and all keys are released', async (_, bytes) => {
    const { end, desktop } = await attack(bytes)
    expect(end.by).toBe('connection')
    expect(end.reason).toContain('could not be read')
    expect([desktop.actions, desktop.isClosed]).toEqual([[['release']], true])
  })

  test('that sends absurd acks gets its next picture all the same', async () => {
    const relay = await startRelay()
    const ended = runQuietly(new MemoryDesktop([10, 10]), relay.uri)
    const socket = new WebSocket(relay.uri)
    let pictures = 0
    socket.on('message', (bytes: Buffer) => {
      pictures += decodeEnvelope(bytes).dtoType === messages.ScreenRegions.number ? 1 : 0
    })
    await once(socket, 'open')
    await until(() => pictures === 1)
    for (const least of [true, false]) {
      const [number, time] = least ? [-0x80000000, -(2n ** 63n)] : [0x7fffffff, 2n ** 63n - 1n]
      socket.send(encodeMessage('Ack', { receivedSize: number, sendTimestamp: time, waitingFrames: number }, 1n))
    }
    socket.send(encodeMessage('RequestKeyFrame', {}, 1n))
    await until(() => pictures > 1)
    relay.stop()
    await ended
  })

  test('that sends a message of 17 MB is dropped', async () => {
    const { end } = await attack(Buffer.alloc(17 * 1024 * 1024))
    expect(end.by).toBe('connection')
  })
})

/** Click whose button is encoded as the float 1. */
function patched(): Uint8Array {
  const bytes = Buffer.from(
    encodeMessage('MouseClick', { button: 0x7fffffff, isDoubleClick: false, normalizedX: 0, normalizedY: 0 }, 1n),
  )
  bytes[bytes.indexOf('ce7fffffff', 'hex')] = 0xca
  return bytes
}
