import type { RawChannel } from '@novnc/novnc'
import { pageSocketProtocols } from '../../api/page-key.ts'

interface Watch {
  /** What the VNC server sent made the client stumble; the connection is closed. */
  onBroken: () => void
  /** The code of the closing, as WebSockets have it. */
  onClosed: (code: number) => void
}

/**
 * A WebSocket for noVNC. The VNC server is not trusted (T18): a message that noVNC stumbles over ends the session, and
 * not more than that.
 */
export function guardedChannel(address: string, { onBroken, onClosed }: Watch): RawChannel {
  const socket = new WebSocket(address, pageSocketProtocols())
  socket.binaryType = 'arraybuffer'
  const channel: RawChannel = {
    binaryType: 'arraybuffer',
    get protocol() {
      return socket.protocol
    },
    get readyState() {
      return socket.readyState
    },
    onopen: null,
    onmessage: null,
    onclose: null,
    onerror: null,
    send: (data) => socket.send(data),
    close: () => socket.close(),
  }
  socket.addEventListener('open', (event) => channel.onopen?.(event))
  socket.addEventListener('error', (event) => channel.onerror?.(event))
  socket.addEventListener('message', (event) => {
    try {
      channel.onmessage?.(event)
    } catch {
      onBroken()
      socket.close()
    }
  })
  socket.addEventListener('close', (event) => {
    onClosed(event.code)
    channel.onclose?.(event)
  })
  return channel
}
