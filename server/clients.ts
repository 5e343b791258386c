import type { HubClientInvoker, HubClientSender } from '../shared/contract/hub.ts'
import type { agentHub } from '../shared/hubs/agent-hub.ts'
import type { viewerHub } from '../shared/hubs/viewer-hub.ts'
import type { Principal } from './principal.ts'

/** Typed calls to agents. */
export interface AgentClients {
  send(connectionId: string): HubClientSender<typeof agentHub>
  invoke(connectionId: string, signal?: AbortSignal): HubClientInvoker<typeof agentHub>
  /** Scheme and host by which the agent reaches this server; undefined when it is gone. */
  originOf(connectionId: string): string | undefined
  /** Drops the connection; the agent may come back. */
  disconnect(connectionId: string): void
}

/** Typed calls to viewers. */
export interface ViewerClients {
  send(...connectionIds: string[]): HubClientSender<typeof viewerHub>
  invoke(connectionId: string, signal?: AbortSignal): HubClientInvoker<typeof viewerHub>
  isConnected(connectionId: string): boolean
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

/** A session that the relay knows, until it has ended. */
export interface AnnouncedRelay {
  /** Payload bytes so far, from each end. */
  readonly requesterBytes: number
  readonly responderBytes: number
  end(reason: string): void
}

/** The relay that joins two sockets. */
export interface Relay {
  /** Lets two peers meet under an id, once. Throws an Error with a sentence for a known id, for too many sessions of one requester, and when it is closed. */
  announce(session: {
    sessionId: string
    /** SHA-256 of the token that both show. */
    tokenHash: Buffer
    /** Identity of the only one who may take the role of the requester. */
    requester: string
    waitMs: number
    onStart(): void
    /** Called once, also for a session that never began. */
    onEnd(end: { reason: string }): void
  }): AnnouncedRelay
}
