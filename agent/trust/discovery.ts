import { EventEmitter } from 'node:events'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Bonjour } from 'bonjour-service'
import { deferred } from '../../shared/deferred.ts'
import { announcedService, Pin, SignedAddresses } from '../../shared/server-identity.ts'
import { plainText } from '../base/plain-text.ts'
import { originOf } from './tls-socket.ts'

/** What somebody on the network says of a server: hints, and anybody can give them. */
export interface Announcement {
  name: string
  authority: Pin | undefined
  /** Origins, the one that the announcement came from first. */
  origins: string[]
  /** The server itself says so, by its signature. */
  isSigned?: boolean
}

const mostInterfaces = 16
/** Who announces many, or many addresses, leaves room for those who come after. */
const mostSources = 64
const mostOfSource = 4
const mostOrigins = 8
/** In each half of an answer. A server needs a name, a place, its facts and its addresses. */
const mostRecords = 64

/** One address of each network: a query goes out by it. */
const ownAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((entries) => entries?.find(({ family }) => family === 'IPv4')?.address ?? [])
    .slice(0, mostInterfaces)

/**
 * What the package leaves out. Errors of its socket it leaves to nobody, and then they end the process: the port may be
 * taken. And it compares all records of an answer with each other: one of a stranger with some thousands of them would keep
 * this process from everything else for half a minute.
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
  // Link-local addresses of IPv6 need to know the interface, which nobody says.
  const usable = [referer?.address ?? '', ...addresses].filter(
    (address) => isIP(address) !== 0 && !address.toLowerCase().startsWith('fe80:'),
  )
  return {
    name: plainText(typeof txt['name'] === 'string' ? txt['name'] : name),
    authority: Pin.safeParse(txt['authority']).data,
    origins: [...new Set(usable.map((address) => originOf(address, port)))].slice(0, mostOrigins),
  }
}

/** Those of all sources together, of each the first ones first. */
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
  /** Whether the server that is looked for has signed this. */
  hasSigned?: (announced: SignedAddresses) => boolean
  /** UDP port of announcements. */
  port?: number
}

/** What a server has signed, as an announcement: from wherever it came, it is what the server said. */
const announcementOf = ({ name, authority }: Announcement, { addresses }: SignedAddresses): Announcement => ({
  name,
  authority,
  origins: addresses.split(' ').slice(0, mostOrigins),
  isSigned: true,
})

/**
 * Asks all networks of this device which servers there are, and listens for so long; `isEnough` ends it early. Finds
 * nothing where the system does not let it ask. One machine that answers for others does not hide them, and nobody hides
 * what the server has signed: the newest of that comes first, and whoever repeats an older one is not heard.
 */
export async function findAnnounced(
  limitMs: number,
  { signal, isEnough, hasSigned, port }: SearchOptions = {},
): Promise<Announcement[]> {
  /** By the address that said it, then by what it announces. */
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
    // Bound to the address alone, it would not hear what is said to all.
    const options = { interface: address, bind: '0.0.0.0', disableIPv6: true, ...(port !== undefined && { port }) }
    const bonjour = new Bonjour(options, () => {})
    guard(bonjour)
    const browser = bonjour.find({ type: announcedService }, (announced: Announced) => {
      // What it has seen it would take for the same when another machine says it, whose addresses would be lost.
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
