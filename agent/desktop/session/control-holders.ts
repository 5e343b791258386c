import type { Payload } from '../../../shared/remote-control/messages.ts'
import { controlRequest } from '../../../shared/remote-control/values.ts'

/** Session of a viewer that shares control: it follows who holds control, and asks for it. */
interface Member {
  name: string
  /** Person or account of the viewer; null if the server did not name it. */
  principalId: string | null
  /** Releases the keys and buttons that the viewer holds down. */
  release: () => void
  report: (state: Payload<'ControlHolders'>) => void
}

interface Seat {
  id: number
  member: Member
  holds: boolean
  isAsking: boolean
}

/** Place of one session among those that share control. */
export interface ControlSeat {
  /** Whether input of this session is injected now. Control that nobody holds goes to whoever acts first. */
  mayAct(): boolean
  /** Whether other viewers hold control. */
  isWatching(): boolean
  request(request: Payload<'RequestControl'>): void
  leave(): void
}

/** Windows of one person hold control together: each may show another display. */
const isSamePerson = (a: Seat, b: Seat) =>
  a === b || (a.member.principalId !== null && a.member.principalId === b.member.principalId)

/**
 * Decides which people may use the pointer and keyboard of a desktop, so that two of them do not type into each other.
 * Viewers that do not know of this are not members, and always may.
 */
export class ControlHolders {
  #seats: readonly Seat[] = []
  #nextId = 1

  /** A newcomer gets control that is free, or that another window of the same person holds. */
  join(member: Member): ControlSeat {
    const seat: Seat = { id: this.#nextId++, member, holds: false, isAsking: false }
    const holders = this.#holders()
    this.#seats = [...this.#seats, seat]
    this.#hold(holders.length === 0 ? [seat] : holders)
    return {
      mayAct: () => this.#mayAct(seat),
      isWatching: () => !seat.holds && this.#holders().length > 0,
      request: (request) => this.#request(seat, request),
      leave: () => this.#leave(seat),
    }
  }

  #holders() {
    return this.#seats.filter(({ holds }) => holds)
  }

  #mayAct(seat: Seat): boolean {
    if (!seat.holds && this.#seats.includes(seat) && this.#holders().length === 0) {
      this.#hold([seat])
    }
    return seat.holds
  }

  /** Holders give away, share and decline. Everybody may take: a holder may have left the keyboard. */
  #request(seat: Seat, { request, viewerId }: Payload<'RequestControl'>) {
    const holders = this.#holders()
    const others = holders.filter((holder) => !isSamePerson(holder, seat))
    const addressee = seat.holds ? this.#seats.find(({ id }) => id === viewerId) : undefined
    switch (request) {
      case controlRequest.Ask:
        seat.isAsking = !seat.holds
        this.#hold(holders)
        break
      case controlRequest.Take:
        this.#hold([seat])
        break
      case controlRequest.Watch:
        this.#hold(others)
        break
      case controlRequest.Give:
        this.#hold(addressee ? [...others, addressee] : holders)
        break
      case controlRequest.Share:
        this.#hold(addressee ? [...holders, addressee] : holders)
        break
      case controlRequest.Decline:
        this.#seats.forEach((other) => {
          other.isAsking &&= !addressee || !isSamePerson(other, addressee)
        })
        this.#hold(holders)
        break
    }
  }

  /** Control of a person who leaves goes to one who asks for it, else is free. */
  #leave(seat: Seat) {
    this.#seats = this.#seats.filter((other) => other !== seat)
    const holders = this.#holders()
    this.#hold(holders.length > 0 ? holders : this.#seats.filter(({ isAsking }) => isAsking).slice(0, 1))
  }

  /** Gives control to the people of these seats, and tells everybody. */
  #hold(holders: readonly Seat[]) {
    for (const seat of this.#seats) {
      const held = seat.holds
      seat.holds = holders.some((holder) => isSamePerson(holder, seat))
      seat.isAsking &&= !seat.holds
      if (held && !seat.holds) {
        seat.member.release()
      }
    }
    for (const seat of this.#seats) {
      seat.member.report({ viewers: this.#viewersFor(seat) })
    }
  }

  /** Each person once. */
  #viewersFor(of: Seat) {
    return this.#seats
      .filter((seat, index) => this.#seats.findIndex((other) => isSamePerson(other, seat)) === index)
      .map((seat) => ({
        id: seat.id,
        name: seat.member.name,
        isYou: isSamePerson(seat, of),
        holds: seat.holds,
        isAsking: this.#seats.some((other) => other.isAsking && isSamePerson(other, seat)),
      }))
  }
}
