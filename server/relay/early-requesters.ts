import { Counts } from './counts.ts'
import type { RelayOptions } from './options.ts'
import type { WaitingPeer } from './waiting-peer.ts'

/** Who sends an upgrade, as the application found it. */
export interface RelayCaller {
  /** Undefined for a peer that proved none; it can be a responder only. */
  identity?: string | undefined
  /** Whom its waiting counts for. */
  principal?: string | undefined
  /** Whose waiting counts together. */
  address: string
}

/** A requester whose session has not been announced yet. */
export interface EarlyRequester {
  readonly caller: RelayCaller
  readonly tokenHash: Buffer
  readonly peer: WaitingPeer
}

/** Those who came before their announcement. Several may name the same id: none of them takes it from the others. */
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

  /** Keeps it until its peer waits no longer, or waits for somebody else. */
  add(sessionId: string, early: EarlyRequester): void {
    const { principal, address } = early.caller
    const ofSession = this.#bySession.get(sessionId) ?? new Set()
    this.#bySession.set(sessionId, ofSession.add(early))
    const counted = [
      this.#ofAddress.add(address),
      principal === undefined ? () => {} : this.#ofPrincipal.add(principal),
    ]
    this.#size++
    early.peer.holdFor(() => {
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
