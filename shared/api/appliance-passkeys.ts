import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  AddPasskeyRequestDto,
  PasskeyAnswerDto,
  PasskeyDto,
  passkeyName,
  PasskeyOptionsDto,
  PasskeySiteDto,
} from '../dtos/passkey.ts'
import { SignInResponseDto } from '../dtos/user.ts'

const passkeyParams = z.object({ passkeyId: id.describe('Passkey of the caller.') })
const notSignedIn = { 403: 'The caller is no person who signed in.' }

/** Passkeys of the caller, and signing in with one. */
export const appliancePasskeys = defineRoutes('Passkeys', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/account/passkeys',
    summary: 'List the passkeys of the caller, and where passkeys work',
    problems: notSignedIn,
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    response: dto('PasskeyListDto', {
      items: z.array(PasskeyDto).describe('Passkeys of the caller, oldest first; not paged.'),
      site: PasskeySiteDto.describe('Where passkeys of this server work.'),
    }),
  },
  additionOptions: {
    method: 'POST',
    path: '/api/appliance/v1/account/passkeys/options',
    summary: 'Begin to add a passkey: the options for the browser',
    problems: { 400: 'Passkeys do not work at this address, or the caller has 20 of them.', ...notSignedIn },
    access: 'authenticated',
    recentProof: true,
    tenant: 'none',
    whileSecondFactorMissing: true,
    response: PasskeyOptionsDto,
  },
  add: {
    method: 'POST',
    path: '/api/appliance/v1/account/passkeys',
    summary: 'Add a passkey to the account of the caller; its other sessions and bearer tokens end',
    problems: { 400: 'The credential does not answer the options, or is known already.', ...notSignedIn },
    access: 'authenticated',
    recentProof: true,
    tenant: 'none',
    whileSecondFactorMissing: true,
    body: AddPasskeyRequestDto,
    response: PasskeyDto,
    status: 201,
    location: '/api/appliance/v1/account/passkeys/:id',
  },
  rename: {
    method: 'PUT',
    path: '/api/appliance/v1/account/passkeys/:passkeyId',
    summary: 'Rename a passkey of the caller',
    problems: notSignedIn,
    access: 'authenticated',
    tenant: 'none',
    params: passkeyParams,
    body: dto('RenamePasskeyRequestDto', { name: passkeyName }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/appliance/v1/account/passkeys/:passkeyId',
    summary: 'Remove a passkey of the caller; its other sessions and bearer tokens end',
    problems: { 409: 'It is the last way to sign in to the account.', ...notSignedIn },
    access: 'authenticated',
    recentProof: true,
    tenant: 'none',
    params: passkeyParams,
  },
  signInOptions: {
    method: 'POST',
    path: '/api/appliance/v1/sign-in/passkey/options',
    summary: 'Begin to sign in with a passkey: a challenge that any passkey of this server may sign',
    problems: { 400: 'Passkeys do not work at this address, or the request has no page key.' },
    access: 'anonymous',
    tenant: 'none',
    response: PasskeyOptionsDto,
    limitedAttempts: 'all',
  },
  signIn: {
    method: 'POST',
    path: '/api/appliance/v1/sign-in/passkey',
    summary: 'Sign in with the challenge that a passkey has signed; sets the session cookie',
    description:
      'A passkey that was verified by finger, face or PIN counts as two factors: no code is asked for. The session needs the `x-page-key` of the request.',
    problems: { 401: 'The passkey is unknown, or its answer is wrong.' },
    access: 'anonymous',
    tenant: 'none',
    body: PasskeyAnswerDto,
    response: SignInResponseDto,
    limitedAttempts: 'all',
  },
})
