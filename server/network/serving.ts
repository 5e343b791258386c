import { isIPv4, isIPv6 } from 'node:net'
import { hourMs } from '../../shared/durations.ts'
import type { NetworkSettingsDto } from '../../shared/dtos/network.ts'
import { announcedService, type AnnouncedFacts } from '../../shared/server-identity.ts'
import type { App } from '../call/call.ts'
import { isLoopbackHost } from '../ground/machine.ts'
import type { OwnInterface, ReadInterfaces } from './served-network.ts'
import { networkListeners, reachableNames, secureAddresses, serverName } from './addresses.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Bridges of containers and virtual machines, and tunnels: real addresses, but rarely reachable by other computers. */
const virtual =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|podman|tun|tap|wg|utun|zt|tailscale|vEthernet|llw|awdl|bridge)/i

const isLinkLocal = (address: string) => address.startsWith('169.254.') || /^fe[89ab]/i.test(address)

/** Ranks IPv4 before IPv6, which people rarely type, and link-local addresses last. */
const rank = (address: string) => (isLinkLocal(address) ? 2 : 0) + (isIPv6(address) ? 1 : 0)

/**
 * Interfaces that lead to other computers, most likely first. Omits link-local IPv6 addresses, which need the caller's
 * interface name.
 */
function ownInterfaces(read: ReadInterfaces): OwnInterface[] {
  const found = Object.entries(read()).flatMap(([name, infos]) => {
    const addresses = (infos ?? [])
      .filter(({ address, internal }) => !internal && !(isIPv6(address) && isLinkLocal(address)))
      .map(({ address }) => address)
    return addresses.length > 0
      ? [{ name, addresses: addresses.toSorted((one, other) => rank(one) - rank(other)) }]
      : []
  })
  const order = ({ name, addresses }: OwnInterface) => (virtual.test(name) ? 4 : 0) + rank(addresses[0]!)
  return found.toSorted((one, other) => order(one) - order(other))
}

/** Interval of checks for changed addresses and retries of a taken port. */
const lookMs = 5_000
/** Interval of announcement renewals, because the announced signature expires. */
const announceMs = hourMs

/** Owner of the certificate names that come from the network. */
const certificateAsker = 'network'

/** Id of the only row, which the migration created. */
export const settingsId = 'network'

const addressAt = (port: number) => ({ scheme: 'https', host: '*', port }) as const

export const readNetworkRow = ({ models }: App) => models.NetworkSettings.findByPk(settingsId, { rejectOnEmpty: true })

export async function readNetworkSettings(app: App): Promise<NetworkSettingsDto> {
  const { isServed, port, names } = await readNetworkRow(app)
  return { isServed, port, names: JSON.parse(names) as string[] }
}

/** Whether the configuration already serves the network, which makes the switch ineffective. */
export const isServedByConfiguration = ({ config }: App) =>
  config.urls.some(({ scheme, host }) => scheme === 'https' && !isLoopbackHost(host))

/** Opens a port on all interfaces. Returns the problem as text for the page, or null. */
export async function openPort(app: App, port: number): Promise<string | null> {
  const { network } = app
  const { problem } = await app.listeners.open(addressAt(port))
  if (problem !== null) {
    network.failedPort = port
    return `${problem} Choose another port, or fix this first.`
  }
  network.failedPort = undefined
  network.closing.delete(port)
  network.ports.add(port)
  return null
}

export async function closePort(app: App, port: number): Promise<void> {
  const { network } = app
  network.ports.delete(port)
  network.closing.delete(port)
  network.failedPort = network.failedPort === port ? undefined : network.failedPort
  await app.listeners.close(addressAt(port), 'The network is no longer served at this address.')
}

/** Port that other computers reach: the opened port, or the port in the configuration. */
const openedPort = (app: App) => networkListeners(app, 'https')[0]?.port

/** Port that is open, or would be opened. */
export const servedPort = async (app: App): Promise<number> => openedPort(app) ?? (await readNetworkSettings(app)).port

