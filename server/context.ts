import type { HubClientInvoker, HubClientSender } from '../shared/contract/hub.ts'
import type { DeviceResponseDto } from '../shared/dtos/device.ts'
import type { agentHub } from '../shared/hubs/agent-hub.ts'
import type { viewerHub } from '../shared/hubs/viewer-hub.ts'
import type { Accounts } from './memory/accounts.ts'
import type { ApiKeys } from './auth/api-keys.ts'
import type { PersonalAccessTokens } from './auth/personal-access-tokens.ts'
import type { LiveSession, Sessions } from './memory/sessions.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database.ts'
import type { Log } from './log.ts'
import type { DeviceState } from './models/device.ts'
import type { Models } from './models/index.ts'
import type { Rules } from './memory/rules.ts'
import type { Sealer } from './secrets/sealer.ts'
import type { AgentRelease } from './services/agents/release.ts'
import type { DeviceTags } from './services/devices/device-tags.ts'
import type { DeviceUpdates } from './services/agents/updates.ts'
import type { Fleet } from './memory/fleet/fleet.ts'
import type { HeartbeatSubscriptions } from './memory/heartbeats.ts'
import type { ServerStats } from './services/appliance/server-stats.ts'
import type { Mailer } from './services/appliance/mailer.ts'
import type { SignIns } from './services/people/sign-in.ts'
import type { StreamBridge } from './services/remote/stream-bridge.ts'
import type { OpenTerminals } from './memory/terminals.ts'

/** What a principal proved itself with. */
export type Credential =
  | { kind: 'Session'; session: LiveSession }
  | { kind: 'BearerToken' }
  | {
      kind: 'LogonToken'
      id: string
      deviceId: string
      allowedDesktopSessionIds: readonly number[] | null
      session: LiveSession
      /** The session's token, on the one request that used up the logon token. */
      cookie?: string
    }
  | { kind: 'PersonalAccessToken'; id: string; mode: 'Restricted' | 'InheritOwner' }
  | { kind: 'ServiceAccountCredential'; id: string }

/** Who asks. */
export interface Principal {
  /** A token acts for a user: it is a user with another credential. */
  kind: 'User' | 'ServiceAccount'
  /** Of the user or the service account. */
  id: string
  /** Null for a server service account, which names the tenant in each request. */
  tenantId: string | null
  /** User or account name, shown to people. */
  name: string
  /** An unrestricted server service account: no rule applies to it. */
  isUnrestricted: boolean
  credential: Credential
  /** Whether the credential still works; asked again before each hub call and each push. */
  isLive(): boolean
}

/** Typed calls to agents. */
export interface AgentClients {
  send(connectionId: string): HubClientSender<typeof agentHub>
  invoke(connectionId: string, signal?: AbortSignal): HubClientInvoker<typeof agentHub>
  /** Drops the connection; the agent may come back. */
  disconnect(connectionId: string): void
}

/** Typed calls to viewers. */
export interface ViewerClients {
  send(...connectionIds: string[]): HubClientSender<typeof viewerHub>
  /** Every viewer that is connected now. */
  connected(): Iterable<{ connectionId: string; principal: Principal }>
  /** Whether a user has a viewer open. */
  isOnline(userId: string): boolean
  /** Ends the connections of some principals. */
  disconnect(matches: (principal: Principal) => boolean): void
}

/** Everything that lives as long as the server. */
export interface App {
  config: Config
  version: string
  startedAt: number
  secretStore: 'keychain' | 'file'
  sealer: Sealer
  clock: Clock
  log: Log
  database: Database
  models: Models
  rules: Rules
  accounts: Accounts
  sessions: Sessions
  apiKeys: ApiKeys
  personalAccessTokens: PersonalAccessTokens
  signIns: SignIns
  mail: Mailer
  fleet: Fleet
  /** Single tags of devices. */
  deviceTags: DeviceTags
  updates: DeviceUpdates
  heartbeats: HeartbeatSubscriptions
  streams: StreamBridge
  terminals: OpenTerminals
  stats: ServerStats
  agentRelease: AgentRelease
  /** A device as the wire shows it. */
  presentDevice: (device: DeviceState) => DeviceResponseDto
  hubs: { agent: AgentClients; viewer: ViewerClients }
}

/** What a route handler receives. */
export interface Context {
  app: App
  principal: Principal | undefined
  remoteAddress: string
  /** Scheme and host for links: the configured public address, else the one that the request came to. */
  origin(): string
  /** Aborts when the request is answered, or its client has left. */
  closed(): AbortSignal
  setSession(token: string | undefined, isPersistent?: boolean): void
}
