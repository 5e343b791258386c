/** Limits and times of a relay. Names include the unit. */
export interface RelayOptions {
  /** Size of one message, over all its fragments. A larger message closes its sender with 1009 and ends the session. */
  maxMessageBytes: number
  /** Output buffered for a slow reader; above it, reading from the other side pauses, and pings are not answered. */
  maxBufferedBytes: number
  /** Output buffered for all peers; above it, no side buffers more than the chunk that it has. */
  maxBufferedBytesOfAll: number
  /** Wait for the partner of a peer without a timeout. */
  defaultWaitMs: number
  /** Maximum wait; also applies to a peer that requests no limit. */
  maxWaitMs: number
  pingIntervalMs: number
  /** Unanswered pings without any input from the peer. */
  maxMissedPings: number
  /** Unanswered pings of a peer with unflushed output: on a slow network, pings queue behind a large message. */
  maxMissedPingsBehindOutput: number
  /** Time for a peer's half of the closing handshake; then its socket is destroyed. */
  closeTimeoutMs: number
  /** Shorter close timeout after the announcer ends the session: buffered output is not worth waiting for. */
  orderedCloseTimeoutMs: number
  /** Requesters per principal that may wait for an announcement. */
  maxEarlyOfPrincipal: number
  /** Requesters per counted address that may wait for an announcement. */
  maxEarlyOfAddress: number
  /** Sessions per requester, announced or running: each may buffer output for either side. */
  maxSessionsOfRequester: number
  /** Sessions per account, whose requesters may be many. */
  maxSessionsOfAccount: number
  /** Ids of past sessions, which are rejected; the oldest are evicted first. */
  maxUsedIds: number
}

export const defaultOptions: RelayOptions = {
  maxMessageBytes: 64 * 1024 * 1024,
  maxBufferedBytes: 256 * 1024,
  maxBufferedBytesOfAll: 256 * 1024 * 1024,
  defaultWaitMs: 20_000,
  maxWaitMs: 300_000,
  pingIntervalMs: 30_000,
  maxMissedPings: 2,
  maxMissedPingsBehindOutput: 10,
  closeTimeoutMs: 10_000,
  orderedCloseTimeoutMs: 2_500,
  maxEarlyOfPrincipal: 20,
  maxEarlyOfAddress: 200,
  maxSessionsOfRequester: 100,
  maxSessionsOfAccount: 200,
  maxUsedIds: 10_000,
}
