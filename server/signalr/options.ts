import type { ProtocolName, TransportName } from './hub.ts'
import type { UnprovedLimits } from './unproved-peer.ts'

/** Limits and times of one hub. The names say the unit; the defaults are those clients were built against. */
export interface HubOptions {
  /** From the attached transport to a complete handshake request. */
  handshakeTimeoutMs: number
  /** Between two pings of ours; none are sent over long polling. */
  keepAliveIntervalMs: number
  /** Without a message from a client that has pinged once. */
  clientTimeoutMs: number
  protocols: readonly ProtocolName[]
  /** One hub message with its framing. Null: no limit. */
  maxReceiveMessageBytes: number | null
  /** Values in one message, objects and lists among them: many small ones cost far more than their bytes. Null: no limit. */
  maxMessageValues: number | null
  /** Limits of each connection until the hub calls its `prove`. Undefined: every peer is known. */
  unproved: UnprovedLimits | undefined
  /** Tells clients the class and message of every error, not only of a HubException. */
  detailedErrors: boolean
  /** Items held for a method that does not read its upload stream; then the connection's input stops. */
  streamBufferCapacity: number
  /** Bytes of messages that all upload streams of one connection hold for methods that do not read them. */
  streamBufferBytes: number
  /** Streams of one client, both directions, that may be open at once. */
  maxStreams: number
  /** Ordinary invocations of one client that may run at once. */
  maxParallelInvocations: number
  transports: readonly TransportName[]
  /** WebSocket subprotocol that is chosen where a client offers it; null for none. */
  subprotocol: string | null
  /** Output held for a slow reader before sends wait. */
  transportBufferBytes: number
  /** Input held for a busy hub before the peer has to wait. */
  applicationBufferBytes: number
  /** One write that the network does not take for so long ends the connection. */
  sendTimeoutMs: number
  pollTimeoutMs: number
  /** For the peer's half of the closing, once our output is flushed. */
  socketCloseTimeoutMs: number
  /** How many connections one address may have, those included that are only negotiated; more are answered 503. */
  maxConnectionsOf: (remoteAddress: string) => number
  /** Whom an address counts as: itself, or a network whose addresses count together. */
  countedAddressOf: (remoteAddress: string) => string
  /** Negotiated but not attached, or between two polls. */
  disconnectTimeoutMs: number
  minNegotiateVersion: number
  /** How long `close()` waits for connections to end by themselves. */
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
  detailedErrors: false,
  streamBufferCapacity: 10,
  streamBufferBytes: 1_048_576,
  maxStreams: 1_000,
  maxParallelInvocations: 1,
  transports: ['WebSockets', 'ServerSentEvents', 'LongPolling'],
  subprotocol: null,
  transportBufferBytes: 65_536,
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
