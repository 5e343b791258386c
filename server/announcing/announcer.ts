import { Bonjour } from 'bonjour-service'
import type { Log } from '../log.ts'
import { paceAnswers, type AnsweringSocket } from './paced-answers.ts'

export interface Announcement {
  /** Kind of the service: `farhand` is `_farhand._tcp`. */
  service: string
  /** What people see in a list of services; has to be unlike every other on the network. */
  name: string
  /** Name below `.local` that stands for this machine's addresses, unlike every other too. */
  host: string
  port: number
  facts: Record<string, string>
}

export interface Announcer {
  /** Announces this on the networks of these own IPv4 addresses, and no longer what was announced before. */
  announce(announcement: Announcement, addresses: readonly string[]): void
  /** Says good-bye; resolves when that is sent, or cannot be. */
  withdraw(): Promise<void>
  /** Why the last announcement may not be heard; null while nothing failed. */
  readonly problem: string | null
}

interface Running {
  bonjour: Bonjour
  endPace: () => void
}

const multicastPort = 5353
/** More networks than this have only machines that make virtual ones. */
const mostNetworks = 8
const goodbyeMs = 1_000

/** Makes an announcer (mDNS, DNS-SD). A network that takes no multicast is logged once and hurts nobody. */
export function createAnnouncer(log: Log, { port = multicastPort } = {}): Announcer {
  let running: Running[] = []
  let key = ''
  let problem: string | null = null
  let hasComplained = false

  const fail = (error: Error) => {
    problem = error.message
    if (!hasComplained) {
      hasComplained = true
      log.warn({ err: error }, 'The server cannot announce itself on the network; it works without.')
    }
  }
  // One for each network: the library sends through one interface alone, that of the default route.
  const open = (address: string) => {
    const options = { interface: address, bind: '0.0.0.0', port }
    const bonjour = new Bonjour(options, fail)
    // The library has no listener of its own for this one, and an error that nobody hears ends the process.
    const socket = bonjour['server'].mdns as AnsweringSocket
    socket.on('error', fail)
    // What anybody sends and nobody can read is a warning, too: it says nothing of this machine.
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
        // The name is unique by itself: the library's own question whether it is taken would only write to the console.
        bonjour.publish({ type: service, name, host: `${host}.local`, port: servicePort, txt: facts, probe: false })
      }
    },
    withdraw: closeAll,
    get problem() {
      return problem
    },
  }
}
