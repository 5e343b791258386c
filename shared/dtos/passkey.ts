import { z } from 'zod'
import { createdAt, dateTime, dto, ownId, resourceName } from '../contract/fields.ts'

export const passkeyName = resourceName.describe('What the user calls the passkey, 1 to 100 characters.')

export const PasskeyDto = dto('PasskeyDto', {
  id: ownId,
  name: passkeyName,
  host: z.string().describe('Host name that the passkey works for; browsers offer it nowhere else.'),
  createdAt,
  lastUsedAt: dateTime.nullable().describe('When it last signed in or proved an identity; null if never.'),
})
export type PasskeyDto = z.output<typeof PasskeyDto>

/** Bytes in base64url; whoever verifies the credential checks the encoding. */
const encoded = z.string().max(20_000)
const credentialId = encoded.max(1400).describe('Id of the credential, chosen by the authenticator.')

/** Members that both kinds of credential have; others are ignored. */
const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key').describe('Kind of credential.'),
  authenticatorAttachment: z
    .enum(['platform', 'cross-platform'])
    .nullish()
    .catch(undefined)
    .describe('Whether the authenticator is a part of the computer.'),
  clientExtensionResults: z.object({}).default({}).describe('Results of extensions; none are asked for.'),
}

const clientDataJSON = encoded.describe('What the browser was asked, by whom.')

/** `toJSON()` of the credential from `navigator.credentials.create`. */
export const NewCredential = dto(
  'NewPasskeyCredentialDto',
  {
    ...credential,
    response: z
      .object({
        clientDataJSON,
        attestationObject: encoded.describe('Public key and flags, from the authenticator.'),
        transports: z
          .array(z.string().max(20))
          .max(10)
          .default([])
          .describe('Ways to reach the authenticator, such as `internal` or `usb`.'),
      })
      .describe('Answer of the authenticator.'),
  },
  { description: 'Registration response as the browser encodes it in JSON.' },
)

/** `toJSON()` of the credential from `navigator.credentials.get`. */
export const SignedCredential = dto(
  'SignedPasskeyCredentialDto',
  {
    ...credential,
    response: z
      .object({
        clientDataJSON,
        authenticatorData: encoded.describe('Flags and counter of the authenticator.'),
        signature: encoded.describe('Signature over both.'),
        userHandle: encoded.max(100).nullish().describe('Id of the user that the passkey was made for.'),
      })
      .describe('Answer of the authenticator.'),
  },
  { description: 'Authentication response as the browser encodes it in JSON.' },
)
export type SignedCredential = z.output<typeof SignedCredential>
export type NewCredential = z.output<typeof NewCredential>

const ticket = z
  .string()
  .max(8000)
  .describe('Ticket of the answer with the options; bound to the `x-page-key`, works once, within ten minutes.')

/** Ticket and options that begin a ceremony. */
export const ceremony = {
  ticket,
  options: z
    .record(z.string(), z.unknown())
    .describe('Options for `navigator.credentials`, as JSON of the Web Authentication standard.'),
}
export const PasskeyOptionsDto = dto('PasskeyOptionsDto', ceremony)

/** A passkey's answer to a challenge. */
export const PasskeyAnswerDto = dto('PasskeyAnswerDto', {
  ticket,
  credential: SignedCredential.describe('The signed challenge.'),
})
export type PasskeyAnswerDto = z.output<typeof PasskeyAnswerDto>

export const AddPasskeyRequestDto = dto('AddPasskeyRequestDto', {
  ticket,
  name: passkeyName,
  credential: NewCredential.describe('The new credential.'),
})
export type AddPasskeyRequestDto = z.output<typeof AddPasskeyRequestDto>

/** Whether passkeys work at the address of the page, and otherwise why. */
export const PasskeySiteDto = dto('PasskeySiteDto', {
  origin: z.string().describe('Address at which passkeys of this server work; also needed for providers.'),
  obstacle: z
    .enum(['not-https', 'not-a-name'])
    .nullable()
    .describe(
      'Why passkeys do not work there: it is neither https nor localhost, or an IP address. Null where they work.',
    ),
})
export type PasskeySiteDto = z.output<typeof PasskeySiteDto>