/** Sorts numeric addresses first, which work without name resolution. */
const numbersFirst = (addresses: readonly string[]): string[] => {
  const origins = [...new Set(addresses.map((address) => new URL(address).origin))]
  const isNumber = (origin: string) => isIPv4(new URL(origin).hostname)
  return origins.toSorted((one, other) => Number(isNumber(other)) - Number(isNumber(one)))
}

/** Maximum length of a DNS label in UTF-8; a longer label cannot be encoded. */
const mostLabelBytes = 63

/** DNS label with a suffix; the name is cut between characters. */
export function labelOf(name: string, suffix: string): string {
  const encoder = new TextEncoder()
  const room = mostLabelBytes - encoder.encode(suffix).length
  const { read } = encoder.encodeInto(name, new Uint8Array(room))
  return name.slice(0, read) + suffix
}

/**
 * Announces the server by mDNS. The name ends in two words of the fingerprint, so that servers with the same host name
 * differ.
 */
async function announce(app: App) {
  const { network, announcer } = app
  const port = openedPort(app)
  if (port === undefined) {
    network.announcedAs = null
    void announcer.withdraw()
    return
  }
  const tls = await app.tls()
  const { words, hex } = fingerprintOf(tls.authorityPin)
  const name = labelOf(serverName().replaceAll('.', '-'), ` (${words.slice(0, 2).join(' ')})`)
  const facts: AnnouncedFacts = {
    authority: tls.authorityPin,
    name: serverName(),
    ...tls.signedAddresses(numbersFirst(secureAddresses(app))),
  }
  network.announcedAs = name
  const addresses = network.interfaces.flatMap((each) => each.addresses.filter((address) => address.includes('.')))
  announcer.announce(
    { service: announcedService, name, host: `farhand-${hex.slice(0, 12)}`, port, facts: { ...facts } },
    addresses,
  )
}

/**
 * Applies settings and interfaces to the listeners, the certificate and the announcement. With `mayClose` false,
 * listeners stay open until the response of the current request is sent.
 */
export async function followSettings(app: App, { mayClose = true } = {}): Promise<void> {
  const { network } = app
  const { isServed, port, names } = await readNetworkSettings(app)
  const interfaces = ownInterfaces(app.readInterfaces)
  const isConfigured = isServedByConfiguration(app)
  const isWanted = isServed && !isConfigured
  if (isWanted || isConfigured) {
    // The certificate covers the new names before the names are published.
    await (await app.tls()).serve(reachableNames({ names, interfaces }), certificateAsker)
    network.isNamed = true
  }
  network.interfaces = interfaces
  network.names = names
  network.problem = null
  if (isWanted && (!network.ports.has(port) || network.closing.has(port))) {
    network.problem = await openPort(app, port)
  }
  for (const other of [...network.ports, ...(network.failedPort === undefined ? [] : [network.failedPort])]) {
    if (isWanted && other === port) {
      continue
    }
    if (mayClose) {
      await closePort(app, other)
    } else {
      network.closing.add(other)
    }
  }
  if (!isWanted && !isConfigured && network.isNamed && mayClose) {
    network.isNamed = false
    await (await app.tls()).serve([], certificateAsker)
  }
  await announce(app)
}

const isSame = (one: readonly OwnInterface[], other: readonly OwnInterface[]) =>
  JSON.stringify(one) === JSON.stringify(other)

/**
 * Serves the network as configured, and follows the addresses of this machine. Returns a function that stops serving.
 */
export async function startNetwork(app: App): Promise<() => Promise<void>> {
  const { network, log, clock, announcer } = app
  const follow = () => network.changes.run(() => followSettings(app))
  await follow()
  const look = async () => {
    if (network.problem !== null || !isSame(network.interfaces, ownInterfaces(app.readInterfaces))) {
      await follow()
    }
  }
  const every = (intervalMs: number, work: () => Promise<void>) =>
    clock.every(intervalMs, () => {
      work().catch((error: unknown) => log.error({ err: error }, 'Network changes could not be applied. Retrying.'))
    })
  const cancels = [every(lookMs, look), every(announceMs, () => network.changes.run(() => announce(app)))]
  return async () => {
    cancels.forEach((cancel) => cancel())
    await network.changes.run(() => announcer.withdraw())
  }
}
