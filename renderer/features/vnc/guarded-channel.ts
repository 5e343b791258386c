import type { RawChannel } from '@novnc/novnc'
import { pageSocketProtocols } from '../../api/page-key.ts'

interface Watch {
  /** Called when noVNC throws on a message; the connection closes. */
  onBroken: () => void
  /** Called with the WebSocket close code. */
  onClosed: (code: number) => void
}

/**
 * WebSocket for noVNC. The VNC server is untrusted (T18): a message on which noVNC throws ends the session, and nothing
 * else.
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
