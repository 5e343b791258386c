import { isIP } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'

/** From the first packet to the end of the handshake. */
export const connectLimitMs = 8000

let context: SecureContext | undefined
/** Without any authority: what the system trusts does not count here, and its hundred roots take memory. */
const sharedContext = () => (context ??= createSecureContext({ ca: [], minVersion: 'TLSv1.2' }))

export interface OpenOptions {
  /** To go on with, as a `session` event gave it. */
  session?: Buffer | undefined
  /** Called with what a later connection goes on with. */
  onSession?: (session: Buffer) => void
  signal?: AbortSignal | undefined
  limitMs?: number
}

/** The origin of a host that an address names, brackets of IPv6 included. */
export const originOf = (host: string, port: number): string =>
  new URL(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`).origin

/**
 * A TLS connection to an `https:` origin whose peer is not known yet: whoever asks for it checks the certificate before
 * anything is sent. Rejects when there is none within the limit.
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
      // The name does not matter, and who issued the certificate is looked at by who asked.
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
    // Stays: until somebody uses the socket, its end must not end this process.
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
