import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { NewCredential, passkeyName, PasskeyOptionsDto } from '../dtos/passkey.ts'
import { AcceptInviteResponseDto } from './invite-acceptance.ts'

const activationCode = z.string().min(1).max(1000).describe('Code from the link of the invite; valid once.')

const BeginPasskeyDto = dto('BeginPasskeyAcceptanceDto', { activationCode })

const AcceptWithPasskeyDto = dto('AcceptWithPasskeyDto', {
  activationCode,
  ticket: z.string().min(1).max(4000).describe('`ticket` of the options.'),
  name: passkeyName,
  credential: NewCredential.describe('Answer of the browser to the options.'),
})
export type AcceptWithPasskeyDto = z.output<typeof AcceptWithPasskeyDto>

const AcceptWithProviderDto = dto('AcceptWithProviderDto', {
  activationCode,
  identity: z.string().min(1).max(8000).describe('`identity` of the answer of a provider that nobody has linked.'),
})
export type AcceptWithProviderDto = z.output<typeof AcceptWithProviderDto>

/** Accepting an invitation without a password. */
export const applianceInvitations = defineRoutes('Invitations', {
  passkeyOptions: {
    method: 'POST',
    path: '/api/appliance/v1/invitations/passkey/options',
    summary: 'Begin to accept an invitation with a passkey: the options for the browser',
    problems: { 400: 'Passkeys do not work at this address, or the invitation cannot be accepted.' },
    access: 'anonymous',
    tenant: 'none',
    body: BeginPasskeyDto,
    response: PasskeyOptionsDto,
    limitedAttempts: 'all',
  },
  acceptWithPasskey: {
    method: 'POST',
    path: '/api/appliance/v1/invitations/passkey',
    summary: 'Accept an invitation with a new passkey, and sign in; a failure is answered 200 too',
    access: 'anonymous',
    tenant: 'none',
    body: AcceptWithPasskeyDto,
    response: AcceptInviteResponseDto,
    limitedAttempts: 'all',
  },
  acceptWithProvider: {
    method: 'POST',
    path: '/api/appliance/v1/invitations/provider',
    summary: 'Accept an invitation with an account at a provider, and sign in; a failure is answered 200 too',
    access: 'anonymous',
    tenant: 'none',
    body: AcceptWithProviderDto,
    response: AcceptInviteResponseDto,
    limitedAttempts: 'all',
  },
})
