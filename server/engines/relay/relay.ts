import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { systemClock, type Clock } from '../../ground/clock.ts'
import { FairQueue } from '../flow/fair-queue.ts'
import { openGate, type Gate } from '../flow/gate.ts'
import type { Log } from '../../ground/log.ts'
import { Counts } from './counts.ts'
import { EarlyRequesters, type RelayCaller } from './early-requesters.ts'
import { answerTo, refuse, type Refusal } from '../flow/websocket/handshake.ts'
import { defaultOptions, type RelayOptions } from './options.ts'
import * as refusals from './refusals.ts'
import { guidOf, readRequest, type RelayRequest } from './request.ts'
import { Session, type Announcement, type RelaySession } from './session.ts'
import { WaitingPeer } from './waiting-peer.ts'

export type { RelayCaller } from './early-requesters.ts'
export { tokenHashOf } from './request.ts'
export type { RelayOptions } from './options.ts'
export type { Announcement, RelayEnd, RelaySession } from './session.ts'

const reasons = {
  known: 'A session with this id already exists. Use a new id.',
  tooMany: 'You have too many sessions. End one first.',
  closed: 'The relay is closed.',
}

/** `known`: the id is announced, running or used. The message is for the announcer. */
export class AnnouncementRefused extends Error {
  readonly reason: keyof typeof reasons

  constructor(reason: keyof typeof reasons) {
    super(reasons[reason])
    this.reason = reason
  }
}

/** Counts of a relay's peers and sessions. */
export interface RelaySizes {
  readonly announced: number
  readonly running: number
  /** Peers waiting for their partner, including early requesters. */
  readonly waiting: number
  /** Requesters without an announcement. */
  readonly early: number
  /** Ended sessions with an open socket. */
  readonly closing: number
}

export interface RelayDependencies {
  clock?: Clock
  log: Log
  options?: Partial<RelayOptions>
  /** Gate of the bytes of all sessions. */
  gate?: Gate
}

/** Joins pairs of WebSockets whose session was announced. README.md describes the life of a session. */
export class Relay {
  readonly #options: RelayOptions
  readonly #clock: Clock
  readonly #log: Log
  /** Announced or running sessions. */
  readonly #sessions = new Map<string, Session>()
  /** Ended sessions with an open socket. */
  readonly #closing = new Set<Session>()
  readonly #early: EarlyRequesters
  readonly #usedIds = new Set<string>()
  readonly #sessionsOf = new Counts()
  readonly #sessionsOfAccount = new Counts()
  readonly #queue = new FairQueue()
  readonly #gate: Gate
  readonly #unread = { bytes: 0 }
  #isClosed = false

  constructor({ clock = systemClock, log, options, gate = openGate }: RelayDependencies) {
    this.#gate = gate
    this.#options = { ...defaultOptions, ...options }
    this.#early = new EarlyRequesters(this.#options)
    this.#clock = clock
    this.#log = log
  }

