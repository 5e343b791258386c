import type { Agent } from 'node:https'
import type { ReleaseKey } from '../../shared/agent-release.ts'
import { identityPath, ServerIdentityDto, type Pin } from '../../shared/server-identity.ts'
import { explainFailure } from '../base/explain.ts'
import { readIdentity } from './identity-document.ts'
import { followReleaseKeys } from './release.ts'
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
  /** Asks which key signs the agents of the server; undefined where the server names none. */
  releaseKey(): Promise<ReleaseKey | undefined>
}

/** What a device that pins no server remembers of the key that signs its agents. */
export interface ReleaseKeyMemory {
  key?: ReleaseKey | undefined
  onKey?: (key: ReleaseKey) => void
}

/** Nobody proves this document: the key that it names first is believed, and from then on what that key leads to. */
async function askReleaseKey(serverUri: string, memory: ReleaseKeyMemory) {
  const answer = await fetch(new URL(identityPath, serverUri), { redirect: 'error' })
  // Servers of another make answer with a page, or with nothing.
  const document = answer.ok ? await answer.json().catch(() => undefined) : undefined
  const named = ServerIdentityDto.safeParse(document).success ? readIdentity(document).statement.releaseKeys : undefined
  const key = followReleaseKeys(memory.key, named)
  if (key !== undefined && key !== memory.key) {
    memory.key = key
    memory.onKey?.(key)
  }
  return key
}

/** Access by address alone, as of every agent whose server has not given a key along. */
export const openAccess = (serverUri: string, releaseKey: ReleaseKeyMemory = {}): ServerAccess => ({
  origin: new URL(serverUri).origin,
  trusted: undefined,
  shownPin: undefined,
  locate: () => Promise.resolve(new URL(serverUri).origin),
  fetch: (path, request) => fetch(new URL(path, serverUri), request),
  socketOptions: {},
  relay: (websocketUri) => ({ websocketUri, server: null }),
  explain: (error) => explainFailure(serverUri, error),
  refresh: () => Promise.resolve(),
  releaseKey: () => askReleaseKey(serverUri, releaseKey),
})
