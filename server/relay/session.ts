import { timingSafeEqual } from 'node:crypto'
import type { Cancel, Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { RelayOptions } from './options.ts'
import { Pipe } from './pipe.ts'
import { timedOut } from './refusals.ts'
import type { Role } from './role.ts'
import type { WaitingPeer } from './waiting-peer.ts'

/** How a session ended, with the payload bytes that came from each side. */
export interface RelayEnd {
  /**
   * What `end` was told, or `expired`, `shutdown`, or of the `requester` or `responder`: `closed`, `lost`, `does not answer`,
   * or `failed: ` and why.
   */
  readonly reason: string
  readonly requesterBytes: number
  readonly responderBytes: number
}

/** What makes a session known. Two peers with its id and token are joined, once. */
export interface Announcement {
  /** A GUID in any spelling. */
  sessionId: string
  /** As `tokenHashOf` makes it. */
  tokenHash: Buffer
  /** The identity that alone may take the requester's role. */
  requester: string
  /** Without both peers, the announcement ends then. */
  waitMs: number
  onStart?: () => void
  /** Called exactly once, also for a session that never began. */
  onEnd?: (end: RelayEnd) => void
}

/** A session as its announcer sees it. */
export interface RelaySession {
  /** In lower case with hyphens. */
  readonly sessionId: string
  readonly isRunning: boolean
  /** Payload bytes so far that came from each side. */
  readonly requesterBytes: number
  readonly responderBytes: number
  /** Ends it, running or not. Does nothing once it has ended. */
  end(reason: string): void
}

export interface SessionDependencies {
  sessionId: string
  announcement: Announcement
  options: RelayOptions
  clock: Clock
  log: Log
  onStart: () => void
  onEnd: () => void
  /** Called after the end of one that ran, when its sockets have gone. */
  onClosed: () => void
}

/** From its announcement to the end of its pipe. */
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

  /** Gives a free role to a peer. With the second one it begins. */
  take(role: Role, peer: WaitingPeer): void {
    this.#waiting.set(role, peer)
    peer.holdFor(() => this.#waiting.delete(role))
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

  /** Drops its sockets, those that are closing, too. */
  drop(reason: string): void {
    for (const peer of this.#waiting.values()) {
      peer.drop()
    }
    this.#pipe?.drop(reason)
    this.end(reason)
  }

  /** Both upgrades are answered in the same turn: neither has to wait for the other's. */
  #join(requester: WaitingPeer, responder: WaitingPeer): void {
    const gone = [requester, responder].filter((peer) => !peer.isConnected)
    if (gone.length > 0) {
      // Their end has been read, but not yet told. The other goes on waiting.
      gone.forEach((peer) => peer.drop())
      return
    }
    const { options, clock, log, onStart, onClosed } = this.#deps
    this.#cancelExpiry()
    this.#pipe = new Pipe({
      requester: requester.open(),
      responder: responder.open(),
      options,
      clock,
      onEnd: (reason) => this.#ended(reason),
      onClosed,
    })
    log.debug({ sessionId: this.sessionId }, 'A relay session began.')
    onStart()
    this.#tell(this.#deps.announcement.onStart)
  }

  #ended(reason: string): void {
    this.#isEnded = true
    this.#cancelExpiry()
    const { sessionId, requesterBytes, responderBytes } = this
    const end = { reason, requesterBytes, responderBytes }
    this.#deps.log.debug({ sessionId, ...end }, 'A relay session ended.')
    this.#deps.onEnd()
    this.#tell(() => this.#deps.announcement.onEnd?.(end))
  }

  #tell(announcer: (() => void) | undefined): void {
    try {
      announcer?.()
    } catch (error) {
      this.#deps.log.error({ err: error, sessionId: this.sessionId }, 'Whoever announced a relay session failed.')
    }
  }
}
