import { z } from 'zod'
import type { App } from '../call.ts'

/** What a ticket is good for; one for another purpose cannot be read. */
export type TicketPurpose = 'access-token' | 'refresh-token' | 'reset-password' | 'confirm-email' | 'change-email'

const Ticket = z.object({
  userId: z.string(),
  securityStamp: z.string(),
  expiresAt: z.number(),
  /** The address that the ticket is about. */
  email: z.string().optional(),
})
export type Ticket = z.output<typeof Ticket>

type TicketParts = Pick<App, 'sealer' | 'clock' | 'accounts'>

const contextOf = (purpose: TicketPurpose) => `tickets/${purpose}`

/** An opaque text that names a user, for one purpose and for some time. Nothing is stored. */
export function issueTicket(
  { sealer, clock }: TicketParts,
  purpose: TicketPurpose,
  { id, securityStamp }: { id: string; securityStamp: string },
  lifetimeMs: number,
  email?: string,
): string {
  const ticket: Ticket = { userId: id, securityStamp, expiresAt: clock.now() + lifetimeMs, ...(email && { email }) }
  return sealer.seal(JSON.stringify(ticket), contextOf(purpose))
}

/** Whether a ticket is still valid: it has not expired, and its user exists and has changed no credential since. */
export const isCurrent = ({ clock, accounts }: TicketParts, { userId, securityStamp, expiresAt }: Ticket): boolean =>
  expiresAt > clock.now() && accounts.get(userId)?.securityStamp === securityStamp

/** What a text says that we issued for this purpose; undefined for any other, and for one that is no longer valid. */
export function readTicket(parts: TicketParts, purpose: TicketPurpose, text: string): Ticket | undefined {
  const ticket = unsealed(parts, purpose, text)
  return ticket && isCurrent(parts, ticket) ? ticket : undefined
}

function unsealed({ sealer }: TicketParts, purpose: TicketPurpose, text: string): Ticket | undefined {
  try {
    return Ticket.parse(JSON.parse(sealer.unseal(text, contextOf(purpose)).toString()))
  } catch {
    // What cannot be decrypted is not a ticket of this server.
    return undefined
  }
}
