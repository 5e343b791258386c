import type { RestWanted } from '../../shared/contract/transfer.ts'
import { actorAtComputer, actorOf, type Actor } from '../ground/actor.ts'
import type { Announcer } from '../network/announcer.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { HubsClients, Relay, RemoteBytes } from './clients.ts'
import type { Clock } from '../ground/clock.ts'
import type { Cluster } from '../engines/cluster/cluster.ts'
import type { Config } from '../settings/config.ts'
import type { StoredSettings } from '../settings/stored-settings.ts'
import type { Database } from '../engines/database/database.ts'
import type { Listeners } from '../network/listeners.ts'
import type { Log } from '../ground/log.ts'
import type { LogFile } from '../engines/process/log-file.ts'
import type { IdentityProviders } from '../providers/providers.ts'
import type { Mailer } from '../people/mailer.ts'
import type { AgentBuilds } from '../agents/builds.ts'
import type { AgentRelease } from '../agents/agent-release.ts'
import type { Mirrors } from './mirrors/index.ts'
import type { Live } from './live.ts'
import type { ReadInterfaces, ServedNetwork } from '../network/served-network.ts'
import type { Setup } from '../identity/setup.ts'
import type { RestoreOnly } from '../backup/restore-only.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Servers } from '../health/servers.ts'
import type { LiveSession } from '../credentials/session-mirror.ts'
import type { Models } from './models.ts'
import type { Principal } from '../ground/principal.ts'
import type { Sealer } from '../engines/secrets/sealer.ts'
import type { ConnectionLimits } from '../engines/http/web/connection-limits.ts'
import type { SocketGate } from '../engines/http/web/sockets.ts'
import type { StreamBridge } from '../engines/flow/stream-bridge.ts'
import type { TransferBudget } from '../engines/flow/transfer-budgets.ts'
import type { ReleaseKeys } from '../engines/tls/release-keys.ts'
import type { ServerTls } from '../engines/tls/server-tls.ts'
import type { UpdateHost } from '../updates/program-host.ts'

/** All components with the lifetime of the server. */
export interface App extends Mirrors, Live {
  /** The settings in force; values of stored settings change while the server runs. */
  config: Config
  storedSettings: StoredSettings
  /** Stops this server and starts it again; undefined where the host cannot. */
  restart: (() => void) | undefined
  /** File that the log is written to; undefined where it goes to the terminal. */
  logFile: LogFile | undefined
  version: string
  startedAt: number
  secretStore: 'keychain' | 'file'
  /** Reads the master key from its store; throws if the next start could not. */
  checkSecretStore(): Promise<void>
  sealer: Sealer
  servers: Servers
  /** Reaches the other servers of this database; undefined for one alone. */
  cluster: Cluster | undefined
  /** Streams and batch files held by other servers; undefined on a single server. */
  remoteBytes: RemoteBytes | undefined
  audit: AuditLog
  events: EventLog
  clock: Clock
  log: Log
  database: Database
  models: Models
  mail: Mailer
  identityProviders: IdentityProviders
  agentRelease: AgentRelease
  agentBuilds: AgentBuilds
  streams: StreamBridge
  /** Memory and disk of this server for transfers. */
  transferMemory: TransferBudget
  transferDisk: TransferBudget
  hubs: HubsClients
  relay: Relay
  sockets: SocketGate
  connectionLimits: ConnectionLimits
  /** TLS identity of this server; opened on first use. */
  tls(): Promise<ServerTls>
  releaseKeys: ReleaseKeys
  /** Set if the data cannot be opened: this server only restores a backup. */
  restoreOnly: RestoreOnly | undefined
  /** Whether the server is claimed, and the setup code for the first account. */
  setup: Setup
  listeners: Listeners
  network: ServedNetwork
  announcer: Announcer
  readInterfaces: ReadInterfaces
  /** How this copy of the program can be replaced. */
  updateHost: UpdateHost
  /** Public keys of releases of the appliance. */
  releaseTrust: readonly string[]
}

/** Context of a service call: the running server, the principal, and the actor for the log. */
export interface Call {
  readonly app: App
  readonly principal: Principal
  readonly actor: Actor
}

/** Further context of a viewer hub method. */
export interface ViewerContext {
  readonly viewer: {
    connectionId: string
    /** Identity that may join relay sessions of this viewer. */
    identity: string
    /** Scheme and host of the connection. */
    origin: string
  }
}
export type ViewerCall = Call & ViewerContext

/** A call that may be anonymous. */
export type OpenCall = Omit<Call, 'principal'> & { readonly principal: Principal | undefined }

/** A call made by the server itself: bootstrap, jobs. */
export const systemCall = (app: App): OpenCall => ({ app, principal: undefined, actor: actorOf(undefined, null) })

/** A call made by a command on the computer of the server, which the audit log names. */
export const commandCall = (app: App): OpenCall => ({ ...systemCall(app), actor: actorAtComputer })

/** Browser of a request, identified by a cookie that outlives every session. */
export interface KnownBrowser {
  /** Id of the browser, if it has signed in to this account before. */
  idFor(userId: string): string | undefined
  remember(userId: string): void
}

/** Further context of a route handler: the accessible parts of its request. */
export interface RequestContext {
  readonly remoteAddress: string
  /** `User-Agent` header. */
  readonly userAgent: string | null
  /** True for a program on this machine that is not a proxy. */
  isLocal(): boolean
  /** Scheme and host for links: the configured public address, otherwise the address of the request. */
  origin(): string
  /** Scheme and host for passkeys and answers of identity providers, with the listener's port. */
  siteOrigin(): string
  /** Requested rest of the response, if the client has its beginning. */
  rest(): RestWanted | undefined
  /** True if the client requests the hash of the whole content before its bytes. */
  isDigestWanted(): boolean
  /** Set if the client asks for server-sent events, with the last event that it got before. */
  eventStream(): { lastEventId: string | undefined } | undefined
  /** Aborts when the request is answered, or its client disconnects. */
  closed(): AbortSignal
  /** Checks the declared access again during long work: rejects once it has been revoked (T29). */
  recheck(): Promise<unknown>
  /** Names in a header what of the request was ignored. */
  nameIgnored(names: readonly string[]): void
  setSession(token: string | undefined, isPersistent?: boolean): void
  /** Live session of the cookie, even without the page key required for its use. */
  cookieSession(): LiveSession | undefined
  /** Key of our page; a session of its sign-in is bound to the key. */
  readonly pageKey: string | undefined
  readonly browser: KnownBrowser
}

/** Context of a sign-in. */
export type VisitorCall = OpenCall &
  Pick<RequestContext, 'browser' | 'setSession' | 'pageKey' | 'remoteAddress' | 'userAgent'>
export type RouteCall = Call & RequestContext
export type OpenRouteCall = OpenCall & RequestContext
