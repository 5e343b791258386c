import type { Clock } from '../ground/clock.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import type { RemoteSessionKind } from '../../shared/dtos/remote-session.ts'
import type { Actor } from '../ground/actor.ts'
import { ownerOf, type Principal } from '../ground/principal.ts'

/** A session between a principal and a device, from its request to its end. */
export interface RemoteSession {
  readonly id: string
  readonly kind: RemoteSessionKind
  readonly deviceId: string
  /** The device as it was at the start: a session may end after its device is deleted. */
  readonly device: { id: string; tenantId: string; name: string; alias: string | null }
  /** Principal of the last call, among those with the same owner. */
  principal: Principal
  /** Opener of the session, for the audit log. */
  readonly actor: Actor
  /** Connection of the requesting viewer; undefined for a request over HTTP. */
  viewerConnectionId: string | undefined
  readonly startedAt: number
  /** Batch that a command belongs to. */
  readonly batchId?: string | undefined
  /** Whether a remote-control session may send input; undefined for other kinds. */
  readonly canInteract?: boolean | undefined
  /** False until both ends are connected. */
  isConnected: boolean
  /** Whether the viewer of a remote-control session has heard the device. */
  isHeard?: boolean
  bytesToDevice(): number
  bytesFromDevice(): number
  /** True while the principal's permission lasts. */
  isAllowed(): boolean
  /** Ends the session on both sides. */
  stop(reason: string): void
}

const messageWindowMs = 5 * 60_000
const previewWindowMs = 10 * 60_000

export class RemoteSessions implements Iterable<RemoteSession> {
  readonly #sessions = new Map<string, RemoteSession>()
  /** Called for each session that ends. */
  onRemoved: ((session: RemoteSession) => void) | undefined
  /** Messages to the owners of sessions, by sender. */
  readonly messages: WindowedCounts
  readonly #previews: WindowedCounts

  constructor(clock: Clock) {
    this.messages = new WindowedCounts(clock, { windowMs: messageWindowMs })
    this.#previews = new WindowedCounts(clock, { windowMs: previewWindowMs })
  }

  /** False for a duplicate id. */
  add(session: RemoteSession): boolean {
    if (this.#sessions.has(session.id)) {
      return false
    }
    this.#sessions.set(session.id, session)
    return true
  }

  /** False if the session had already ended. */
  remove(session: RemoteSession): boolean {
    if (this.#sessions.get(session.id) !== session) {
      return false
    }
    this.#sessions.delete(session.id)
    this.onRemoved?.(session)
    return true
  }

  /**
   * True unless the same owner saw the device within 10 minutes, because a page with live pictures takes one every few
   * seconds. Previews that showed nothing are counted apart, so that none of them hides the first one that did.
   */
  isFirstPreview({ principal, deviceId, bytesFromDevice }: RemoteSession): boolean {
    return this.#previews.add(`${ownerOf(principal)} ${deviceId} ${bytesFromDevice() > 0}`) === 1
  }

  get(id: string): RemoteSession | undefined {
    return this.#sessions.get(id)
  }

  [Symbol.iterator](): Iterator<RemoteSession> {
    return this.#sessions.values()
  }
}
