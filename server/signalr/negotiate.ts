import type { TransportName } from './hub.ts'

const newestVersion = 1
const transferFormats = {
  WebSockets: ['Text', 'Binary'],
  ServerSentEvents: ['Text'],
  LongPolling: ['Text', 'Binary'],
} as const

/** The order clients try them in. */
const transportOrder: readonly TransportName[] = ['WebSockets', 'ServerSentEvents', 'LongPolling']

/** The version to answer in, or why there is none. */
export function negotiateVersion(
  asked: string | undefined,
  minVersion: number,
): { version: 0 | 1 } | { error: string } {
  if (asked !== undefined && !/^[+-]?\d+$/.test(asked.trim())) {
    return { error: 'The client requested a non-integer protocol version.' }
  }
  const version = Number(asked ?? 0)
  if (version < minVersion) {
    return { error: `The client requested version '${version}', but the server does not support this version.` }
  }
  return { version: version >= newestVersion ? 1 : 0 }
}

/**
 * Where the public id is all that names a connection, only the one WebSocket it belongs to may use it: over the other
 * transports everybody who was told the id could send requests for it.
 */
export const offered = (hasSecretToken: boolean, transports: readonly TransportName[]): readonly TransportName[] =>
  transports.filter((transport) => hasSecretToken || transport === 'WebSockets')

/** What a client is told about its new connection. In version 0 there is no secret token, and the id serves as one. */
export function negotiateAnswer(
  version: 0 | 1,
  connection: { readonly id: string; readonly token: string },
  transports: readonly TransportName[],
): object {
  return {
    negotiateVersion: version,
    connectionId: connection.id,
    ...(version === 1 && { connectionToken: connection.token }),
    availableTransports: transportOrder
      .filter((transport) => offered(version === 1, transports).includes(transport))
      .map((transport) => ({ transport, transferFormats: transferFormats[transport] })),
  }
}
