import type { TransportName } from '../hub.ts'
import type { Payload } from '../protocol/messages.ts'

/** A pipe of bytes in both directions. Each write towards the client holds whole messages and is not split. */
export interface Transport {
  readonly name: TransportName
  readonly carriesBinary: boolean
  /**
   * True if the transport stays open, so that pings bridge idle times and its end is detected at once. False for long
   * polling.
   */
  readonly isContinuous: boolean
  /** True if the client can receive output now; false between two polls. */
  readonly isReachable: boolean
  /** Marks payloads on the wire, if the transport distinguishes text and binary. Text until the handshake chooses. */
  format: 'Text' | 'Binary'
  /** Bytes waiting for a slow network; `TransportPeer.drained` follows once they are flushed. */
  readonly bufferedBytes: number
  /** While a write is in progress: a mark that changes with each flushed write. Otherwise undefined. */
  readonly writeMark: number | undefined
  write(payload: Payload): void
  /** Flushes the output, then closes in an orderly way. `TransportPeer.transportClosed` follows. */
  end(): void
  /** Drops the peer and all unsent output. `TransportPeer.transportClosed` follows. */
  destroy(): void
  /** Called once a second. */
  tick?(now: number): void
}

/** The other side of a transport: the connection. */
export interface TransportPeer {
  /** Receives a chunk. A returned promise asks the transport to pause until it resolves; it never rejects. */
  receive(chunk: Buffer): Promise<void> | undefined
  /** Called when the buffered output is flushed. */
  drained(): void
  /** Called when the transport has closed; `isClean` is false after a lost connection. */
  transportClosed(isClean: boolean): void
}