  get sizes(): RelaySizes {
    const sessions = [...this.#sessions.values()]
    const running = sessions.filter(({ isRunning }) => isRunning).length
    return {
      announced: sessions.length - running,
      running,
      waiting: sessions.reduce((sum, { waiting }) => sum + waiting, this.#early.size),
      early: this.#early.size,
      closing: this.#closing.size,
    }
  }

  /** Registers a session, and assigns the early requester of that session. Throws AnnouncementRefused. */
  announce(announcement: Announcement): RelaySession {
    const { requester, account, tokenHash } = announcement
    const sessionId = guidOf(announcement.sessionId)
    if (sessionId === undefined || tokenHash.length !== 32) {
      throw new TypeError('A session is announced with a GUID and a SHA-256.')
    }
    if (this.#isClosed) {
      throw new AnnouncementRefused('closed')
    }
    if (this.#sessions.has(sessionId) || this.#usedIds.has(sessionId)) {
      throw new AnnouncementRefused('known')
    }
    const { maxSessionsOfRequester, maxSessionsOfAccount } = this.#options
    if (
      this.#sessionsOf.of(requester) >= maxSessionsOfRequester ||
      this.#sessionsOfAccount.of(account) >= maxSessionsOfAccount
    ) {
      throw new AnnouncementRefused('tooMany')
    }
    const session = this.#open(sessionId, announcement)
    for (const { caller, tokenHash: given, peer } of this.#early.of(sessionId)) {
      if (caller.identity !== requester) {
        peer.refuse(refusals.forbidden)
      } else if (session.hasToken(given)) {
        session.take('requester', peer)
      } else {
        peer.refuse(refusals.unauthorized)
      }
    }
    return session
  }

  /** Handles an upgrade for the relay's path. It is answered when the partner connects, or rejected. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: RelayCaller): void {
    // The peer may have disconnected while the host authenticated the request; no later event reports the disconnect.
    if (socket.destroyed) {
      return
    }
    const asked = readRequest(request.url ?? '')
    if ('status' in asked) {
      return refuse(socket, asked)
    }
    const refusal = this.#refusalFor(asked, caller)
    if (refusal) {
      return refuse(socket, refusal)
    }
    const answer = answerTo(request, ([first]) => first)
    if (typeof answer !== 'string') {
      return refuse(socket, answer)
    }
    if (head.length > 0) {
      // Peers must not send before the response.
      socket.destroy()
      return
    }
    const { sessionId, tokenHash, role } = asked
    const waitMs = this.#waitMsFor(asked)
    const peer = new WaitingPeer({ socket: socket as Socket, answer, waitMs, clock: this.#clock })
    this.#log.debug({ sessionId, role }, 'A relay peer connected.')
    const session = this.#sessions.get(sessionId)
    if (session) {
      session.take(role, peer)
    } else {
      this.#early.add(sessionId, { caller, tokenHash, peer })
    }
  }

  /** Ends every session and drops every socket. */
  close(): void {
    this.#isClosed = true
    this.#early.drop()
    for (const session of [...this.#sessions.values(), ...this.#closing]) {
      session.drop('shutdown')
    }
  }

  #open(sessionId: string, announcement: Announcement): Session {
    const uncounts = [this.#sessionsOf.add(announcement.requester), this.#sessionsOfAccount.add(announcement.account)]
    const session: Session = new Session({
      sessionId,
      announcement,
      options: this.#options,
      unread: this.#unread,
      clock: this.#clock,
      log: this.#log,
      queue: this.#queue,
      gate: this.#gate,
      onStart: () => this.#remember(sessionId),
      onEnd: () => {
        uncounts.forEach((uncount) => uncount())
        this.#sessions.delete(sessionId)
        if (session.hasRun) {
          this.#closing.add(session)
        }
      },
      onClosed: () => this.#closing.delete(session),
    })
    this.#sessions.set(sessionId, session)
    return session
  }

  /** Order of the checks, which clients rely on. */
  #refusalFor(asked: RelayRequest, caller: RelayCaller): Refusal | undefined {
    if (this.#isClosed) {
      return refusals.shuttingDown
    }
    if (asked.role === 'requester' && caller.identity === undefined) {
      return refusals.unauthorized
    }
    const session = this.#sessions.get(asked.sessionId)
    const refusal = session ? refusalIn(session, asked, caller) : this.#refusalOfEarly(asked, caller)
    if (refusal) {
      return refusal
    }
    if ((asked.timeoutSeconds ?? 0) < 0) {
      return refusals.negativeTimeout
    }
    return session || this.#early.hasRoomFor(caller) ? undefined : refusals.tooManyWaiting
  }

  #refusalOfEarly({ sessionId, tokenHash, role }: RelayRequest, { identity }: RelayCaller): Refusal | undefined {
    // A responder learns of its session after the announcement.
    if (role === 'responder' || this.#usedIds.has(sessionId)) {
      return refusals.unauthorized
    }
    const other = this.#early.of(sessionId).find(({ caller }) => caller.identity === identity)
    if (!other) {
      return undefined
    }
    return timingSafeEqual(other.tokenHash, tokenHash) ? refusals.roleTaken(role) : refusals.unauthorized
  }

  #waitMsFor({ timeoutSeconds }: RelayRequest): number {
    const { defaultWaitMs, maxWaitMs } = this.#options
    if (timeoutSeconds === undefined) {
      return defaultWaitMs
    }
    return timeoutSeconds === 0 ? maxWaitMs : Math.min(timeoutSeconds * 1000, maxWaitMs)
  }

  #remember(usedId: string): void {
    const [oldest] = this.#usedIds
    if (oldest !== undefined && this.#usedIds.size >= this.#options.maxUsedIds) {
      this.#usedIds.delete(oldest)
    }
    this.#usedIds.add(usedId)
  }
}

function refusalIn(session: Session, { role, tokenHash }: RelayRequest, { identity }: RelayCaller) {
  if (role === 'requester' && identity !== session.requester) {
    return refusals.forbidden
  }
  if (!session.hasToken(tokenHash)) {
    return refusals.unauthorized
  }
  return session.isTaken(role) ? refusals.roleTaken(role) : undefined
}
