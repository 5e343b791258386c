import { Mutex } from '../../shared/mutex.ts'
import { randomBytes } from 'node:crypto'
import type { Cancel, Clock } from '../clock.ts'
import { OpenConnections } from '../http/web/open-connections.ts'
import { HttpsServer } from '../http/web/https-server.ts'
import type { HttpServer } from '../http/web/http-server.ts'
import { explainListening, listen, stopListening, urlOf } from './listen.ts'
import type { Answering, ListenAddress } from './listen.ts'
import type { Log } from '../log.ts'
import { addressesOfMachine, isEveryInterface } from '../machine.ts'
import type { ServerTls } from '../tls/server-tls.ts'

/** An address of this server. */
export interface ListenerState extends ListenAddress {
  /** As people of this machine type it. */
  url: string
  /** Given by the configuration: it is there from the start to the end. */
  isFixed: boolean
  /** Why it is not served; null while it is. */
  problem: string | null
}

interface Opened {
  state: ListenerState
  /** As it was asked for: the port may be 0. */
  asked: ListenAddress
  server?: HttpServer | HttpsServer
  connections: OpenConnections
}

interface ListenersDependencies {
  clock: Clock
  log: Log
  tls: () => Promise<ServerTls>
}

/** Time to take leave in, for connections of an address that is closed. */
const closeFrameMs = 2_000
/** Time for the last answers of a server that stops: what comes after them, the database, has to end in time too. */
const lastAnswersMs = 5_000
/** Addresses of this machine are looked at so often. */
const addressesMs = 30_000
/** A stolen key of tickets opens what was said in one such span at most. */
const ticketsMs = 12 * 60 * 60_000
const ticketKeyBytes = 48

const none: readonly string[] = []
/** Whose names of the certificate are all addresses of this machine. */
const everyInterface = '*'

/** Who asks for the names of an address. */
const askerOf = ({ host }: ListenAddress) => (isEveryInterface(host) ? everyInterface : host)

const isSame = (a: ListenAddress, b: ListenAddress) => a.scheme === b.scheme && a.host === b.host && a.port === b.port

/** The addresses that this server answers at. They open and close while it runs. */
export class Listeners {
  readonly #deps: ListenersDependencies
  readonly #cancels: Cancel[]
  #opened: Opened[] = []
  #addresses: readonly { host: string; port: number }[] = []
  #answering: Answering | undefined
  readonly #changes = new Mutex()
  /** Once an address is served with it. */
  #tls: ServerTls | undefined

  constructor(deps: ListenersDependencies) {
    this.#deps = deps
    this.#cancels = [
      deps.clock.every(addressesMs, () => void this.#changes.run(() => this.#followAddresses())),
      deps.clock.every(ticketsMs, () =>
        this.#secure().forEach((server) => server.setTicketKeys(randomBytes(ticketKeyBytes))),
      ),
    ]
  }

  /** What answers at all addresses; said before the first is opened. */
  answer(answering: Answering): void {
    this.#answering = answering
  }

  /** Every address that was opened, or was to be. */
  list(): ListenerState[] {
    return this.#opened.map(({ state }) => ({ ...state }))
  }

  /** Their hosts and ports: the same array until one opens or closes. */
  get addresses(): readonly { host: string; port: number }[] {
    return this.#addresses
  }

  /** What https addresses are called by. */
  get names(): readonly string[] {
    return this.#tls?.names ?? none
  }

  /** Whether browsers may insist on TLS for a name; see `ServerTls`. */
  isCertifiedElsewhere(name: string): boolean {
    return this.#tls?.isCertifiedElsewhere(name) === true
  }

