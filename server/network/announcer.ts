import { Bonjour } from 'bonjour-service'
import type { Log } from '../ground/log.ts'
import { paceAnswers, type AnsweringSocket } from './paced-answers.ts'

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

interface Running {
  bonjour: Bonjour
  endPace: () => void
}

const multicastPort = 5353
/** Only machines with many virtual networks have more. */
const mostNetworks = 8
const goodbyeMs = 1_000

/** Makes an announcer (mDNS, DNS-SD). A network without multicast is logged once and otherwise ignored. */
export function createAnnouncer(log: Log, { port = multicastPort } = {}): Announcer {
  let running: Running[] = []
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
  // A separate socket per network: the library sends only on the interface of the default route.
  const open = (address: string) => {
    const options = { interface: address, bind: '0.0.0.0', port }
    const bonjour = new Bonjour(options, fail)
    // bonjour-service does not handle errors of its socket, and an unhandled error would end the process.
    const socket = bonjour['server'].mdns as AnsweringSocket
    socket.on('error', fail)
    // Malformed packets from other machines are warnings, too: only system errors concern this machine.
    socket.on('warning', (error: Error) => 'syscall' in error && fail(error))
    return { bonjour, endPace: paceAnswers(socket) }
  }
  const close = ({ bonjour, endPace }: Running) =>
    new Promise<void>((resolve) => {
      endPace()
      const limit = setTimeout(resolve, goodbyeMs)
      bonjour.unpublishAll(() =>
        bonjour.destroy(() => {
          clearTimeout(limit)
          resolve()
        }),
      )
    })
  const closeAll = async () => {
    const ending = running
    running = []
    key = ''
    await Promise.all(ending.map(close))
  }
  return {
    announce({ service, name, host, port: servicePort, facts }, addresses) {
      const wanted = JSON.stringify([service, name, host, servicePort, facts, addresses])
      if (wanted === key) {
        return
      }
      void closeAll()
      key = wanted
      problem = null
      running = addresses.slice(0, mostNetworks).map(open)
      for (const { bonjour } of running) {
        // The name is unique already; the library's probe would only write to the console.
        bonjour.publish({ type: service, name, host: `${host}.local`, port: servicePort, txt: facts, probe: false })
      }
    },
    withdraw: closeAll,
    get problem() {
      return problem
    },
  }
}
