import { Counts } from './counts.ts'
import type { RelayOptions } from './options.ts'
import type { WaitingPeer } from './waiting-peer.ts'

/** Sender of an upgrade, as authenticated by the application. */
export interface RelayCaller {
  /** Undefined for an unauthenticated peer, which can only be a responder. */
  identity?: string | undefined
  /** Account whose limit of waiting requesters applies. */
  principal?: string | undefined
  /** Address whose limit of waiting requesters applies. */
  address: string
}

/** A requester whose session is not announced yet. */
export interface EarlyRequester {
  readonly caller: RelayCaller
  readonly tokenHash: Buffer
  readonly peer: WaitingPeer
}

/** Requesters waiting for an announcement. Several may claim the same session id: none of them blocks the others. */
export class EarlyRequesters {
  readonly #options: RelayOptions
  readonly #bySession = new Map<string, Set<EarlyRequester>>()
  readonly #ofPrincipal = new Counts()
  readonly #ofAddress = new Counts()
  #size = 0

  constructor(options: RelayOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#size
  }

  hasRoomFor({ principal, address }: RelayCaller): boolean {
    const { maxEarlyOfPrincipal, maxEarlyOfAddress } = this.#options
    return (
      this.#ofAddress.of(address) < maxEarlyOfAddress &&
      (principal === undefined || this.#ofPrincipal.of(principal) < maxEarlyOfPrincipal)
    )
  }

  of(sessionId: string): readonly EarlyRequester[] {
    return [...(this.#bySession.get(sessionId) ?? [])]
  }

  /** Stores the requester until its peer stops waiting or joins a session. */
  add(sessionId: string, early: EarlyRequester): void {
    const { principal, address } = early.caller
    const ofSession = this.#bySession.get(sessionId) ?? new Set()
    this.#bySession.set(sessionId, ofSession.add(early))
    const counted = [
      this.#ofAddress.add(address),
      principal === undefined ? () => {} : this.#ofPrincipal.add(principal),
    ]
    this.#size++
    early.peer.assign(() => {
      this.#size--
      counted.forEach((remove) => remove())
      ofSession.delete(early)
      if (ofSession.size === 0) {
        this.#bySession.delete(sessionId)
      }
    })
  }

  drop(): void {
    for (const early of [...this.#bySession.values()].flatMap((ofSession) => [...ofSession])) {
      early.peer.drop()
    }
  }
}
