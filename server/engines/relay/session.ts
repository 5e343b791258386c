import { timingSafeEqual } from 'node:crypto'
import type { Cancel, Clock } from '../../ground/clock.ts'
import type { FairQueue } from '../flow/fair-queue.ts'
import type { Gate } from '../flow/gate.ts'
import type { Log } from '../../ground/log.ts'
import type { RelayOptions } from './options.ts'
import { Pipe } from './pipe.ts'
import { timedOut } from './refusals.ts'
import type { Role } from './role.ts'
import type { UnreadOutput } from './side.ts'
import type { WaitingPeer } from './waiting-peer.ts'

/** End of a session, with the payload bytes received from each side. */
export interface RelayEnd {
  /**
   * The argument of `end`, or `expired`, `shutdown`, or `requester` or `responder` followed by `closed`, `lost`, `does
   * not answer`, or `failed: ` and the cause.
   */
  readonly reason: string
  readonly requesterBytes: number
  readonly responderBytes: number
}

/** Registers a session. Two peers with its id and token are joined, once. */
export interface Announcement {
  /** A GUID in any spelling. */
  sessionId: string
  /** Result of `tokenHashOf`. */
  tokenHash: Buffer
  /** The only identity that may be the requester. */
  requester: string
  /** Account of the requester, with all its tokens. */
  account: string
  /** The announcement expires then, unless both peers are connected. */
  waitMs: number
  onStart?: () => void
  /** Called with each piece of a message before it is passed on; its bytes must be copied to be stored. */
  onPiece?: (from: Role, piece: Buffer, isLast: boolean) => void
  /** Called exactly once, also for a session that never began. */
  onEnd?: (end: RelayEnd) => void
}

/** A session, as its announcer sees it. */
export interface RelaySession {
  /** In lower case with hyphens. */
  readonly sessionId: string
  readonly isRunning: boolean
  /** Payload bytes received from each side so far. */
  readonly requesterBytes: number
  readonly responderBytes: number
  /** Ends the session, running or not. Does nothing after the end. */
  end(reason: string): void
}

export interface SessionDependencies {
  sessionId: string
  announcement: Announcement
  options: RelayOptions
  /** Shared by all sessions. */
  unread: UnreadOutput
  clock: Clock
  log: Log
  queue: FairQueue
  gate: Gate
  onStart: () => void
  onEnd: () => void
  /** Called when the sockets of an ended session are closed. */
  onClosed: () => void
}

/** A session from its announcement to the end of its pipe. */
export class Session implements RelaySession {
  readonly #deps: SessionDependencies
  readonly #cancelExpiry: Cancel
  readonly #waiting = new Map<Role, WaitingPeer>()
  #pipe: Pipe | undefined
  #isEnded = false

  constructor(deps: SessionDependencies) {
    this.#deps = deps
    const { clock, announcement } = deps
    this.#cancelExpiry = clock.after(announcement.waitMs, () => this.end('expired'))
  }

  get sessionId(): string {
    return this.#deps.sessionId
  }

  get requester(): string {
    return this.#deps.announcement.requester
  }

  get hasRun(): boolean {
    return this.#pipe !== undefined
  }

  get isRunning(): boolean {
    return this.hasRun && !this.#isEnded
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get requesterBytes(): number {
    return this.#pipe?.requesterBytes ?? 0
  }

  get responderBytes(): number {
    return this.#pipe?.responderBytes ?? 0
  }

  hasToken(tokenHash: Buffer): boolean {
    return timingSafeEqual(tokenHash, this.#deps.announcement.tokenHash)
  }

  isTaken(role: Role): boolean {
    return this.hasRun || this.#waiting.has(role)
  }

  /** Assigns a free role to a peer. The second peer starts the session. */
  take(role: Role, peer: WaitingPeer): void {
    this.#waiting.set(role, peer)
    peer.assign(() => this.#waiting.delete(role))
    const [requester, responder] = [this.#waiting.get('requester'), this.#waiting.get('responder')]
    if (requester && responder) {
      this.#join(requester, responder)
    }
  }

  end(reason: string): void {
    if (this.#isEnded) {
      return
    }
    if (this.#pipe) {
      this.#pipe.end(reason, this.#deps.options.orderedCloseTimeoutMs, reason)
      return
    }
    for (const peer of this.#waiting.values()) {
      peer.refuse(timedOut)
    }
    this.#ended(reason)
  }

  /** Drops all sockets, including those that are closing. */
  drop(reason: string): void {
    for (const peer of this.#waiting.values()) {
      peer.drop()
    }
    this.#pipe?.drop(reason)
    this.end(reason)
  }

  /** Both upgrades are answered in the same event-loop iteration: neither has to wait for the other's. */
  #join(requester: WaitingPeer, responder: WaitingPeer): void {
    const gone = [requester, responder].filter((peer) => !peer.isConnected)
    if (gone.length > 0) {
      // The end of the socket was read, but its event is still queued. The other peer keeps waiting.
      gone.forEach((peer) => peer.drop())
      return
    }
    const { options, unread, clock, log, queue, gate, onStart, onClosed } = this.#deps
    this.#cancelExpiry()
    this.#pipe = new Pipe({
      requester: requester.open(),
      responder: responder.open(),
      options,
      unread,
      clock,
      queue,
      payer: this.requester,
      gate,
      ...(this.#deps.announcement.onPiece && { onPiece: this.#deps.announcement.onPiece }),
      onEnd: (reason) => this.#ended(reason),
      onClosed,
    })
    log.debug({ sessionId: this.sessionId }, 'A relay session began.')
    onStart()
    this.#notify(this.#deps.announcement.onStart)
  }

  #ended(reason: string): void {
    this.#isEnded = true
    this.#cancelExpiry()
    const { sessionId, requesterBytes, responderBytes } = this
    const end = { reason, requesterBytes, responderBytes }
    this.#deps.log.debug({ sessionId, ...end }, 'A relay session ended.')
    this.#deps.onEnd()
    this.#notify(() => this.#deps.announcement.onEnd?.(end))
  }

  #notify(callback: (() => void) | undefined): void {
    try {
      callback?.()
    } catch (error) {
      this.#deps.log.error({ err: error, sessionId: this.sessionId }, 'The callback of a relay session failed.')
    }
  }
}
