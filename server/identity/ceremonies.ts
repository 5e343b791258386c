import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { App, RequestContext } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import { hashSecret, verifySecret } from '../engines/secrets/hashes.ts'
import { sealedFor, unsealedFor, type CeremonyPurpose } from '../credentials/tickets.ts'

/*
 * A ceremony is a step of signing in that takes two requests: a passkey signs a challenge, a provider answers a
 * browser. What the server needs in the second request is sealed in a ticket that the page keeps, so unanswered
 * ceremonies take no memory. A ticket is bound to the key of the page that began the ceremony, is valid for ten
 * minutes, and works once, until a restart.
 */

const lifetimeMs = 10 * 60 * 1000

/** Caller of a ceremony: the page whose key binds the ticket. */
export type PageCall = { readonly app: Pick<App, 'sealer' | 'clock' | 'usedCeremonies'> } & Pick<
  RequestContext,
  'pageKey'
>

const Ceremony = z.object({
  id: z.string(),
  run: z.string(),
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
  const { run } = app.usedCeremonies
  const ceremony = { id: newChallenge(), run, pageKeyHash, expiresAt: app.clock.now() + lifetimeMs, value }
  return sealedFor(app, purpose, ceremony)
}

/** Opens a ticket of this page: its facts, and `use` to void it. Throws 400 for a used, expired or foreign ticket. */
export function openCeremony<T extends z.ZodType>(
  call: PageCall,
  purpose: CeremonyPurpose,
  schema: T,
  ticket: string,
): { value: z.output<T>; use: () => void } {
  const { clock, usedCeremonies } = call.app
  const ceremony = unsealedFor(call.app, purpose, Ceremony, ticket)
  const { data: value, success } = schema.safeParse(ceremony?.value)
  const isOfPage = verifySecret(ceremony?.pageKeyHash, requirePageKey(call))
  const isCurrent =
    ceremony?.run === usedCeremonies.run && ceremony.expiresAt > clock.now() && !usedCeremonies.has(ceremony.id)
  if (!ceremony || !success || !isOfPage || !isCurrent) {
    throw expired()
  }
  return { value, use: () => usedCeremonies.use(ceremony.id) }
}

/** Opens a ticket for the only time, whatever comes of it. Throws 400 as `openCeremony` does. */
export function endCeremony<T extends z.ZodType>(
  call: PageCall,
  purpose: CeremonyPurpose,
  schema: T,
  ticket: string,
): z.output<T> {
  const { value, use } = openCeremony(call, purpose, schema, ticket)
  use()
  return value
}
