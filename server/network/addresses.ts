import { hostname } from 'node:os'
import { isIPv4, isIPv6 } from 'node:net'
import type { NetworkDto } from '../../shared/dtos/network.ts'
import type { App } from '../call/call.ts'
import type { ServedNetwork } from './served-network.ts'
import { isEveryInterface, isLoopbackHost } from '../ground/machine.ts'

const bracketed = (host: string) => (isIPv6(host) ? `[${host}]` : host)

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 }

const originOf = (scheme: 'http' | 'https', host: string, port: number) =>
  `${scheme}://${bracketed(host)}${port === defaultPorts[scheme] ? '' : `:${port}`}`

export const serverName = () => hostname()

/** Default names of this machine. The first resolves on most networks by mDNS. */
const machineNames = () => {
  const name = hostname().toLowerCase()
  return name.includes('.') ? [name] : [`${name}.local`, name]
}

/** Names and addresses by which others may reach this machine, in order of preference. */
export function reachableNames({ names, interfaces }: Pick<ServedNetwork, 'names' | 'interfaces'>): string[] {
  const addresses = interfaces.flatMap((each) => each.addresses)
  return [
    ...new Set([
      ...names,
      ...addresses.filter(isIPv4),
      ...machineNames(),
      ...addresses.filter((address) => !isIPv4(address)),
    ]),
  ]
}

/** Listeners of a scheme that other computers can reach, without listeners that are about to close. */
export const networkListeners = ({ listeners, network }: App, wanted: 'http' | 'https') =>
  listeners
    .list()
    .filter(
      ({ scheme, host, port, problem, isFixed }) =>
        scheme === wanted && problem === null && !isLoopbackHost(host) && (isFixed || !network.closing.has(port)),
    )

/** Addresses that this server listens on or should, in the order of opening. */
export const listening = ({ listeners }: Pick<App, 'listeners'>): NetworkDto['listening'] =>
  listeners.list().map(({ scheme, host, port, problem }) => ({
    address: `${scheme}://${isEveryInterface(host) ? '*' : bracketed(host)}:${port}`,
    reach: isLoopbackHost(host) ? 'computer' : 'network',
    problem,
  }))

/**
 * Origins of a scheme at which other computers reach this server, in order of preference; without the configured public
 * address.
 */
function listenedOrigins(app: App, wanted: 'http' | 'https'): string[] {
  return networkListeners(app, wanted).flatMap(({ host, port }) =>
    (isEveryInterface(host) ? reachableNames(app.network) : [host]).map((name) => originOf(wanted, name, port)),
  )
}

const publicAddress = ({ config }: App) => config.branding.publicUrl?.replace(/\/$/, '')

/** Encrypted addresses of this server, in order of preference, for its statement and its certificate. */
export function secureAddresses(app: App): string[] {
  const configured = publicAddress(app)
  return [...new Set([...(configured?.startsWith('https:') ? [configured] : []), ...listenedOrigins(app, 'https')])]
}

/**
 * Address that mailed links begin with: the configured one, else the preferred one of the network, else the one on this
 * computer. No request and no `Host` header chooses it (T22).
 */
export function mailedOrigin(app: App): string {
  const [local] = app.listeners.list()
  return (
    publicAddress(app) ??
    secureAddresses(app)[0] ??
    plainAddresses(app)[0] ??
    originOf(local?.scheme ?? 'http', local?.host ?? 'localhost', local?.port ?? defaultPorts.http!)
  )
}

/** Encrypted origins that a content security policy can name: without IPv6 addresses, and with `localhost`. */
export const callableOrigins = (app: App): string[] => [
  ...secureAddresses(app)
    .map((address) => new URL(address).origin)
    .filter((origin) => !origin.includes('[')),
  ...networkListeners(app, 'https').map(({ port }) => originOf('https', 'localhost', port)),
]

/** Unencrypted addresses that other machines can reach. */
export const plainAddresses = (app: App): string[] => listenedOrigins(app, 'http')

/** Whether other machines can reach any listener. */
export const isReachableFromNetwork = (app: App): boolean =>
  networkListeners(app, 'https').length > 0 || networkListeners(app, 'http').length > 0

/**
 * Address for agents and invited people, based on the origin of the open page: this origin if it is encrypted or
 * configured. For a person at this machine, who opens `localhost`, the preferred network address instead.
 */
export function agentUrl(app: App, origin: string): string {
  const { protocol, hostname: host } = new URL(origin)
  if (publicAddress(app) !== undefined || (protocol === 'https:' && !isLoopbackHost(host))) {
    return origin
  }
  return secureAddresses(app)[0] ?? (isLoopbackHost(host) ? plainAddresses(app)[0] : undefined) ?? origin
}

/**
 * Whether an address leads to the certificate of this server itself. Unknown for a configured address without a
 * listener: a proxy may terminate TLS there with another certificate.
 */
export const isShownHere = (app: App, address: string): boolean =>
  listenedOrigins(app, 'https').includes(new URL(address).origin)
