import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import type { App, OpenRouteCall } from '../../call/call.ts'
import type { Authenticate } from '../../credentials/authenticate.ts'
import type { Relay } from '../../call/clients.ts'
import { openCluster, type Cluster, type ClusterServer } from '../../engines/cluster/cluster.ts'
import { serverIn } from '../../engines/cluster/server-in.ts'
import { Hops } from '../../engines/cluster/hop.ts'
import { defaultTimes } from '../../engines/cluster/members.ts'
import { ClusterProxy } from '../../engines/cluster/proxy.ts'
import type { ClusterSecret } from '../../engines/cluster/secret.ts'
import type { BoundGroup } from '../../engines/http/contract/router.ts'
import type { RemoteAddressOf } from '../../engines/http/web/remote-address.ts'
import type { Sealer } from '../../engines/secrets/sealer.ts'
import type { ForwardedCalls, HubServer } from '../../engines/signalr/index.ts'
import { answerAbilities } from '../../devices/agent-abilities.ts'
import { clearConnectionsExcept, clearConnectionsOf } from '../../fleet/lost-connections.ts'
import type { SharedConnections } from '../../fleet/shared-connections.ts'
import type { Clock } from '../../ground/clock.ts'
import type { Log } from '../../ground/log.ts'
import { isLoopbackHost } from '../../ground/machine.ts'
import type { HubsOfCluster } from '../hubs.ts'
import { clientsOfCluster } from './agent-calls.ts'
import { spreadAgents } from './agent-spread.ts'
import { ClusterBytes } from './cluster-bytes.ts'
import { Drain } from './drain.ts'
import { passOnByBody } from './live-bodies.ts'
import { RelayHomes } from './relay-homes.ts'
import { createForwarding, type Forwarding } from './requests.ts'
import { createViewerLinks } from './viewer-links.ts'

export interface JoinOptions {
  /** Id of this run of the server. */
  id: string
  /** Id of the database, which a copy of the database does not have. */
  databaseId: string
  redisUrl: string
  /** PEM of the authorities of Redis; undefined for those of the system. */
  redisCa: string | undefined
  /** Address of this server for the others; by default one of its own. */
  nodeUrl: string | undefined
  drainDelayMs: number
  version: string
  sealer: Sealer
  clock: Clock
  log: Log
}

/** Time limit for the question whether another server answers. */
const answeringMs = 2_000
/** By then each living server has renewed its lease in a Redis that was started anew. */
const settledMs = 2 * defaultTimes.leaseMs

/** Joins this server with others that use the same database. */
export class JoinedServers {
  readonly cluster: Cluster
  readonly remoteBytes: ClusterBytes
  readonly drain: Drain
  readonly #options: JoinOptions
  readonly #hops: Hops
  readonly #proxy: ClusterProxy
  readonly #relayHomes: RelayHomes
  #app: App | undefined
  #viewerLinks: ForwardedCalls | undefined
  #isKnown = false

