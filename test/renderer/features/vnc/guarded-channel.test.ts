import { expect, test, vi } from 'vitest'
import { guardedChannel } from '../../../../renderer/features/vnc/guarded-channel.ts'

test('answers that the VNC server does not read end the session at 16 MiB (T35)', () => {
  class UnreadSocket extends EventTarget {
    bufferedAmount = 0
    isClosed = false
    send = ({ length }: Uint8Array) => void (this.bufferedAmount += length)
    close = () => void (this.isClosed = true)
  }
  const socket = new UnreadSocket()
  vi.stubGlobal('WebSocket', function WebSocket() {
    return socket
  })
  const onUnread = vi.fn()
  const channel = guardedChannel('wss://localhost/relay', { onBroken() {}, onClosed() {}, onUnread })
  const answer = new Uint8Array(1024 * 1024)
  for (let count = 0; count < 16; count++) {
    channel.send(answer)
  }
  expect([onUnread.mock.calls.length, socket.isClosed]).toEqual([0, false])
  channel.send(answer)
  expect([onUnread.mock.calls.length, socket.isClosed, socket.bufferedAmount]).toEqual([1, true, 16 * answer.length])
  vi.unstubAllGlobals()
})
