import type { RemoteSessionKind } from '../../shared/dtos/remote-session.ts'
import type { Principal } from '../principal.ts'

/** Something that goes on between a principal and a device, from when it was asked for until it has ended. */
export interface RemoteSession {
  readonly id: string
  readonly kind: RemoteSessionKind
  readonly deviceId: string
  /** Who spoke last, of those that are the same owner. */
  principal: Principal
  /** Of the viewer that asked for it; undefined for a request over HTTP. */
  viewerConnectionId: string | undefined
  readonly startedAt: number
  /** Whether a remote-control session may act; undefined for the other kinds. */
  readonly canInteract?: boolean | undefined
  /** False while one of both ends is waited for. */
  isConnected: boolean
  bytesToDevice(): number
  bytesFromDevice(): number
  /** Whether the principal may go on. */
  isAllowed(): boolean
  /** Ends the work behind it, on both sides. */
  stop(reason: string): void
}

/** All that goes on now. A terminal is here from when its owner speaks to it: it may be older than this server's start. */
export class RemoteSessions implements Iterable<RemoteSession> {
  readonly #sessions = new Map<string, RemoteSession>()

  /** False when the id is taken. */
  add(session: RemoteSession): boolean {
    if (this.#sessions.has(session.id)) {
      return false
    }
    this.#sessions.set(session.id, session)
    return true
  }

  /** False when it has ended before. */
  remove(session: RemoteSession): boolean {
    return this.#sessions.get(session.id) === session && this.#sessions.delete(session.id)
  }

  get(id: string): RemoteSession | undefined {
    return this.#sessions.get(id)
  }

  [Symbol.iterator](): Iterator<RemoteSession> {
    return this.#sessions.values()
  }
}
