import { Agent, type RequestOptions } from 'node:https'
import { Duplex } from 'node:stream'
import { originOf } from './tls-socket.ts'

/** Opens a connection to an origin whose server has proved that it is ours. */
export type ConnectProved = (origin: string) => Promise<Duplex>

/**
 * Makes `https` and `ws` use authenticated connections to our server only: neither the system's CAs nor host names
 * count.
 */
export class TrustedAgent extends Agent {
  readonly #connect: ConnectProved

  constructor(connect: ConnectProved) {
    super()
    this.#connect = connect
  }

  override createConnection(
    { host, port }: RequestOptions,
    onCreated?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect(originOf(host ?? '', Number(port))).then(
      (socket) => onCreated?.(null, socket),
      // The type requires a socket, which the caller ignores after an error.
      (error: Error) => onCreated?.(error, new Duplex()),
    )
  }
}
