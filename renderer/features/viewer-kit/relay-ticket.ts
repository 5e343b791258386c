import { makeTicketWith } from '../../../shared/remote-control/ticket.ts'

/** Ticket for a session on the relay of the server that this page comes from. */
export const newRelayTicket = () =>
  makeTicketWith((count) => crypto.getRandomValues(new Uint8Array(count)), location.origin)
