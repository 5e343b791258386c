import type { IHttpConnectionOptions } from '@microsoft/signalr'

/**
 * Options that limit each connection attempt of a hub to `ms`, for the negotiation and for the WebSocket handshake. On
 * a network that drops packets the browser's own timeout is minutes. After a WebSocket timeout SignalR tries the next
 * transport. `protocolsOf` returns the subprotocols of each WebSocket.
 */
export const connectLimits = (
  ms: number,
  protocolsOf: () => string[] = () => [],
): IHttpConnectionOptions & { WebSocket: typeof WebSocket } => ({
  timeout: ms,
  WebSocket: class extends WebSocket {
    constructor(url: string | URL, protocols: string | string[] = protocolsOf()) {
      super(url, protocols)
      const timer = setTimeout(() => this.close(), ms)
      this.addEventListener('open', () => clearTimeout(timer))
      this.addEventListener('close', () => clearTimeout(timer))
    }
  },
})
