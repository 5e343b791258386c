import { randomBytes } from 'node:crypto'
import { makeTicketWith, type RelayTicket } from '../../shared/remote-control/ticket.ts'

export type { RelayTicket }

/** A ticket for the relay of the server at `url`, with the random bytes of Node. */
export const makeTicket = (url: string, sessionId?: string): RelayTicket => makeTicketWith(randomBytes, url, sessionId)
