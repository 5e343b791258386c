import { isIPv4 } from 'node:net'
import multicastDns, { type MulticastDNS, type QueryPacket, type ResponsePacket } from 'multicast-dns'
import { hourMs } from '../../shared/durations.ts'
import type { Log } from '../ground/log.ts'
import { addressesOfMachine } from '../ground/machine.ts'

export interface Announcement {
  /** Service type: `farhand` means `_farhand._tcp`. */
  service: string
  /** Instance name in service lists; must be unique on the network. */
  name: string
  /** Host name below `.local` for this machine's addresses, also unique. */
  host: string
  port: number
  facts: Record<string, string>
}

export interface Announcer {
  /**
   * Announces a service on the networks of these IPv4 addresses of this machine, and replaces the previous
   * announcement.
   */
  announce(announcement: Announcement, addresses: readonly string[]): void
  /** Sends goodbye packets; resolves when they are sent or have failed. */
  withdraw(): Promise<void>
  /** Why the last announcement may have failed; null without an error. */
  readonly problem: string | null
}

const multicastPort = 5353
/** Only machines with many virtual networks have more. */
const mostNetworks = 8
const goodbyeMs = 1_000

/**
 * Time between a query and its response, which is multicast with all records and so serves all queries meanwhile: one
 * malicious packet holds thousands of questions. Responders wait up to 120 ms anyway (RFC 6762 section 6).
 */
const paceMs = 100
/** Limit of questions in one packet; a real query has one or two. */
const mostQuestions = 16

/** An announcement is repeated after 3 s, and each time after thrice as long, up to this interval. */
const longestRepeatMs = hourMs

/** Lifetimes of records in seconds, as of most responders. */
const [shortTtl, textTtl, longTtl] = [120, 4_500, 28_800]

type Records = ResponsePacket['answers']

/** The records of DNS-SD (RFC 6763 section 4) that name a service, its place, its facts and the machine's addresses. */
function recordsOf({ service, name, host, port, facts }: Announcement): Records {
  const type = `_${service}._tcp.local`
  const instance = `${name.replaceAll('.', '-')}.${type}`
  const target = `${host}.local`
  const texts = Object.entries(facts).map(([key, value]) => `${key}=${value}`)
  return [
    { name: type, type: 'PTR', ttl: longTtl, data: instance },
    { name: instance, type: 'SRV', ttl: shortTtl, data: { port, target } },
    { name: instance, type: 'TXT', ttl: textTtl, data: texts },
    { name: '_services._dns-sd._udp.local', type: 'PTR', ttl: shortTtl, data: type },
    ...addressesOfMachine().map((data) => {
      const type = isIPv4(data) ? ('A' as const) : ('AAAA' as const)
      return { name: target, type, ttl: shortTtl, data }
    }),
  ]
}

const asksFor = (records: Records, { name, type }: QueryPacket['questions'][number]) =>
  records.some(
    (record) =>
      record.name.toLowerCase() === name.toLowerCase() && (type === record.type || (type as string) === 'ANY'),
  )

/** Announces records on one network, and responds to queries for them. Returns a function that ends it with a goodbye. */
function respondOn(mdns: MulticastDNS, records: Records, fail: (error: Error) => void): () => Promise<void> {
  let response: NodeJS.Timeout | undefined
  let repeat: NodeJS.Timeout | undefined
  const respond = () => {
    response = undefined
    mdns.respond(records, (error) => error && fail(error))
  }
  const announce = (nextMs: number) => {
    respond()
    repeat = nextMs < longestRepeatMs ? setTimeout(announce, nextMs, nextMs * 3).unref() : undefined
  }
  mdns.on('query', ({ questions }) => {
    if (questions.slice(0, mostQuestions).some((question) => asksFor(records, question))) {
      response ??= setTimeout(respond, paceMs)
    }
  })
  announce(3_000)
  return () =>
    new Promise((resolve) => {
      clearTimeout(repeat)
      clearTimeout(response)
      mdns.removeAllListeners('query')
      const limit = setTimeout(resolve, goodbyeMs)
      const goodbye = records.map((record) => ({ ...record, ttl: 0 }))
      mdns.respond(goodbye, () =>
        mdns.destroy(() => {
          clearTimeout(limit)
          resolve()
        }),
      )
    })
}

/** Makes an announcer (mDNS, DNS-SD). A network without multicast is logged once and otherwise ignored. */
export function createAnnouncer(log: Log, { port = multicastPort } = {}): Announcer {
  let running: (() => Promise<void>)[] = []
  let key = ''
  let problem: string | null = null
  let hasComplained = false

  const fail = (error: Error) => {
    problem = error.message
    if (!hasComplained) {
      hasComplained = true
      log.warn({ err: error }, 'mDNS announcements failed. Agents and browsers can still connect by address.')
    }
  }
  // A separate socket per network: without an interface, only the default route's is used.
  const open = (address: string, records: Records) => {
    const mdns = multicastDns({ interface: address, bind: '0.0.0.0', port })
    mdns.on('error', fail)
    // Malformed packets from other machines are warnings, too: only system errors concern this machine.
    mdns.on('warning', (error) => 'syscall' in error && fail(error))
    return respondOn(mdns, records, fail)
  }
  const closeAll = async () => {
    const ending = running
    running = []
    key = ''
    await Promise.all(ending.map((close) => close()))
  }
  return {
    announce(announcement, addresses) {
      const wanted = JSON.stringify([announcement, addresses])
      if (wanted === key) {
        return
      }
      void closeAll()
      key = wanted
      problem = null
      const records = recordsOf(announcement)
      running = addresses.slice(0, mostNetworks).map((address) => open(address, records))
    },
    withdraw: closeAll,
    get problem() {
      return problem
    },
  }
}