  constructor(options: JoinOptions) {
    this.#options = options
    const { id, databaseId, sealer, clock, log, redisUrl, redisCa, version, drainDelayMs: delayMs } = options
    // Servers with other secrets, or with a copy of the database, get another name, and do not believe each other.
    const name = sealer.sign(databaseId, 'cluster').toString('hex', 0, 8)
    const secret = secretOf(sealer, databaseId)
    this.#hops = new Hops({ id, clock, secret })
    this.#proxy = new ClusterProxy({
      authorityPem: async () => (await this.#known.tls()).authorityPem,
      headersTo: (server, request) => this.#hops.headersTo(server, request, this.#addressOf(request)),
    })
    this.cluster = openCluster(
      { id, redisUrl, redisCa, prefix: `farhand:${name}:`, version, secret, clock, log },
      {
        isAnswering: (server) => this.#proxy.isAnswering(server.url, this.#hops.questionTo(server.id), answeringMs),
        gone: (server) => this.#lose(server),
        caughtUp: () => this.#known.database.catchUp(),
      },
    )
    this.#relayHomes = new RelayHomes(this.cluster, clock)
    const isPassedOn = (request: IncomingMessage) => this.#hops.of(request) !== undefined
    this.drain = new Drain({ clock, log, cluster: this.cluster, delayMs, isPassedOn })
    this.remoteBytes = new ClusterBytes({
      app: () => this.#known,
      clock,
      cluster: this.cluster,
      hops: this.#hops,
      proxy: this.#proxy,
    })
  }

  #addresses: ReadonlySet<string> = new Set()
  /** Address of the client of a request. Set before requests are served. */
  #addressOf: RemoteAddressOf = ({ socket }) => socket.remoteAddress ?? ''

  get #known(): App {
    if (!this.#app) {
      throw new Error('The server is still starting.')
    }
    return this.#app
  }

  /** Whether balancers may send requests: since the other servers can know this one, and until its drain. */
  get takesRequests(): boolean {
    return this.#isKnown && !this.drain.isRunning
  }

  /** Secret of the setup code, which all servers of the database show. */
  get setupSecret(): Buffer {
    return this.#options.sealer.sign(this.#options.databaseId, 'setup-code')
  }

  get hubs(): HubsOfCluster {
    return {
      idSuffix: `.${this.cluster.id}`,
      reach: (local) => clientsOfCluster(this.cluster, this.#options.log, local),
    }
  }

  connections({ connections }: HubServer): SharedConnections {
    const isHere = (connectionId: string) => serverIn(connectionId) === this.cluster.id
    return { isHere, isOpen: (connectionId) => connections.get(connectionId) !== undefined }
  }

  relay(relay: Relay): Relay {
    return this.#relayHomes.announcing(relay)
  }

  viewerLinks(app: App): ForwardedCalls {
    this.#viewerLinks = createViewerLinks({ app, cluster: this.cluster, hops: this.#hops, proxy: this.#proxy })
    return this.#viewerLinks
  }

  /** The address of a client: as the server that has passed a request on saw it. */
  remoteAddressOf(direct: RemoteAddressOf): RemoteAddressOf {
    this.#addressOf = direct
    return (request) => this.#hops.of(request)?.address ?? direct(request)
  }

  forwarding(app: App, groups: readonly BoundGroup<OpenRouteCall>[], authenticate: Authenticate): Forwarding {
    const { cluster } = this
    const forwarding = createForwarding({
      app,
      cluster,
      groups,
      hops: this.#hops,
      proxy: this.#proxy,
      relayHomes: this.#relayHomes,
      addressOf: this.#addressOf,
      authenticate,
      bytes: this.remoteBytes,
    })
    return { ...forwarding, around: (listener) => this.drain.around(forwarding.around(listener)) }
  }

  /** Passes requests on whose device is in their body. */
  get elsewhere() {
    return passOnByBody({ cluster: this.cluster, hops: this.#hops, proxy: this.#proxy })
  }

  /** Whether an address is that of another server, which passes requests of many clients on. */
  isServer(address: string): boolean {
    return this.#addresses.has(address)
  }

  /** Must be called with what was opened, before anything is served. */
  opened(app: App): void {
    this.#app = app
    answerAbilities(app)
  }

  /** Makes this server known to the others, once it listens. Returns a function that ends that. */
  async join(): Promise<() => Promise<void>> {
    const { clock, nodeUrl } = this.#options
    await this.cluster.join(nodeUrl ?? ownUrl(this.#known))
    this.#isKnown = true
    let wasAlone = this.cluster.isAlone
    let cancel = this.#clearLater(clock)
    const unfollow = this.cluster.onChange(() => {
      void this.#readAddresses()
      if (wasAlone && !this.cluster.isAlone) {
        cancel()
        cancel = this.#clearLater(clock)
      }
      wasAlone = this.cluster.isAlone
    })
    const spread = spreadAgents(this.#known, this.cluster)
    return async () => {
      spread.stop()
      cancel()
      unfollow()
      await this.cluster.leave()
    }
  }

  close(): void {
    this.cluster.close()
    this.#proxy.close()
  }

  /** Clears what servers have left that nobody saw: all of them ended, or Redis was away meanwhile. */
  #clearLater(clock: Clock): () => void {
    return clock.after(settledMs, () => {
      // A server that this one cannot reach may hold devices: the database knows whether it runs.
      const alive = new Set([...this.cluster.servers().map(({ id }) => id), ...this.#known.servers.running])
      if (!this.cluster.isAlone) {
        void this.#forget(() => clearConnectionsExcept(this.#known, [...alive]))
      }
    })
  }

  /** Ends what goes on with a server that is gone, and marks its devices offline. */
  #lose({ id, url }: ClusterServer): void {
    this.#viewerLinks?.forget(id)
    // A server that was started anew has the address of its last run.
    if (!this.cluster.servers().some((server) => server.url === url)) {
      this.#proxy.forget(url)
    }
    void this.#forget(() => clearConnectionsOf(this.#known, id))
  }

  async #readAddresses(): Promise<void> {
    const [, ...others] = this.cluster.servers()
    const found = others.map(({ url }) =>
      lookup(new URL(url).hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []),
    )
    this.#addresses = new Set((await Promise.all(found)).flat().map(({ address }) => address))
  }

  async #forget(clear: () => Promise<unknown>): Promise<void> {
    try {
      await clear()
    } catch (error) {
      this.#options.log.error({ err: error }, 'The devices of a server that is gone could not be marked offline.')
    }
  }
}

/** The secret of the servers of a database: their master key, for this database alone. */
function secretOf(sealer: Sealer, databaseId: string): ClusterSecret {
  const contextOf = (purpose: string) => `cluster/${databaseId}/${purpose}`
  return {
    sign: (text, purpose) => sealer.sign(text, contextOf(purpose)),
    seal: (text, purpose) => sealer.seal(text, contextOf(purpose)),
    unseal(sealed, purpose) {
      try {
        return sealer.unseal(sealed, contextOf(purpose)).toString()
      } catch {
        return undefined
      }
    },
  }
}

/** First address that other computers reach, or the first one. */
function ownUrl({ listeners }: App): string {
  const all = listeners.list().filter(({ problem }) => problem === null)
  const found = all.find(({ host }) => !isLoopbackHost(host)) ?? all[0]
  return found?.url ?? ''
}
