import { makeTicketWith } from '../../../shared/remote-control/ticket.ts'

const ownSessions = new Set<string>()

/** Ticket for a session of this window on this server's relay. */
export function newRelayTicket() {
  const ticket = makeTicketWith((count) => crypto.getRandomValues(new Uint8Array(count)), location.origin)
  ownSessions.add(ticket.sessionId)
  return ticket
}

/** Whether this window asked for a session; the server lists a session shortly after its end, too. */
export const isOfThisWindow = (sessionId: string): boolean => ownSessions.has(sessionId)