  /**
   * Opens an address, at once and for those who come from now on. Never rejects: what is in the way stands in the state.
   * One that is open already stays as it is; one with a problem is tried again.
   */
  open(address: ListenAddress, { isFixed = false } = {}): Promise<ListenerState> {
    return this.#changes.run(async () => {
      const known = this.#find(address)
      if (known && known.state.problem === null) {
        return { ...known.state }
      }
      this.#opened = this.#opened.filter((other) => other !== known)
      const opened = await this.#open(address, isFixed, known?.state.problem)
      this.#changed([...this.#opened, opened])
      return { ...opened.state }
    })
  }

  /**
   * Closes an address. Connections that came by it are told `reason` where they can be told, and are gone when this
   * resolves, after a few seconds.
   */
  close(address: ListenAddress, reason: string): Promise<void> {
    return this.#changes.run(async () => {
      const known = this.#find(address)
      if (!known) {
        return
      }
      this.#changed(this.#opened.filter((other) => other !== known))
      const { server, connections } = known
      if (!server) {
        return
      }
      const stopped = stopListening(server)
      connections.dropSilent()
      connections.tell(reason)
      const cancel = this.#deps.clock.after(closeFrameMs, () => connections.drop())
      await stopped
      cancel()
      this.#deps.log.info({ url: known.state.url }, 'An address is not served any more.')
      await this.#forgetNames(address)
    })
  }

  /** Stops accepting at every address and waits for the requests that run; those that take long are cut off. */
  async stop(): Promise<void> {
    this.#cancels.forEach((cancel) => cancel())
    await this.#changes.run(async () => {
      const cancel = this.#deps.clock.after(lastAnswersMs, () =>
        this.#opened.forEach(({ connections }) => connections.drop()),
      )
      await Promise.all(
        this.#opened.map(async ({ server, connections }) => {
          connections.dropSilent()
          if (server) {
            await stopListening(server)
          }
        }),
      )
      cancel()
    })
  }

  #find(address: ListenAddress): Opened | undefined {
    return this.#opened.find(({ asked, state }) => isSame(asked, address) || isSame(state, address))
  }

  #changed(opened: Opened[]): void {
    this.#opened = opened
    this.#addresses = opened.map(({ state: { host, port } }) => ({ host, port }))
  }

  #secure(): HttpsServer[] {
    return this.#opened.flatMap(({ server }) => (server instanceof HttpsServer ? [server] : []))
  }

  /** What was in the way `before` is not said again. */
  async #open(asked: ListenAddress, isFixed: boolean, before: string | null | undefined): Promise<Opened> {
    const connections = new OpenConnections()
    const state = { ...asked, url: urlOf(asked), isFixed, problem: null }
    try {
      const { server, port } = await this.#listen(asked, connections)
      return { state: { ...state, port, url: urlOf({ ...asked, port }) }, asked, server, connections }
    } catch (error) {
      const problem = explainListening(error as NodeJS.ErrnoException, asked)
      if (!isFixed && problem !== before) {
        this.#deps.log.warn({ url: state.url }, problem)
      }
      return { state: { ...state, problem }, asked, connections }
    }
  }

  async #listen(address: ListenAddress, connections: OpenConnections) {
    const answering = this.#answering
    if (!answering) {
      throw new Error('Nothing answers yet.')
    }
    const { prepare } = answering
    const watched = {
      ...answering,
      prepare(server: HttpServer | HttpsServer) {
        prepare(server)
        connections.watch(server)
      },
    }
    if (address.scheme === 'http') {
      return await listen(address, watched, {})
    }
    const tls = await this.#deps.tls()
    const listening = await listen(address, watched, tls.context())
    const asker = askerOf(address)
    try {
      // Not before: a port that cannot be had is tried again and again, and nobody needs its names.
      await tls.serve(asker === everyInterface ? addressesOfMachine() : [asker], asker)
    } catch (error) {
      await stopListening(listening.server)
      throw error
    }
    if (listening.server instanceof HttpsServer) {
      listening.server.show(tls.context())
    }
    if (!this.#tls) {
      this.#tls = tls
      this.#cancels.push(tls.onChange(() => this.#secure().forEach((server) => server.show(tls.context()))))
    }
    return listening
  }

  /** The certificate is no longer for what is not served. */
  async #forgetNames(closed: ListenAddress): Promise<void> {
    const asker = askerOf(closed)
    const isOpen = this.#opened.some(({ state }) => state.scheme === 'https' && askerOf(state) === asker)
    if (closed.scheme === 'https' && !isOpen) {
      await this.#wantNames([], asker)
    }
  }

  /** A certificate that cannot be made keeps the one that there is. */
  async #wantNames(names: readonly string[], asker: string): Promise<void> {
    try {
      await this.#tls?.serve(names, asker)
    } catch (error) {
      this.#deps.log.error({ err: error }, 'No certificate could be made for the addresses of this machine.')
    }
  }

  /** The certificate is for the addresses that this machine has now. */
  async #followAddresses(): Promise<void> {
    const isNeeded = this.#opened.some(
      ({ state, server }) => server instanceof HttpsServer && isEveryInterface(state.host),
    )
    if (isNeeded) {
      await this.#wantNames(addressesOfMachine(), everyInterface)
    }
  }
}
