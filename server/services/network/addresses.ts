import { hostname } from 'node:os'
import { isIPv4, isIPv6 } from 'node:net'
import type { NetworkDto } from '../../../shared/dtos/network.ts'
import type { App } from '../../call.ts'
import type { ServedNetwork } from '../../live/served-network.ts'
import { isEveryInterface, isLoopbackHost } from '../../machine.ts'

const bracketed = (host: string) => (isIPv6(host) ? `[${host}]` : host)

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 }

const originOf = (scheme: 'http' | 'https', host: string, port: number) =>
  `${scheme}://${bracketed(host)}${port === defaultPorts[scheme] ? '' : `:${port}`}`

/** What this server calls itself. */
export const serverName = () => hostname()

/** Names that this machine has without anybody's doing. The first one is found on most networks by mDNS. */
const machineNames = () => {
  const name = hostname().toLowerCase()
  return name.includes('.') ? [name] : [`${name}.local`, name]
}

/** Every name and address by which others may reach this machine, the best first. */
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

/** What other computers can call by this scheme; what is about to be closed no longer counts. */
export const networkListeners = ({ listeners, network }: App, wanted: 'http' | 'https') =>
  listeners
    .list()
    .filter(
      ({ scheme, host, port, problem, isFixed }) =>
        scheme === wanted && problem === null && !isLoopbackHost(host) && (isFixed || !network.closing.has(port)),
    )

/** Every address that this server listens on or should, in the order in which they were opened. */
export const listening = ({ listeners }: Pick<App, 'listeners'>): NetworkDto['listening'] =>
  listeners.list().map(({ scheme, host, port, problem }) => ({
    address: `${scheme}://${isEveryInterface(host) ? '*' : bracketed(host)}:${port}`,
    reach: isLoopbackHost(host) ? 'computer' : 'network',
    problem,
  }))

/** Origins with this scheme at which other computers find us, the best first; without the configured public address. */
function listenedOrigins(app: App, wanted: 'http' | 'https'): string[] {
  return networkListeners(app, wanted).flatMap(({ host, port }) =>
    (isEveryInterface(host) ? reachableNames(app.network) : [host]).map((name) => originOf(wanted, name, port)),
  )
}

/** The configured address of this service, as agents are given it. */
const publicAddress = ({ config }: App) => config.branding.publicUrl?.replace(/\/$/, '')

/** Encrypted addresses of this server, the best first: what its statement says and its certificate has to cover. */
export function secureAddresses(app: App): string[] {
  const configured = publicAddress(app)
  return [...new Set([...(configured?.startsWith('https:') ? [configured] : []), ...listenedOrigins(app, 'https')])]
}

/**
 * The same as far as the policy of a page can name them, which knows no IPv6 addresses; with the name by which this
 * machine reaches itself.
 */
export const callableOrigins = (app: App): string[] => [
  ...secureAddresses(app)
    .map((address) => new URL(address).origin)
    .filter((origin) => !origin.includes('[')),
  ...networkListeners(app, 'https').map(({ port }) => originOf('https', 'localhost', port)),
]

/** Addresses off this machine that are served without encryption. */
export const plainAddresses = (app: App): string[] => listenedOrigins(app, 'http')

/** Whether another machine can reach any address that we listen on. */
export const isReachableFromNetwork = (app: App): boolean =>
  networkListeners(app, 'https').length > 0 || networkListeners(app, 'http').length > 0

/**
 * The address that agents and invited people are given, from the one that the page was opened at: that one, if it is encrypted or configured.
 * A person at this machine opens `localhost`, which does not work from another one: the best address is used instead.
 */
export function agentUrl(app: App, origin: string): string {
  const { protocol, hostname: host } = new URL(origin)
  if (publicAddress(app) !== undefined || (protocol === 'https:' && !isLoopbackHost(host))) {
    return origin
  }
  return secureAddresses(app)[0] ?? (isLoopbackHost(host) ? plainAddresses(app)[0] : undefined) ?? origin
}

/**
 * Whether an address leads to the certificate that this server shows itself. Of a configured address that is nowhere
 * listened on we cannot know: something in between may end TLS, with a certificate of its own.
 */
export const isShownHere = (app: App, address: string): boolean =>
  listenedOrigins(app, 'https').includes(new URL(address).origin)
