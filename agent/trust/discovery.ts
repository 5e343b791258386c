import { EventEmitter } from 'node:events'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Bonjour } from 'bonjour-service'
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

/**
 * Protects against two weaknesses of the package: bonjour-service does not handle socket errors, such as a port in use,
 * which would end the process; and it compares all records of a reply with each other, so that a hostile reply with
 * thousands of records would block this process for half a minute.
 */
function guard(bonjour: object): void {
  const server: unknown = Reflect.get(bonjour, 'server')
  const mdns: unknown = typeof server === 'object' && server ? Reflect.get(server, 'mdns') : undefined
  if (mdns instanceof EventEmitter) {
    mdns.on('error', () => {})
    mdns.on('response', ({ answers, additionals }: Record<'answers' | 'additionals', unknown[]>) => {
      answers.splice(mostRecords)
      additionals.splice(mostRecords)
    })
  }
}

interface Announced {
  name: string
  port: number
  addresses?: string[]
  referer?: { address: string }
  txt?: Record<string, unknown>
}

function read({ name, port, addresses = [], referer, txt = {} }: Announced): Announcement {
  // Link-local IPv6 addresses need an interface, which announcements do not contain.
  const usable = [referer?.address ?? '', ...addresses].filter(
    (address) => isIP(address) !== 0 && !address.toLowerCase().startsWith('fe80:'),
  )
  return {
    name: plainText(typeof txt['name'] === 'string' ? txt['name'] : name),
    authority: Pin.safeParse(txt['authority']).data,
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
  const add = (announced: Announced) => {
    const announcement = read(announced)
    addSigned(announcement, SignedAddresses.safeParse(announced.txt).data)
    const source = announced.referer?.address ?? ''
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
    const options = { interface: address, bind: '0.0.0.0', disableIPv6: true, ...(port !== undefined && { port }) }
    const bonjour = new Bonjour(options, () => {})
    guard(bonjour)
    const browser = bonjour.find({ type: announcedService }, (announced: Announced) => {
      // The package would treat the same service from another machine as a duplicate, and drop its addresses.
      browser.services.length = 0
      add(announced)
    })
    return bonjour
  })
  const timer = setTimeout(end, limitMs)
  signal?.addEventListener('abort', () => end())
  await enough
  clearTimeout(timer)
  asking.forEach((bonjour) => bonjour.destroy())
  return [
    ...(newest ? [newest.announcement] : []),
    ...merged([...sources.values()].flatMap((said) => [...said.values()])),
  ]
}
