import { z } from 'zod'
import type { App } from '../call/call.ts'

/** Purpose of a sealed text, which cannot be decrypted for another purpose. */
export type SealedPurpose =
  | 'access-token'
  | 'refresh-token'
  | 'reset-password'
  | 'confirm-email'
  | 'change-email'
  | 'invite-mail'
  | 'known-browser'
  | 'page'
  | CeremonyPurpose

/** Steps of signing in that take more than one request. */
export type CeremonyPurpose =
  | 'passkey-addition'
  | 'passkey-sign-in'
  | 'passkey-proof'
  | 'provider-sign-in'
  | 'provider-link'
  | 'provider-identity'

export type TicketPurpose = Extract<SealedPurpose, 'reset-password' | 'confirm-email' | 'change-email'>

const contextOf = (purpose: SealedPurpose) => `tickets/${purpose}`

/** Seals a value as an opaque text for one purpose. Nothing is stored. */
export const sealedFor = ({ sealer }: Pick<App, 'sealer'>, purpose: SealedPurpose, value: object): string =>
  sealer.seal(JSON.stringify(value), contextOf(purpose))

/** Unseals a text of this purpose; undefined for any other text. */
export function unsealedFor<T extends z.ZodType>(
  { sealer }: Pick<App, 'sealer'>,
  purpose: SealedPurpose,
  schema: T,
  text: string,
): z.output<T> | undefined {
  try {
    return schema.parse(JSON.parse(sealer.unseal(text, contextOf(purpose)).toString()))
  } catch {
    // A text that cannot be decrypted was not sealed by this server.
    return undefined
  }
}

const Ticket = z.object({
  userId: z.string(),
  securityStamp: z.string(),
  expiresAt: z.number(),
  /** The address that the ticket is about. */
  email: z.string().optional(),
  /** The credential that requested the ticket, which stays valid. */
  kept: z.object({ sessionId: z.string().optional(), familyId: z.string().optional() }).optional(),
})
export type Ticket = z.output<typeof Ticket>

type TicketDependencies = Pick<App, 'sealer' | 'clock' | 'accounts'>

/** Issues an opaque text that names a user, for one purpose and a limited time. */
export function issueTicket(
  deps: TicketDependencies,
  purpose: TicketPurpose,
  { id, securityStamp }: { id: string; securityStamp: string },
  lifetimeMs: number,
  about: Pick<Ticket, 'email' | 'kept'> = {},
): string {
  const ticket: Ticket = { userId: id, securityStamp, expiresAt: deps.clock.now() + lifetimeMs, ...about }
  return sealedFor(deps, purpose, ticket)
}

/**
 * Reads a ticket of this purpose; undefined for any other text, for an expired ticket, and if its user was deleted or
 * has changed a credential since.
 */
export function readTicket(deps: TicketDependencies, purpose: TicketPurpose, text: string): Ticket | undefined {
  const ticket = unsealedFor(deps, purpose, Ticket, text)
  const isCurrent =
    ticket &&
    ticket.expiresAt > deps.clock.now() &&
    deps.accounts.get(ticket.userId)?.securityStamp === ticket.securityStamp
  return isCurrent ? ticket : undefined
}
