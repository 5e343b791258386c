import type { TransportName } from './hub.ts'

const newestVersion = 1
const transferFormats = {
  WebSockets: ['Text', 'Binary'],
  ServerSentEvents: ['Text'],
  LongPolling: ['Text', 'Binary'],
} as const

/** Order in which clients try the transports. */
const transportOrder: readonly TransportName[] = ['WebSockets', 'ServerSentEvents', 'LongPolling']

/** Chooses the version of the answer, or explains why there is none. */
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
 * Without a secret token, the public id is the only name of a connection, so only WebSockets are offered: over the
 * other transports anyone who knows the id could send requests for the connection.
 */
export const offered = (hasSecretToken: boolean, transports: readonly TransportName[]): readonly TransportName[] =>
  transports.filter((transport) => hasSecretToken || transport === 'WebSockets')

/** The negotiate response for a new connection. Version 0 has no secret token, and the id serves as the token. */
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
