import { makeTicketWith } from '../../../shared/remote-control/ticket.ts'

/** Ticket for a session on this server's relay. */
export const newRelayTicket = () =>
  makeTicketWith((count) => crypto.getRandomValues(new Uint8Array(count)), location.origin)
