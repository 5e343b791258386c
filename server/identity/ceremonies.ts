import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { minuteMs } from '../../shared/durations.ts'
import type { App, RequestContext } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import { hashSecret, verifySecret } from '../engines/secrets/hashes.ts'
import { sealedFor, unsealedFor, type CeremonyPurpose } from '../credentials/tickets.ts'
import { findUsed, useTicket } from '../credentials/used-tickets.ts'

/*
 * A ceremony is a step of signing in that takes two requests: a passkey signs a challenge, a provider answers a
 * browser. What the server needs in the second request is sealed in a ticket that the page keeps, so unanswered
 * ceremonies take no memory. A ticket is bound to the key of the page that began the ceremony, is valid for ten
 * minutes, and works once, at whichever server of the database it was begun.
 */

const lifetimeMs = 10 * minuteMs

/** Caller of a ceremony: the page whose key binds the ticket. */
export type PageCall = { readonly app: Pick<App, 'sealer' | 'clock' | 'database' | 'models'> } & Pick<
  RequestContext,
  'pageKey'
>

const Ceremony = z.object({
  id: z.string(),
  pageKeyHash: z.string(),
  expiresAt: z.number(),
  value: z.unknown(),
})

function requirePageKey({ pageKey }: PageCall): string {
  if (pageKey === undefined) {
    throw badRequest('This needs the key of a page: the header x-page-key with a random text of your own.')
  }
  return pageKey
}

const expired = () => badRequest('This attempt has expired, or was begun in another browser. Try again.')

/** Random text that nobody can guess: challenge, state, nonce. */
export const newChallenge = (): string => randomBytes(32).toString('base64url')

/** Seals the facts that the second request of a ceremony needs; returns the ticket. */
export function beginCeremony(call: PageCall, purpose: CeremonyPurpose, value: object): string {
  const { app } = call
  const pageKeyHash = hashSecret(requirePageKey(call))
  const ceremony = { id: newChallenge(), pageKeyHash, expiresAt: app.clock.now() + lifetimeMs, value }
  return sealedFor(app, purpose, ceremony)
}

/** Opens a ticket of this page: its facts, and `use` to void it. Both throw 400 for a used, expired or foreign ticket. */
export async function openCeremony<T extends z.ZodType>(
  call: PageCall,
  purpose: CeremonyPurpose,
  schema: T,
  ticket: string,
): Promise<{ value: z.output<T>; use: () => Promise<void> }> {
  const { app } = call
  const ceremony = unsealedFor(app, purpose, Ceremony, ticket)
  const { data: value, success } = schema.safeParse(ceremony?.value)
  const isOfPage = verifySecret(ceremony?.pageKeyHash, requirePageKey(call))
  if (
    !ceremony ||
    !success ||
    !isOfPage ||
    ceremony.expiresAt <= app.clock.now() ||
    (await findUsed(app, ceremony.id))
  ) {
    throw expired()
  }
  const { id, expiresAt } = ceremony
  const use = async () => {
    if (!(await useTicket(app, { id, userId: null, target: null, expiresAt }))) {
      throw expired()
    }
  }
  return { value, use }
}

/** Opens a ticket for the only time, whatever comes of it. Throws 400 as `openCeremony` does. */
export async function endCeremony<T extends z.ZodType>(
  call: PageCall,
  purpose: CeremonyPurpose,
  schema: T,
  ticket: string,
): Promise<z.output<T>> {
  const { value, use } = await openCeremony(call, purpose, schema, ticket)
  await use()
  return value
}
