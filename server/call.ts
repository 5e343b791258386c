import type { RestWanted } from '../shared/contract/transfer.ts'
import type { Announcer } from './announcing/announcer.ts'
import type { HubsClients, Relay } from './clients.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database.ts'
import type { Listeners } from './listening/listeners.ts'
import type { Log } from './log.ts'
import type { Mailer } from './mailer.ts'
import type { AgentBuilds } from './agent-packages/builds.ts'
import type { AgentRelease } from './agent-packages/release.ts'
import type { Mirrors } from './mirrors/index.ts'
import type { Live } from './live/index.ts'
import type { ReadInterfaces, ServedNetwork } from './live/served-network.ts'
import type { Setup } from './live/setup.ts'
import type { LiveSession } from './mirrors/sessions.ts'
import type { Models } from './models/index.ts'
import type { AuthorizationChangeLogRow } from './models/authorization-change-log.ts'
import type { Principal } from './principal.ts'
import type { Sealer } from './secrets/sealer.ts'
import type { StreamBridge } from './streams/stream-bridge.ts'
import type { TransferBudget } from './streams/transfer-budgets.ts'
import type { ReleaseKeys } from './tls/release-keys.ts'
import type { ServerTls } from './tls/server-tls.ts'

/** Everything that lives as long as the server. */
export interface App extends Mirrors, Live {
  config: Config
  version: string
  startedAt: number
  secretStore: 'keychain' | 'file'
  sealer: Sealer
  clock: Clock
  log: Log
  database: Database
  models: Models
  mail: Mailer
  agentRelease: AgentRelease
  agentBuilds: AgentBuilds
  streams: StreamBridge
  /** Memory and disk of this server for transfers. */
  transferMemory: TransferBudget
  transferDisk: TransferBudget
  hubs: HubsClients
  relay: Relay
  /** Who this server is to those who cannot see it; made when it is first asked for. */
  tls(): Promise<ServerTls>
  /** What signs the agents that this server offers. */
  releaseKeys: ReleaseKeys
  /** Whether somebody has an account here, and what the first one needs. */
  setup: Setup
  /** Where this server answers. */
  listeners: Listeners
  network: ServedNetwork
  announcer: Announcer
  readInterfaces: ReadInterfaces
}

/** Who is written in the log of changes. */
export interface Actor {
  type: AuthorizationChangeLogRow['actorPrincipalType']
  id: string | null
  remoteAddress: string | null
}

/** What a service gets: the running server, who asks, and who is written in the log. */
export interface Call {
  readonly app: App
  readonly principal: Principal
  readonly actor: Actor
}

/** What a method of the viewer hub gets besides. */
export interface ViewerContext {
  readonly viewer: {
    connectionId: string
    /** Who may come to the relay for what this viewer asks. */
    identity: string
    /** Scheme and host that the connection came to. */
    origin: string
  }
}
export type ViewerCall = Call & ViewerContext

/** The same where nobody has to be signed in. */
export type OpenCall = Omit<Call, 'principal'> & { readonly principal: Principal | undefined }

/** A principal as the log names it; somebody who is not signed in counts as the system. */
export const actorOf = (principal: Principal | undefined, remoteAddress: string | null): Actor =>
  principal
    ? { type: principal.kind === 'User' ? 'user' : 'service-account', id: principal.id, remoteAddress }
    : { type: 'system', id: null, remoteAddress }

/** What the server does by itself: bootstrap, jobs. */
export const systemCall = (app: App): OpenCall => ({ app, principal: undefined, actor: actorOf(undefined, null) })

/** The browser that a request comes from, by a cookie of its own that outlives every session. */
export interface KnownBrowser {
  /** Its id, if somebody has signed in to this account with it before. */
  idFor(userId: string): string | undefined
  remember(userId: string): void
}

/** What a route handler gets besides: its request, as far as a handler may know it. */
export interface RequestContext {
  readonly remoteAddress: string
  /** Whether the peer is a program of this machine, and none that passes on what others ask. */
  isLocal(): boolean
  /** Scheme and host for links: the configured public address, else the one that the request came to. */
  origin(): string
  /** Origin of mailed links, whose port is never the caller's. */
  mailOrigin(): string
  /** The rest of the answer alone, when the client has its beginning. */
  rest(): RestWanted | undefined
  /** Whether the client asks for the hash of the whole before its bytes. */
  isDigestWanted(): boolean
  /** Aborts when the request is answered, or its client has left. */
  closed(): AbortSignal
  /** Decides the declared access again, for work that goes on: rejects with the refusal where it has ended (T29). */
  recheck(): Promise<unknown>
  setSession(token: string | undefined, isPersistent?: boolean): void
  /** Live session of the cookie, also without the page key that using it needs. */
  cookieSession(): LiveSession | undefined
  /** Key of our own page, which a session of its sign-in is bound to. */
  readonly pageKey: string | undefined
  readonly browser: KnownBrowser
}

/** What signing in needs. */
export type VisitorCall = OpenCall & Pick<RequestContext, 'browser' | 'setSession' | 'pageKey'>
export type RouteCall = Call & RequestContext
export type OpenRouteCall = OpenCall & RequestContext
