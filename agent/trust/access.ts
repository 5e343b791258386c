import type { Agent } from 'node:https'
import type { Pin } from '../../shared/server-identity.ts'
import { explainFailure } from '../base/explain.ts'
import type { TrustedServer } from './trusted-server.ts'
import type { PlainRequest } from './trusted-request.ts'

/** The only way from this device to its server. */
export interface ServerAccess {
  /** Where the server is, as far as it is known. */
  readonly origin: string
  /** Who the server is; undefined where whoever has the address, and the system's trust, is believed. */
  readonly trusted: TrustedServer | undefined
  /** The key that the server showed last; only of a trusted one. */
  readonly shownPin: Pin | undefined
  /** Finds the server and resolves with its origin. `attempt` counts from 0 since the last connection. */
  locate(attempt: number, signal: AbortSignal): Promise<string>
  /** As `fetch`; paths are absolute, below the origin. */
  fetch(path: string, request?: PlainRequest): Promise<Response>
  /** For websockets to the server. */
  readonly socketOptions: { agent?: Agent }
  /** Where the relay of this server is, that a session is to come to. */
  relay(websocketUri: string): { websocketUri: string; server: TrustedServer | null }
  /** One sentence about a failed connection. */
  explain(error: unknown): Promise<string>
  /** Asks the server for its newest statement; nothing where nothing is pinned. */
  refresh(): Promise<void>
}

/** Access by address alone, as of every agent whose server has not given a key along. */
export const openAccess = (serverUri: string): ServerAccess => ({
  origin: new URL(serverUri).origin,
  trusted: undefined,
  shownPin: undefined,
  locate: () => Promise.resolve(new URL(serverUri).origin),
  fetch: (path, request) => fetch(new URL(path, serverUri), request),
  socketOptions: {},
  relay: (websocketUri) => ({ websocketUri, server: null }),
  explain: (error) => explainFailure(serverUri, error),
  refresh: () => Promise.resolve(),
})
