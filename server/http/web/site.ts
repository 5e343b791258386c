import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { AppError, badRequest, forbidden } from '../../errors.ts'
import { isLoopbackHost } from '../../machine.ts'
import { isEncrypted, nameIn, requestSite, unmapped } from './request.ts'

export interface SiteOptions {
  /** Origins whose pages count as our own. */
  trustedOrigins?: readonly string[]
  /** The configured address of this service, if any. */
  publicUrl: string | undefined
  /** Host names that this service answers to; `*` stands for any. */
  allowedHosts: readonly string[]
  /** The addresses that it listens on: the same array until they change. */
  listening: () => readonly { host: string; port: number }[]
  /** Further names of ours that an administrator gave, or this machine has. */
  ownNames?: () => readonly string[]
  /** Whether nobody has an account yet: then only names that are surely ours are answered to. */
  isUnclaimed?: () => boolean
}

/** Which requests were meant for us, and the address that links to us start with. */
export interface Site {
  /** Throws 400 for a request whose host no address can be made of. */
  checkReadable(request: IncomingMessage): void
  /** Throws 421 for a request to a name that is not ours, 400 for one that is not readable. */
  checkHost(request: IncomingMessage): void
  /** Throws 403 for a request that a page of another site makes, unless it is trusted. */
  checkOrigin(request: IncomingMessage): void
  /** The request was made by our own page, or a trusted one: what a write or a socket with a cookie has to prove. */
  isOwn(request: IncomingMessage): boolean
  /**
   * Scheme and host for links: the configured address, or the one the request came to. Never a host name that the
   * client chose.
   */
  originFor(request: IncomingMessage): string
  /** Scheme and host for mailed links: the port is the listener's, because the reader of a mail did not choose one. */
  mailOriginFor(request: IncomingMessage): string
  /** The same for a request that came without TLS to a port for it: where it should have come. */
  secureOriginFor(request: IncomingMessage): string
  /** Scheme and host by which the peer says that it came: good for nobody but this peer. */
  originOf(request: IncomingMessage): string
}

const bracketed = (address: string) => (address.includes(':') && !address.startsWith('[') ? `[${address}]` : address)

/** Nobody can point an address elsewhere, as a name can be. */
const isAddress = (name: string) => name.startsWith('[') || /^\d+(\.\d+){3}$/.test(name)

/** Some names match the form of a host and are none, such as a name with port 99999. */
const isReadable = (host: string) => URL.canParse(`http://${host}`)

const matches = (pattern: string, name: string) =>
  pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : pattern === name

/** What is made of a value, made anew when that is another one. */
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

export function createSite({
  publicUrl,
  allowedHosts,
  listening: addresses,
  ownNames = () => none,
  isUnclaimed = () => false,
  trustedOrigins = [],
}: SiteOptions): Site {
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
  // No other machine can reach an address on loopback, but DNS rebinding would make any page count as ours, also while
  // other addresses are there for the network: a page of the internet could try passwords here. As long as nobody has an
  // account it would make the page of a stranger the first to register.
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
  const surelyOurs = (request: IncomingMessage) => {
    const { host = '' } = request.headers
    return isReadable(host) && isKnown(request, nameIn(host)) ? host : ownHostOf(request)
  }
  const checkReadable = ({ headers: { host } }: IncomingMessage) => {
    if (host !== undefined && !isReadable(host)) {
      throw badRequest('The Host header is not readable.')
    }
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
          'This server does not answer to that name: add it on the Network page, or set Service_Branding__PublicUrl to it.',
        )
      }
    },
    checkOrigin(request) {
      if (siteOf(request) === 'foreign') {
        throw forbidden('This request comes from another site.')
      }
    },
    isOwn: (request) => siteOf(request) === 'own',
    originFor: (request) => configured ?? `${schemeOf(request)}://${surelyOurs(request)}`,
    mailOriginFor(request) {
      const name = nameIn(surelyOurs(request))
      return configured ?? new URL(`${schemeOf(request)}://${name}:${request.socket.localPort}`).origin
    },
    secureOriginFor: (request) => `https://${surelyOurs(request)}`,
    originOf(request) {
      const { host = '', 'x-forwarded-proto': forwarded } = request.headers
      const scheme = forwarded === 'https' ? forwarded : schemeOf(request)
      return `${scheme}://${nameIn(host) === '' ? ownHostOf(request) : host.toLowerCase()}`
    },
  }
}
