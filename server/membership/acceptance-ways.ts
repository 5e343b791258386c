import type { AcceptWithPasskeyDto, AcceptWithProviderDto } from '../../shared/api/appliance-invitations.ts'
import { z } from 'zod'
import { beginCeremony, endCeremony } from '../identity/ceremonies.ts'
import type { OpenRouteCall } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import { accept, findOpenInvite, rejectAcceptance, unknownInvite, type Acceptance } from './acceptance.ts'
import { newLogin } from '../providers/external-logins.ts'
import { openUnlinked } from '../providers/external-sign-in.ts'
import { Challenge, newPasskey } from '../identity/passkeys.ts'
import { getUser } from '../people/users.ts'
import { additionOptions, passkeySiteOf, verifyAddition } from '../identity/webauthn.ts'

/** Begins to accept an invite with a passkey: the options for the browser. */
export async function beginPasskeyAcceptance(call: OpenRouteCall, activationCode: string) {
  const invite = await findOpenInvite(call.app, activationCode)
  if (!invite) {
    throw badRequest(unknownInvite)
  }
  const site = passkeySiteOf(call.siteOrigin())
  const options = await additionOptions(call.app, site, await getUser(call, invite.userId), [])
  const { challenge } = options
  return {
    options: { ...options },
    ticket: beginCeremony(call, 'passkey-addition', { ...site, challenge, userId: invite.userId }),
  }
}

/** Accepts an invite with a passkey as the only way in. */
export async function acceptWithPasskey(
  call: OpenRouteCall,
  { activationCode, ticket, name, credential }: AcceptWithPasskeyDto,
): Promise<Acceptance> {
  const { app } = call
  const invite = await findOpenInvite(app, activationCode)
  if (!invite) {
    return rejectAcceptance(call)
  }
  const own = Challenge.extend({ userId: z.literal(invite.userId) })
  const verified = await verifyAddition(app, credential, await endCeremony(call, 'passkey-addition', own, ticket))
  const passkey = newPasskey(app, invite.userId, name, verified)
  return accept(call, invite, { together: (transaction) => app.models.Passkey.create(passkey, { transaction }) })
}

/** Accepts an invite with an account at a provider as the only way in. The account's address counts for nothing (T24). */
export async function acceptWithProvider(
  call: OpenRouteCall,
  { activationCode, identity: ticket }: AcceptWithProviderDto,
): Promise<Acceptance> {
  const { app } = call
  const { value: identity, use } = await openUnlinked(call, ticket)
  const invite = await findOpenInvite(app, activationCode)
  if (!invite) {
    return rejectAcceptance(call)
  }
  const login = newLogin(identity, invite.userId, app.clock.now())
  const accepted = await accept(call, invite, {
    together: (transaction) => app.models.ExternalLogin.create(login, { transaction }),
  })
  if ('user' in accepted) {
    await use()
  }
  return accepted
}
