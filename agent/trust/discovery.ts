import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import multicastDns, { type ResponsePacket } from 'multicast-dns'
import { deferred } from '../../shared/deferred.ts'
import { announcedService, Pin, SignedAddresses } from '../../shared/server-identity.ts'
import { plainText } from '../base/plain-text.ts'
import { originOf } from './tls-socket.ts'

/** Announcement of a server on the network: an untrusted hint that any host can send. */
export interface Announcement {
  name: string
  authority: Pin | undefined
  /** Origins, starting with the announcement's source address. */
  origins: string[]
  /** Whether the server has signed the announcement. */
  isSigned?: boolean
}

const mostInterfaces = 16
/** Limits per search and per source, so that a source with many announcements or addresses leaves room for others. */
const mostSources = 64
const mostOfSource = 4
const mostOrigins = 8
/**
 * Maximum number of records in each half of a reply. A server needs a name, a location, its properties and its
 * addresses.
 */
const mostRecords = 64

/** Returns one address per network interface; queries are sent from each. */
const ownAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((entries) => entries?.find(({ family }) => family === 'IPv4')?.address ?? [])
    .slice(0, mostInterfaces)

const serviceType = `_${announcedService}._tcp.local`

interface Announced {
  name: string
  port: number
  addresses: string[]
  facts: Record<string, string>
}

/** A text of a record, `key=value`, in two parts. */
function factOf(text: string | Buffer): [string, string] {
  const [key = '', ...value] = String(text).split('=')
  return [key, value.join('=')]
}

/** The services that a reply announces: their records name each other (RFC 6763 section 4). */
function servicesIn({ answers, additionals }: ResponsePacket): Announced[] {
  const records = [...answers.slice(0, mostRecords), ...additionals.slice(0, mostRecords)]
  const named = (name: string) =>
    records.filter((record) => record.name.toLowerCase() === name.toLowerCase() && 'ttl' in record && record.ttl !== 0)
  return named(serviceType).flatMap((pointer) => {
    const own = pointer.type === 'PTR' ? named(pointer.data) : []
    const place = own.find((record) => record.type === 'SRV')
    if (!place) {
      return []
    }
    const texts = own.flatMap((record) => (record.type === 'TXT' ? [record.data].flat() : []))
    return {
      name: place.name.split('.')[0] ?? '',
      port: place.data.port,
      addresses: named(place.data.target).flatMap((record) =>
        record.type === 'A' || record.type === 'AAAA' ? record.data : [],
      ),
      facts: Object.fromEntries(texts.map(factOf)),
    }
  })
}

function read({ name, port, addresses, facts }: Announced, source: string): Announcement {
  // Link-local IPv6 addresses need an interface, which announcements do not contain.
  const usable = [source, ...addresses].filter(
    (address) => isIP(address) !== 0 && !address.toLowerCase().startsWith('fe80:'),
  )
  return {
    name: plainText(facts['name'] || name),
    authority: Pin.safeParse(facts['authority']).data,
    origins: [...new Set(usable.map((address) => originOf(address, port)))].slice(0, mostOrigins),
  }
}

/** Merges the announcements of all sources, in rounds: the first of each source come first. */
function merged(announcements: readonly Announcement[]): Announcement[] {
  const servers = new Map<string, Announcement[]>()
  for (const announcement of announcements) {
    const key = JSON.stringify([announcement.name, announcement.authority])
    servers.set(key, [...(servers.get(key) ?? []), announcement])
  }
  return [...servers.values()].flatMap((same) => {
    const ranks = Array.from({ length: mostOrigins }, (_, rank) => same.flatMap(({ origins }) => origins[rank] ?? []))
    return same.slice(0, 1).map((first) => ({ ...first, origins: [...new Set(ranks.flat())] }))
  })
}

export interface SearchOptions {
  signal?: AbortSignal
  isEnough?: (found: Announcement) => boolean
  /** Verifies the signature of the wanted server. */
  hasSigned?: (announced: SignedAddresses) => boolean
  /** UDP port of announcements. */
  port?: number
}

/** Builds an announcement from signed addresses; valid from any source. */
const announcementOf = ({ name, authority }: Announcement, { addresses }: SignedAddresses): Announcement => ({
  name,
  authority,
  origins: addresses.split(' ').slice(0, mostOrigins),
  isSigned: true,
})

/**
 * Queries all networks of this device for servers and listens until the limit; `isEnough` ends the search early.
 * Returns nothing if the system does not permit the query. A source that answers for other servers does not hide them,
 * and no source can hide signed announcements: the newest signature comes first, and older signatures are ignored.
 */
export async function findAnnounced(
  limitMs: number,
  { signal, isEnough, hasSigned, port }: SearchOptions = {},
): Promise<Announcement[]> {
  /** Announcements by source address, then by content. */
  const sources = new Map<string, Map<string, Announcement>>()
  const { promise: enough, resolve: end } = deferred<void>()
  let newest: { signed: SignedAddresses; announcement: Announcement } | undefined
  const addSigned = (announcement: Announcement, signed: SignedAddresses | undefined) => {
    const isNewer = signed && (!newest || Date.parse(signed.issued) > Date.parse(newest.signed.issued))
    if (isNewer && hasSigned?.(signed)) {
      newest = { signed, announcement: announcementOf(announcement, signed) }
      if (isEnough?.(newest.announcement)) {
        end()
      }
    }
  }
  const add = (announced: Announced, source: string) => {
    const announcement = read(announced, source)
    addSigned(announcement, SignedAddresses.safeParse(announced.facts).data)
    const said = sources.get(source) ?? new Map<string, Announcement>()
    const key = JSON.stringify([announcement.name, announcement.authority])
    const known = said.get(key)
    if ((known || said.size < mostOfSource) && (said.size > 0 || sources.size < mostSources)) {
      const origins = [...new Set([...(known?.origins ?? []), ...announcement.origins])].slice(0, mostOrigins)
      said.set(key, { ...announcement, origins })
      sources.set(source, said)
      if (isEnough?.(announcement)) {
        end()
      }
    }
  }
  const asking = ownAddresses().map((address) => {
    // Bound to the interface's address alone, the socket would receive no multicast.
    const mdns = multicastDns({ interface: address, bind: '0.0.0.0', port })
    // A port in use, for example: the other networks are asked all the same.
    mdns.on('error', () => {})
    mdns.on('response', (packet, { address: source }) => servicesIn(packet).forEach((each) => add(each, source)))
    mdns.query(serviceType, 'PTR')
    return mdns
  })
  const timer = setTimeout(end, limitMs)
  signal?.addEventListener('abort', () => end())
  await enough
  clearTimeout(timer)
  asking.forEach((mdns) => mdns.destroy())
  return [
    ...(newest ? [newest.announcement] : []),
    ...merged([...sources.values()].flatMap((said) => [...said.values()])),
  ]
}
