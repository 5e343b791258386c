import type { ProtocolName, TransportName } from './hub.ts'
import type { InputBudget } from '../flow/input-budget.ts'
import type { UnprovedLimits } from './unproved-peer.ts'

/** Limits and times of one hub. Names include the unit; the defaults are those of the reference server. */
export interface HubOptions {
  /** From the attached transport to a complete handshake request. */
  handshakeTimeoutMs: number
  /** Time after the last message of the server until it sends a ping; none are sent over long polling. */
  keepAliveIntervalMs: number
  /** Maximum silence of a client that has pinged once. */
  clientTimeoutMs: number
  protocols: readonly ProtocolName[]
  /** Size of one hub message with its framing. Null: no limit. */
  maxReceiveMessageBytes: number | null
  /** Values in one message, objects and lists among them: many small ones cost far more than their bytes. Null: no limit. */
  maxMessageValues: number | null
  /** Limits of each connection until the hub calls `prove`. Undefined: no limits. */
  unproved: UnprovedLimits | undefined
  /** Memory for unfinished messages of authenticated clients, by user or proved owner. Undefined: no limit. */
  unfinished: InputBudget | undefined
  /** Memory for output that authenticated clients do not read, by user or proved owner. Undefined: no limit. */
  unsent: InputBudget | undefined
  /** Sends the class and message of every error to clients, not only those of a HubException. */
  detailedErrors: boolean
  /** Items buffered for a method that does not read its upload stream; when full, reading the connection pauses. */
  streamBufferCapacity: number
  /** Bytes of messages that all upload streams of one connection buffer for methods that do not read them. */
  streamBufferBytes: number
  /** Open streams per client, in both directions. */
  maxStreams: number
  /** Concurrent ordinary invocations per client. */
  maxParallelInvocations: number
  transports: readonly TransportName[]
  /** End of every connection id and token, by which several servers find the server of a connection. */
  idSuffix: string
  /** WebSocket subprotocol selected when a client offers it; null for none. */
  subprotocol: string | null
  /** Output buffered for a slow reader before sends wait. */
  transportBufferBytes: number
  /** Output buffered for a client that does not read; more ends the connection. */
  maxUnsentBytes: number
  /** Input buffered for a busy hub before the peer has to wait. */
  applicationBufferBytes: number
  /** A single write that takes longer ends the connection. */
  sendTimeoutMs: number
  pollTimeoutMs: number
  /** Time for the peer's half of the closing handshake, once our output is flushed. */
  socketCloseTimeoutMs: number
  /**
   * Maximum number of connections per address, including negotiated connections without a transport; more are rejected
   * with 503.
   */
  maxConnectionsOf: (remoteAddress: string) => number
  /** Maps an address to the key it is counted under: itself, or its network. */
  countedAddressOf: (remoteAddress: string) => string
  /** Lifetime without a transport: after negotiation, or between two polls. */
  disconnectTimeoutMs: number
  minNegotiateVersion: number
  /** Time that `close()` gives connections to end on their own. */
  shutdownTimeoutMs: number
}

export const defaultOptions: HubOptions = {
  handshakeTimeoutMs: 15_000,
  keepAliveIntervalMs: 15_000,
  clientTimeoutMs: 30_000,
  protocols: ['json', 'messagepack'],
  maxReceiveMessageBytes: 32_768,
  maxMessageValues: null,
  unproved: undefined,
  unfinished: undefined,
  unsent: undefined,
  detailedErrors: false,
  streamBufferCapacity: 10,
  streamBufferBytes: 1_048_576,
  maxStreams: 1_000,
  maxParallelInvocations: 1,
  transports: ['WebSockets', 'ServerSentEvents', 'LongPolling'],
  idSuffix: '',
  subprotocol: null,
  transportBufferBytes: 65_536,
  maxUnsentBytes: 8_388_608,
  applicationBufferBytes: 65_536,
  sendTimeoutMs: 10_000,
  pollTimeoutMs: 90_000,
  socketCloseTimeoutMs: 5_000,
  maxConnectionsOf: () => Infinity,
  countedAddressOf: (remoteAddress) => remoteAddress,
  disconnectTimeoutMs: 15_000,
  minNegotiateVersion: 0,
  shutdownTimeoutMs: 5_000,
}
