import { Agent, type RequestOptions } from 'node:https'
import { Duplex } from 'node:stream'
import { originOf } from './tls-socket.ts'

/** Opens a connection to an origin whose server has proved that it is ours. */
export type ConnectProved = (origin: string) => Promise<Duplex>

/** Lets `https` and `ws` speak over connections to our server and no other: neither the system's trust nor names count. */
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
      // There is no socket to hand over; with an error nobody looks at it.
      (error: Error) => onCreated?.(error, new Duplex()),
    )
  }
}
