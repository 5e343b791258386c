import { isIPv4 } from 'node:net'
import type { NetworkSettingsDto } from '../../../shared/dtos/network.ts'
import { announcedService, type AnnouncedFacts } from '../../../shared/server-identity.ts'
import type { App } from '../../call.ts'
import { isLoopbackHost } from '../../machine.ts'
import type { OwnInterface } from '../../live/served-network.ts'
import { networkListeners, reachableNames, secureAddresses, serverName } from './addresses.ts'
import { fingerprintOf } from './fingerprint.ts'
import { ownInterfaces } from './interfaces.ts'

/** How often addresses that come or go are looked for, and a port that was taken is tried again. */
const lookMs = 5_000
/** How often what is announced is looked at: its signature ends. */
const announceMs = 3_600_000

/** Whose names of the certificate are those of the network. */
const certificateAsker = 'network'

/** The one row, which the migration made. */
export const settingsId = 'network'

const addressAt = (port: number) => ({ scheme: 'https', host: '*', port }) as const

export const readNetworkRow = ({ models }: App) => models.NetworkSettings.findByPk(settingsId, { rejectOnEmpty: true })

export async function readNetworkSettings(app: App): Promise<NetworkSettingsDto> {
  const { isServed, port, names } = await readNetworkRow(app)
  return { isServed, port, names: JSON.parse(names) as string[] }
}

/** Whether the configuration already serves the network, so that the switch decides nothing. */
export const isServedByConfiguration = ({ config }: App) =>
  config.urls.some(({ scheme, host }) => scheme === 'https' && !isLoopbackHost(host))

/** Opens a port for everybody. Resolves with what is in the way, for the page, or null. */
export async function openPort(app: App, port: number): Promise<string | null> {
  const { network } = app
  const { problem } = await app.listeners.open(addressAt(port))
  if (problem !== null) {
    network.failedPort = port
    return `${problem} Choose another port, or remove what stands in the way.`
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

/** The port that other computers call: the opened one, or that of the configuration. */
const openedPort = (app: App) => networkListeners(app, 'https')[0]?.port

/** The same, or the one that would be opened. */
export const servedPort = async (app: App): Promise<number> => openedPort(app) ?? (await readNetworkSettings(app)).port

/** Addresses by number lead somewhere where names are not known, too. */
const numbersFirst = (addresses: readonly string[]): string[] => {
  const origins = [...new Set(addresses.map((address) => new URL(address).origin))]
  const isNumber = (origin: string) => isIPv4(new URL(origin).hostname)
  return origins.toSorted((one, other) => Number(isNumber(other)) - Number(isNumber(one)))
}

/** The name is one's own even among servers with the same host name: it ends in two words of the fingerprint. */
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
  const name = `${serverName().replaceAll('.', '-').slice(0, 40)} (${words.slice(0, 2).join(' ')})`
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
 * Makes the listeners, the certificate and the announcement what settings and interfaces ask for. What is to be closed
 * may stay for now: a request that came over it has to be answered first.
 */
export async function followSettings(app: App, { mayClose = true } = {}): Promise<void> {
  const { network } = app
  const { isServed, port, names } = await readNetworkSettings(app)
  const interfaces = ownInterfaces(app.readInterfaces)
  const isConfigured = isServedByConfiguration(app)
  const isWanted = isServed && !isConfigured
  if (isWanted || isConfigured) {
    // Before anyone is told of an address, the certificate is for it.
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

/** Serves the network as the settings say, and follows the addresses of this machine. Returns what ends it. */
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
      work().catch((error: unknown) =>
        log.error({ err: error }, 'The network could not be followed; it is tried again.'),
      )
    })
  const cancels = [every(lookMs, look), every(announceMs, () => network.changes.run(() => announce(app)))]
  return async () => {
    cancels.forEach((cancel) => cancel())
    await network.changes.run(() => announcer.withdraw())
  }
}
