import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  ExternalLoginDto,
  identityTicket,
  ProviderAnswerDto,
  ProviderDto,
  ProviderPlace,
  ProviderStartDto,
} from '../dtos/identity-provider.ts'
import { PasskeySiteDto } from '../dtos/passkey.ts'
import { CurrentUserDto, email, secondFactor, setupCode, SignInResponseDto } from '../dtos/user.ts'
import { mostOf } from '../row-limits.ts'

const placeParams = z.object({ place: ProviderPlace.describe('Place of the provider in the configuration.') })
const notSignedIn = { 403: 'The caller is no person who signed in.' }
const unavailable = { 404: 'No provider is configured there.', 503: 'The provider does not answer as it should.' }

/** Signing in through identity providers, and linking their accounts. */
export const applianceIdentityProviders = defineRoutes('IdentityProviders', {
  ways: {
    method: 'GET',
    path: '/api/appliance/v1/sign-in',
    summary: 'Ways to sign in besides the password: where passkeys work, and which providers there are',
    access: 'anonymous',
    tenant: 'none',
    response: dto('SignInWaysDto', {
      passkeys: PasskeySiteDto.describe('Where passkeys of this server work.'),
      providers: z.array(ProviderDto).describe('Configured identity providers.'),
    }),
  },
  begin: {
    method: 'POST',
    path: '/api/appliance/v1/sign-in/providers/:place',
    summary: 'Begin to sign in through a provider: the address for the browser',
    problems: unavailable,
    access: 'anonymous',
    tenant: 'none',
    params: placeParams,
    response: ProviderStartDto,
    limitedAttempts: 'all',
  },
  answer: {
    method: 'POST',
    path: '/api/appliance/v1/sign-in/providers/:place/answer',
    summary: 'Sign in with the answer of a provider; sets the session cookie of a linked account',
    description:
      'Only an account at the provider that a user has linked signs in as that user; an equal e-mail address counts for nothing. The session needs the `x-page-key` of the request.',
    problems: unavailable,
    access: 'anonymous',
    tenant: 'none',
    params: placeParams,
    body: ProviderAnswerDto,
    response: dto('ProviderSignInResponseDto', {
      ...SignInResponseDto.shape,
      identity: identityTicket
        .nullable()
        .describe('Proof of the account at the provider, where a code or a registration is needed; otherwise null.'),
      isLinked: z.boolean().describe('Whether a user has linked the account.'),
      isRegistrationOpen: z.boolean().describe('Whether somebody whose account is not linked may register with it.'),
      name: z.string().describe('Address or name of the account at the provider.'),
      email: z.string().nullable().describe('Its e-mail address, if the provider told one.'),
    }),
    limitedAttempts: 'all',
  },
  secondFactor: {
    method: 'POST',
    path: '/api/appliance/v1/sign-in/second-factor',
    summary: 'Finish a sign-in through a provider with the code that the account asks for',
    access: 'anonymous',
    tenant: 'none',
    body: dto('ProviderSecondFactorDto', { identity: identityTicket, ...secondFactor }),
    response: SignInResponseDto,
    limitedAttempts: 'all',
  },
  register: {
    method: 'POST',
    path: '/api/appliance/v1/sign-in/registration',
    summary: 'Register with an account at a provider while registration is open, and sign in',
    problems: { 404: 'Registration is closed.', 409: `The limit is reached: ${mostOf('organizations of a server')}.` },
    access: 'anonymous',
    tenant: 'none',
    body: dto('ProviderRegistrationRequestDto', {
      identity: identityTicket,
      email: email.describe('Name of the account and address for its mail; unique on the server.'),
      organizationName: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .optional()
        .describe('Name of the new tenant, 1 to 100 characters; left out: the address.'),
      setupCode,
    }),
    response: CurrentUserDto,
    status: 201,
    limitedAttempts: 'all',
  },
  logins: {
    method: 'GET',
    path: '/api/appliance/v1/account/external-logins',
    summary: 'List the accounts at providers that the caller has linked, and the providers',
    problems: notSignedIn,
    access: 'authenticated',
    tenant: 'none',
    response: dto('ExternalLoginListDto', {
      items: z.array(ExternalLoginDto).describe('Linked accounts of the caller; not paged.'),
      providers: z.array(ProviderDto).describe('Configured identity providers.'),
      origin: z.string().describe('Address of this server that the providers send browsers back to.'),
    }),
  },
  beginLink: {
    method: 'POST',
    path: '/api/appliance/v1/account/providers/:place',
    summary: 'Begin to link an account at a provider: the address for the browser',
    problems: { 409: 'The caller has linked an account of this provider.', ...unavailable, ...notSignedIn },
    access: 'authenticated',
    recentProof: true,
    tenant: 'none',
    params: placeParams,
    response: ProviderStartDto,
  },
  link: {
    method: 'POST',
    path: '/api/appliance/v1/account/providers/:place/answer',
    summary: 'Link the account that a provider has vouched for; other sessions and bearer tokens of the caller end',
    problems: { 409: 'The account is linked already.', ...unavailable, ...notSignedIn },
    access: 'authenticated',
    recentProof: true,
    tenant: 'none',
    params: placeParams,
    body: ProviderAnswerDto,
    response: ExternalLoginDto,
    status: 201,
  },
  unlink: {
    method: 'DELETE',
    path: '/api/appliance/v1/account/external-logins/:loginId',
    summary: 'Unlink an account at a provider; other sessions and bearer tokens of the caller end',
    problems: { 409: 'It is the last way to sign in to the account.', ...notSignedIn },
    access: 'authenticated',
    recentProof: true,
    tenant: 'none',
    params: z.object({ loginId: id.describe('Linked account of the caller.') }),
  },
})
