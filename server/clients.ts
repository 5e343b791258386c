import type { HubClientInvoker, HubClientSender } from '../shared/contract/hub.ts'
import type { agentHub } from '../shared/hubs/agent-hub.ts'
import type { viewerHub } from '../shared/hubs/viewer-hub.ts'
import type { Principal } from './principal.ts'

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

/** The clients of both hubs. */
export interface HubsClients {
  agent: AgentClients
  viewer: ViewerClients
}
