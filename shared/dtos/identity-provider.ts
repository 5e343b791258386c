import { z } from 'zod'
import { dateTime, dto, ownId } from '../contract/fields.ts'

export const ProviderPlace = z
  .enum(['a', 'b'])
  .meta({ id: 'ProviderPlace', description: 'Place of an identity provider in the configuration.' })
export type ProviderPlace = z.output<typeof ProviderPlace>

export const ProviderDto = dto('ProviderDto', {
  place: ProviderPlace.describe('Place of the provider in the configuration.'),
  label: z.string().describe('Name of the provider, for buttons.'),
  kind: z.enum(['OpenIdConnect', 'GitHub']).describe('What the provider speaks.'),
})
export type ProviderDto = z.output<typeof ProviderDto>

export const ExternalLoginDto = dto('ExternalLoginDto', {
  id: ownId,
  place: ProviderPlace.describe('Place of its provider in the configuration.'),
  name: z.string().describe('Address or name of the account at the provider when it was linked.'),
  createdAt: dateTime.describe('When it was linked.'),
  lastUsedAt: dateTime.nullable().describe('When it last signed in; null if never.'),
})
export type ExternalLoginDto = z.output<typeof ExternalLoginDto>

const ticket = z
  .string()
  .max(8000)
  .describe('Ticket of the answer that began this; bound to the `x-page-key`, works once, within ten minutes.')

/** Begins a visit to a provider: the address for the browser, and the ticket for the answer. */
export const ProviderStartDto = dto('ProviderStartDto', {
  ticket,
  url: z.string().describe('Address of the provider for the browser to open.'),
})

/** Answer of a provider, with which it sent the browser back. */
export const ProviderAnswerDto = dto('ProviderAnswerDto', {
  ticket,
  query: z
    .string()
    .max(16_000)
    .describe('Query of the address that the provider sent the browser to, without the question mark.'),
})
export type ProviderAnswerDto = z.output<typeof ProviderAnswerDto>

/** Proof of an account at a provider, for the next request. */
export const identityTicket = z
  .string()
  .max(8000)
  .describe('Proof of the account at the provider; bound to the `x-page-key`, valid for ten minutes.')
