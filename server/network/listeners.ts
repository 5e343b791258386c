import { Mutex } from '../../shared/mutex.ts'
import { randomBytes } from 'node:crypto'
import { hourMs } from '../../shared/durations.ts'
import type { Cancel, Clock } from '../ground/clock.ts'
import { OpenConnections } from '../engines/http/web/open-connections.ts'
import { HttpsServer } from '../engines/http/web/https-server.ts'
import type { HttpServer } from '../engines/http/web/http-server.ts'
import { explainListening, listen, stopListening, urlOf, type Handlers, type ListenAddress } from './listen.ts'
import type { Log } from '../ground/log.ts'
import { addressesOfMachine, isEveryInterface } from '../ground/machine.ts'
import type { ServerTls } from '../engines/tls/server-tls.ts'

export interface ListenerState extends ListenAddress {
  /** Address as typed on this machine. */
  url: string
  /** Configured, and so open during the whole run. */
  isFixed: boolean
  /** Only for windows of this computer, which know its key: browsers would warn. */
  isForDesktopWindows?: boolean
  /** Why the address is not served; null while it is. */
  problem: string | null
}

interface Opened {
  state: ListenerState
  /** Requested address: its port may be 0. */
  asked: ListenAddress
  server?: HttpServer | HttpsServer
  connections: OpenConnections
  /** Resolves once the server has stopped; undefined while it accepts. */
  stopped?: Promise<void>
}

/** Stops accepting, once; returns the promise of the stop. */
const stopAcceptingAt = (opened: Opened): Promise<void> | undefined =>
  opened.server && (opened.stopped ??= stopListening(opened.server))

interface ListenersDependencies {
  clock: Clock
  log: Log
  tls: () => Promise<ServerTls>
}

/** Time for the closing handshake of connections when an address closes. */
const closeFrameMs = 2_000
/** Time for the last responses during shutdown; the database must close within the same limit. */
const lastAnswersMs = 5_000
/** Interval of checking this machine's addresses. */
const addressesMs = 30_000
/** Rotation of ticket keys: a stolen key decrypts connections of one interval at most. */
const ticketsMs = 12 * hourMs
const ticketKeyBytes = 48

const none: readonly string[] = []
/** Requester of certificate names for all addresses of this machine. */
const everyInterface = '*'

/** Requester of certificate names for an address. */
const requesterOf = ({ host }: ListenAddress) => (isEveryInterface(host) ? everyInterface : host)

const isSame = (a: ListenAddress, b: ListenAddress) => a.scheme === b.scheme && a.host === b.host && a.port === b.port

/** The listening addresses of this server. They open and close at run time. */
export class Listeners {
  readonly #deps: ListenersDependencies
  readonly #cancels: Cancel[]
  #opened: Opened[] = []
  #addresses: readonly { host: string; port: number }[] = []
  #handlers: Handlers | undefined
  readonly #changes = new Mutex()
  /** Set once an address is served with TLS. */
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

  /** Sets the handlers of all addresses; call before the first `open`. */
  answer(handlers: Handlers): void {
    this.#handlers = handlers
  }

  /** All addresses, including those that could not be opened. */
  list(): ListenerState[] {
    return this.#opened.map(({ state }) => ({ ...state }))
  }

  /** Hosts and ports: the same array until an address opens or closes. */
  get addresses(): readonly { host: string; port: number }[] {
    return this.#addresses
  }

  /** Names of issued certificates. */
  get names(): readonly string[] {
    return this.#tls?.names ?? none
  }

  /** True if browsers may insist on TLS for a name; see `ServerTls`. */
  isCertifiedElsewhere(name: string): boolean {
    return this.#tls?.isCertifiedElsewhere(name) === true
  }

  /**
   * Opens an address. Never rejects: a problem is reported in the state. An open address stays unchanged; an address
   * with a problem is retried.
   */
  open(address: ListenAddress, { isFixed = false, isForDesktopWindows = false } = {}): Promise<ListenerState> {
    return this.#changes.run(async () => {
      const known = this.#find(address)
      if (known && known.state.problem === null) {
        return { ...known.state }
      }
      this.#opened = this.#opened.filter((other) => other !== known)
      const opened = await this.#open(address, isFixed, known?.state.problem)
      if (isForDesktopWindows) {
        opened.state.isForDesktopWindows = true
      }
      this.#changed([...this.#opened, opened])
      return { ...opened.state }
    })
  }

  /**
   * Closes an address. Its WebSockets receive `reason` in a close frame; all its connections are closed within a few
   * seconds, before this resolves.
   */
  close(address: ListenAddress, reason: string): Promise<void> {
    return this.#changes.run(async () => {
      const known = this.#find(address)
      if (!known) {
        return
      }
      this.#changed(this.#opened.filter((other) => other !== known))
      const { connections } = known
      const stopped = stopAcceptingAt(known)
      if (!stopped) {
        return
      }
      connections.dropSilent()
      connections.close(reason)
      const cancel = this.#deps.clock.after(closeFrameMs, () => connections.drop())
      await stopped
      cancel()
      this.#deps.log.info({ url: known.state.url }, 'Stopped listening on an address.')
      await this.#releaseNames(address)
    })
  }

  /** Stops accepting at every address; open connections go on. */
  stopAccepting(): void {
    this.#opened.forEach((opened) => void stopAcceptingAt(opened))
  }

  /** Stops accepting and waits for the running requests; drops them at the time limit. */
  async stop(): Promise<void> {
    this.#cancels.forEach((cancel) => cancel())
    await this.#changes.run(async () => {
      const cancel = this.#deps.clock.after(lastAnswersMs, () =>
        this.#opened.forEach(({ connections }) => connections.drop()),
      )
      await Promise.all(
        this.#opened.map(async (opened) => {
          opened.connections.dropSilent()
          await stopAcceptingAt(opened)
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

  /** Does not log the problem in `before` again. */
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
    const handlers = this.#handlers
    if (!handlers) {
      throw new Error('The listeners have no request handlers yet.')
    }
    const { prepare } = handlers
    const watched = {
      ...handlers,
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
    const requester = requesterOf(address)
    try {
      // Requested after listening: a port that cannot be opened is retried, and needs no names.
      await tls.serve(requester === everyInterface ? addressesOfMachine() : [requester], requester)
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

  /** Removes the names of a closed address from issued certificates. */
  async #releaseNames(closed: ListenAddress): Promise<void> {
    const requester = requesterOf(closed)
    const isOpen = this.#opened.some(({ state }) => state.scheme === 'https' && requesterOf(state) === requester)
    if (closed.scheme === 'https' && !isOpen) {
      await this.#requestNames([], requester)
    }
  }

  /** A failed renewal keeps the current certificate. */
  async #requestNames(names: readonly string[], requester: string): Promise<void> {
    try {
      await this.#tls?.serve(names, requester)
    } catch (error) {
      this.#deps.log.error({ err: error }, 'No certificate could be issued for the addresses of this machine.')
    }
  }

  /** Updates the certificate to the current addresses of this machine. */
  async #followAddresses(): Promise<void> {
    const isNeeded = this.#opened.some(
      ({ state, server }) => server instanceof HttpsServer && isEveryInterface(state.host),
    )
    if (isNeeded) {
      await this.#requestNames(addressesOfMachine(), everyInterface)
    }
  }
}
