import type { RawChannel } from '@novnc/novnc'
import { pageSocketProtocols } from '../../api/page-key.ts'

/** Far above what a person types and pastes while a network is slow. */
const mostUnsentBytes = 16 * 1024 * 1024

interface Watch {
  /** Called when noVNC throws on a message; the connection closes. */
  onBroken: () => void
  /** Called when too many answers wait for a VNC server that does not read; the connection closes. */
  onUnread: () => void
  /** Called with the WebSocket close code. */
  onClosed: (code: number) => void
}

/**
 * WebSocket for noVNC. The VNC server is untrusted (T18): a message on which noVNC throws ends the session, and nothing
 * else.
 */
export function guardedChannel(address: string, { onBroken, onUnread, onClosed }: Watch): RawChannel {
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
    // The VNC server decides how often noVNC answers, and could fill memory with answers that it does not read.
    send(data) {
      if (socket.bufferedAmount < mostUnsentBytes) {
        socket.send(data)
      } else {
        socket.close()
        onUnread()
      }
    },
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
