/** Limits and times of a relay. The names say the unit. */
export interface RelayOptions {
  /** One message, over all its fragments. A larger one closes its sender with 1009 and ends the session. */
  maxMessageBytes: number
  /** Held for a slow reader; above it, nothing more is read from the other side, and pings are not answered. */
  maxBufferedBytes: number
  /** For the partner of a peer that names no timeout. */
  defaultWaitMs: number
  /** The longest a peer may ask for; also where it asks for no limit. */
  maxWaitMs: number
  pingIntervalMs: number
  /** Pings that a peer may leave without any sign of life. */
  maxMissedPings: number
  /** The same of one that has not taken our output: on a slow line, pings wait behind a large message. */
  maxMissedPingsBehindOutput: number
  /** For a peer's half of the closing; then its socket is destroyed. */
  closeTimeoutMs: number
  /** The same when the announcer ends the session: who may not go on gets what waits for a slow reader no longer. */
  orderedCloseTimeoutMs: number
  /** Requesters of one principal that may wait for an announcement. */
  maxEarlyOfPrincipal: number
  /** The same of one address, as the caller's is counted. */
  maxEarlyOfAddress: number
  /** Sessions of one requester, announced or running: each may hold output for either side. */
  maxSessionsOfRequester: number
  /** Ids of sessions that have been, which are refused; the oldest are forgotten first. */
  maxUsedIds: number
}

export const defaultOptions: RelayOptions = {
  maxMessageBytes: 64 * 1024 * 1024,
  maxBufferedBytes: 256 * 1024,
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
  maxUsedIds: 10_000,
}
