import type { Agent } from 'node:https'
import type { ReleaseKey } from '../../shared/agent-release.ts'
import { identityPath, ServerIdentityDto, type Pin } from '../../shared/server-identity.ts'
import { explainFailure } from '../base/explain-failure.ts'
import { readIdentity } from './identity-document.ts'
import { followReleaseKeys } from './release.ts'
import type { PinnedServer } from './pinned-server.ts'
import type { PlainRequest } from './trusted-request.ts'

/** Access to the server; all of the agent's requests use this interface. */
export interface ServerAccess {
  /** Last known origin of the server. */
  readonly origin: string
  /** Pinned identity of the server; undefined for access that trusts the address and the system's CAs. */
  readonly trusted: PinnedServer | undefined
  /** Pin of the key that the server last used; only with a pinned identity. */
  readonly shownPin: Pin | undefined
  /** Finds the server and resolves with its origin. `attempt` counts from 0 since the last connection. */
  locate(attempt: number, signal: AbortSignal): Promise<string>
  /** Works like `fetch`; paths are absolute, below the origin. */
  fetch(path: string, request?: PlainRequest): Promise<Response>
  /** Options for websockets to the server. */
  readonly socketOptions: { agent?: Agent }
  /** Address of the relay for a session, and the identity that the relay must prove. */
  relay(websocketUri: string): { websocketUri: string; server: PinnedServer | null }
  /** Explains a failed connection in one sentence. */
  explain(error: unknown): Promise<string>
  /** Fetches the server's newest statement; does nothing for unpinned access. */
  refresh(): Promise<void>
  /** Fetches the key that signs the server's agents; undefined if the server names no key. */
  releaseKey(): Promise<ReleaseKey | undefined>
}

/** Release key stored by a device without a pinned server. */
export interface ReleaseKeyMemory {
  key?: ReleaseKey | undefined
  onKey?: (key: ReleaseKey) => void
}

/**
 * Fetches the release key from an unauthenticated document: trusts the first key named, later only keys that it leads
 * to.
 */
async function askReleaseKey(serverUri: string, memory: ReleaseKeyMemory) {
  const answer = await fetch(new URL(identityPath, serverUri), { redirect: 'error' })
  // Other implementations answer with a page or an empty body.
  const document = answer.ok ? await answer.json().catch(() => undefined) : undefined
  const named = ServerIdentityDto.safeParse(document).success ? readIdentity(document).statement.releaseKeys : undefined
  const key = followReleaseKeys(memory.key, named)
  if (key !== undefined && key !== memory.key) {
    memory.key = key
    memory.onKey?.(key)
  }
  return key
}

/** Unpinned access: trusts the address and the system's CAs. */
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
