import { isIP } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'

/** Limit from the first packet to the end of the handshake. */
export const connectLimitMs = 8000

let context: SecureContext | undefined
/** Context without CAs: the system's trust is irrelevant here, and its hundred roots use memory. */
const sharedContext = () => (context ??= createSecureContext({ ca: [], minVersion: 'TLSv1.2' }))

export interface OpenOptions {
  /** TLS session to resume, from an earlier `session` event. */
  session?: Buffer | undefined
  /** Called with the TLS session for a later resumption. */
  onSession?: (session: Buffer) => void
  signal?: AbortSignal | undefined
  limitMs?: number
}

/** Origin of a host and port; adds brackets around IPv6. */
export const originOf = (host: string, port: number): string =>
  new URL(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`).origin

/**
 * Opens a TLS connection to an `https:` origin with an unauthenticated peer: the caller checks the certificate before
 * data is sent. Rejects without a connection within the limit.
 */
export function openTls(
  origin: string,
  { session, onSession, signal, limitMs = connectLimitMs }: OpenOptions = {},
): Promise<TLSSocket> {
  const { protocol, hostname, port } = new URL(origin)
  if (protocol !== 'https:') {
    return Promise.reject(new Error(`${origin} is not encrypted, so nobody can prove there who they are.`))
  }
  const host = hostname.replace(/^\[|\]$/g, '')
  const limit = AbortSignal.timeout(limitMs)
  const stop = signal ? AbortSignal.any([signal, limit]) : limit
  return new Promise((resolve, reject) => {
    stop.throwIfAborted()
    const socket = connect({
      host,
      port: Number(port || 443),
      secureContext: sharedContext(),
      // The host name is irrelevant here, and the caller verifies the issuer.
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
      ...(isIP(host) === 0 && { servername: host }),
    })
    const fail = (error: unknown) => {
      stop.removeEventListener('abort', giveUp)
      socket.destroy()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    const giveUp = () => fail(stop.reason)
    stop.addEventListener('abort', giveUp)
    // Never removed: until the socket is used, an error must not end this process.
    socket.on('error', fail)
    if (onSession) {
      socket.on('session', onSession)
    }
    socket.once('secureConnect', () => {
      stop.removeEventListener('abort', giveUp)
      resolve(socket)
    })
  })
}
