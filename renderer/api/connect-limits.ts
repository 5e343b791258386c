import type { IHttpConnectionOptions } from '@microsoft/signalr'

/**
 * Options for a hub connection that ends an attempt when the network swallows it: no answer to the negotiation, or no
 * open websocket, after `ms`. Without them that takes minutes. A websocket that fails so has the other transports tried.
 * `protocolsOf` returns the subprotocols of each websocket.
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
