import type { HubClientInvoker, HubClientSender } from '../../shared/contract/hub.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { BatchFile } from '../batches/batch-files.ts'
import type { AddressCount } from '../engines/flow/address-counts.ts'
import type { Principal } from '../ground/principal.ts'

export interface AgentClients {
  send(connectionId: string): HubClientSender<typeof agentHub>
  invoke(connectionId: string, signal?: AbortSignal): HubClientInvoker<typeof agentHub>
  /** Remote address of the agent; empty after it has disconnected. */
  addressOf(connectionId: string): string
  /** Scheme and host by which the agent reaches this server; undefined after it has disconnected. */
  originOf(connectionId: string): string | undefined
  /** Whether a call of this server to the agent waits for its result. */
  isAwaited(connectionId: string): boolean
  /** Drops the connection; the agent may reconnect. */
  disconnect(connectionId: string): void
  /** Address whose connections are closest to their limit. */
  nearest(): AddressCount | undefined
}

export interface ViewerClients {
  send(...connectionIds: string[]): HubClientSender<typeof viewerHub>
  invoke(connectionId: string, signal?: AbortSignal): HubClientInvoker<typeof viewerHub>
  isConnected(connectionId: string): boolean
  principalOf(connectionId: string): Principal | undefined
  connected(): Iterable<{ connectionId: string; principal: Principal }>
  /** True if a user has a connected viewer. */
  isOnline(userId: string): boolean
  /** Drops the connections of matching principals. */
  disconnect(matches: (principal: Principal) => boolean): void
  /** Address whose connections are closest to their limit. */
  nearest(): AddressCount | undefined
}

export interface HubsClients {
  agent: AgentClients
  viewer: ViewerClients
}

/** Agent that reads a stream. */
export interface StreamReader {
  connectionId: string
  deviceId: string
}

/** Files and streams that other servers of the database hold for a moment. */
export interface RemoteBytes {
  /** A stream that another server offers to a connection of this one. Throws 404. */
  stream(id: string, reader: StreamReader): AsyncIterable<Uint8Array>
  /** A file for batches of an owner, kept until `release`; undefined if no other server has it. */
  batchFile(owner: string, id: string): Promise<{ file: BatchFile; release: () => void } | undefined>
}

/** A session of the relay, until its end. */
export interface AnnouncedRelay {
  /** Payload bytes so far, from each end. */
  readonly requesterBytes: number
  readonly responderBytes: number
  end(reason: string): void
}

/** The relay that joins two sockets. */
export interface Relay {
  /**
   * Announces a session in which two peers may join once. Throws an Error with a sentence for a duplicate id, for too
   * many sessions of one requester or account, and after closing.
   */
  announce(session: {
    sessionId: string
    /** SHA-256 of the token that both peers present. */
    tokenHash: Buffer
    /** The only identity that may be the requester. */
    requester: string
    /** Account of the requester, with all its tokens. */
    account: string
    waitMs: number
    onStart(): void
    /** Called with each piece of a message, whose bytes are used again after the call. */
    onPiece?(from: 'requester' | 'responder', piece: Buffer, isLast: boolean): void
    /** Called once, also for a session that never began. */
    onEnd(end: { reason: string }): void
  }): AnnouncedRelay
}
