import { randomBytes } from 'node:crypto'
import { makeTicketWith, type RelayTicket } from '../../shared/remote-control/ticket.ts'

export type { RelayTicket }

/** Makes a relay ticket for the server at `url`, with Node's random bytes. */
export const makeTicket = (url: string, sessionId?: string): RelayTicket => makeTicketWith(randomBytes, url, sessionId)
