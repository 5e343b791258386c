import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { AppError, badRequest, forbidden } from '../../../ground/errors.ts'
import { isLoopbackHost } from '../../../ground/machine.ts'
import { unmapped } from './remote-address.ts'
import { isEncrypted, nameIn, requestSite } from './request.ts'

export interface OriginsOptions {
  /** Origins whose pages count as ours. */
  trustedOrigins?: readonly string[]
  /** The configured address of this service, if any. */
  publicUrl: string | undefined
  /** Accepted host names; `*` accepts any. */
  allowedHosts: readonly string[]
  /** Listening addresses: the same array until they change. */
  listening: () => readonly { host: string; port: number }[]
  /** Further names of this server, configured or from the system. */
  ownNames?: () => readonly string[]
  /** True before the first account exists: then only certain names are accepted. */
  isUnclaimed?: () => boolean
}

/** Checks whether requests were meant for this server, and builds the origin for links. */
export interface Origins {
  /** Throws 400 for a malformed host. */
  checkReadable(request: IncomingMessage): void
  /** Throws 421 for a foreign host, 400 for a malformed host. */
  checkHost(request: IncomingMessage): void
  /** Throws 403 for a request from a page of another site, unless that site is trusted. */
  checkOrigin(request: IncomingMessage): void
  /** True if our page or a trusted page sent the request; required for writes and sockets with a cookie. */
  isOwn(request: IncomingMessage): boolean
  /**
   * Scheme and host for links: the configured address, or the address of the request. Never a host name that the client
   * chose.
   */
  originFor(request: IncomingMessage): string
  /**
   * Scheme and host for passkeys and answers of identity providers: with the listener's port, because a
   * port chosen by the client may belong to another program (T34).
   */
  siteOriginFor(request: IncomingMessage): string
  /** https origin for a request without TLS on a TLS port. */
  secureOriginFor(request: IncomingMessage): string
  /** Scheme and host claimed by the peer: only for responses to this peer. */
  originOf(request: IncomingMessage): string
}

const bracketed = (address: string) => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)

/** An address cannot be redirected by DNS, as a name can. */
const isAddress = (name: string) => name.startsWith('[') || /^\d+(\.\d+){3}$/.test(name)

/** Names may match the pattern of a host but be invalid, such as a name with port 99999. */
const isReadable = (host: string) => URL.canParse(`http://${host}`)

const matches = (pattern: string, name: string) =>
  pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : pattern === name

/** Caches a value derived from another, until the source changes. */
function derived<From, To>(read: () => From, make: (from: From) => To): () => To {
  let last: { from: From; to: To } | undefined
  return () => {
    const from = read()
    if (last?.from !== from) {
      last = { from, to: make(from) }
    }
    return last.to
  }
}

const none: readonly string[] = []

export function createOrigins({
  publicUrl,
  allowedHosts,
  listening: addresses,
  ownNames = () => none,
  isUnclaimed = () => false,
  trustedOrigins = [],
}: OriginsOptions): Origins {
  const publicHost = publicUrl && new URL(publicUrl).host
  const machine = hostname().toLowerCase()
  const standing = new Set([machine, `${machine}.local`, ...(publicHost ? [nameIn(publicHost)] : [])])
  const listening = derived(addresses, (all) => {
    const onLoopback = all.filter(({ host }) => isLoopbackHost(bracketed(host)))
    return {
      names: new Set(all.map(({ host }) => bracketed(host))),
      loopbackPorts: new Set(onLoopback.map(({ port }) => port)),
      isOnLoopback: onLoopback.length === all.length,
    }
  })
  const given = derived(ownNames, (names) => new Set(names.map(bracketed).filter((name) => !isLoopbackHost(name))))
  const patterns = allowedHosts.filter((host) => host !== '*').map((host) => host.toLowerCase())
  // No other machine can reach a loopback address, but with DNS rebinding any page would count as ours, even while
  // other addresses serve the network: a web page could try passwords here. Before the first account exists, a
  // stranger's page could register it.
  const isOnLoopback = ({ socket }: IncomingMessage) =>
    listening().isOnLoopback || listening().loopbackPorts.has(socket.localPort ?? 0)
  const acceptsAny = (request: IncomingMessage, name: string) =>
    patterns.length === 0 && !isOnLoopback(request) && (!isUnclaimed() || isAddress(name))

  const addressOf = ({ socket }: IncomingMessage) => bracketed(unmapped(socket.localAddress ?? ''))
  const isKnown = (request: IncomingMessage, name: string) => {
    const address = addressOf(request)
    return (
      name === address ||
      (isLoopbackHost(name) && isLoopbackHost(address)) ||
      standing.has(name) ||
      listening().names.has(name) ||
      given().has(name) ||
      patterns.some((pattern) => matches(pattern, name))
    )
  }
  const schemeOf = (request: IncomingMessage) => (isEncrypted(request) ? 'https' : 'http')
  const ownHostOf = (request: IncomingMessage) => `${addressOf(request)}:${request.socket.localPort}`
  const siteOf = (request: IncomingMessage) =>
    trustedOrigins.includes(request.headers.origin ?? '') ? 'own' : requestSite(request, publicHost)
  const trustedHostOf = (request: IncomingMessage) => {
    const { host = '' } = request.headers
    return isReadable(host) && isKnown(request, nameIn(host)) ? host : ownHostOf(request)
  }
  // Nearly all requests name the same host.
  let lastReadable: string | undefined
  const checkReadable = ({ headers: { host } }: IncomingMessage) => {
    if (host === lastReadable) {
      return
    }
    if (host !== undefined && !isReadable(host)) {
      throw badRequest('The Host header is malformed.')
    }
    lastReadable = host
  }
  const configured = publicUrl?.replace(/\/$/, '')
  return {
    checkReadable,
    checkHost(request) {
      checkReadable(request)
      const { host } = request.headers
      if (host !== undefined && !acceptsAny(request, nameIn(host)) && !isKnown(request, nameIn(host))) {
        throw new AppError(
          421,
          'This server has no such host name: add it on the Network page, or set Service_Branding__PublicUrl to it.',
        )
      }
    },
    checkOrigin(request) {
      if (siteOf(request) === 'foreign') {
        throw forbidden('This request comes from another site.')
      }
    },
    isOwn: (request) => siteOf(request) === 'own',
    originFor: (request) => configured ?? `${schemeOf(request)}://${trustedHostOf(request)}`,
    siteOriginFor(request) {
      const name = nameIn(trustedHostOf(request))
      // A connection that has ended has no port, and nobody reads its response.
      const { localPort = '' } = request.socket
      return configured ?? new URL(`${schemeOf(request)}://${name}:${localPort}`).origin
    },
    secureOriginFor: (request) => `https://${trustedHostOf(request)}`,
    originOf(request) {
      const { host = '', 'x-forwarded-proto': forwarded } = request.headers
      const scheme = forwarded === 'https' ? forwarded : schemeOf(request)
      return `${scheme}://${nameIn(host) === '' ? ownHostOf(request) : host.toLowerCase()}`
    },
  }
}
