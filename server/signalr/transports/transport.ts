import type { TransportName } from '../hub.ts'
import type { Payload } from '../protocol/messages.ts'

/** A pipe of bytes in both directions. Towards the client every write holds whole messages and stays in one piece. */
export interface Transport {
  readonly name: TransportName
  readonly carriesBinary: boolean
  /** Open all the time, so that pings bridge idle times and its end is prompt. Long polling is not. */
  readonly isContinuous: boolean
  /** Whether the client receives what is written now; false between two polls. */
  readonly isReachable: boolean
  /** How payloads are marked on the wire, where that can be told apart. Text until a handshake chose otherwise. */
  format: 'Text' | 'Binary'
  /** Bytes that wait for a slow network; `TransportPeer.drained` follows once it has taken them. */
  readonly bufferedBytes: number
  /** While a write is under way: a mark that changes with each write the network takes. Else undefined. */
  readonly writeMark: number | undefined
  write(payload: Payload): void
  /** Flushes what was written, then closes in an orderly way. `TransportPeer.transportClosed` follows. */
  end(): void
  /** Drops the peer and whatever was not sent yet. `TransportPeer.transportClosed` follows. */
  destroy(): void
  /** Once a second. */
  tick?(now: number): void
}

/** The other side of a transport: the connection. */
export interface TransportPeer {
  /**
   * Hands over what was received. When a promise comes back, nothing more should be handed over before it resolves.
   * It never rejects.
   */
  receive(chunk: Buffer): Promise<void> | undefined
  /** The network has taken what was buffered. */
  drained(): void
  /** The transport has closed; `isClean` when that was orderly and not a loss of the connection. */
  transportClosed(isClean: boolean): void
}
