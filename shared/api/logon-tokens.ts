import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { LogonTokenOptions, LogonTokenResponseDto, logonTokenTarget } from '../dtos/logon-token.ts'
import { userId } from '../dtos/references.ts'
import { mostOf } from '../row-limits.ts'

const create = {
  method: 'POST',
  access: { permission: 'device.logon-token.create', on: 'device', at: 'deviceId', ofNoTenant: 400 },
  tenant: 'body',
  problems: { 409: `The tenant has ${mostOf('links')} that have not expired.` },
  response: LogonTokenResponseDto,
} as const

export const logonTokens = defineRoutes('LogonTokens', {
  createForUser: {
    ...create,
    path: '/api/v1/logon-tokens/user',
    summary: 'Create a single-use link that opens one device in the name of a user of the tenant',
    body: LogonTokenOptions.extend({ ...logonTokenTarget, userId }).meta({ id: 'CreateUserLogonTokenRequestDto' }),
  },
  createForExternalUser: {
    ...create,
    path: '/api/v1/logon-tokens/external',
    summary: 'Create a single-use link that opens one device for somebody whom another system knows',
    problems: {
      409: `The tenant has ${mostOf('links')} that have not expired, or ${mostOf('guests')} (transient users), and this would be a new one.`,
    },
    body: LogonTokenOptions.extend({
      ...logonTokenTarget,
      userCorrelationId: z
        .string()
        .trim()
        .min(1)
        .max(252)
        .describe('Identifies the person. The same one gets the same transient user, without rights of its own.'),
      userDisplayName: z
        .string()
        .max(50)
        .nullish()
        .describe(
          'Name shown to others, at most 50 characters; ignored if it has control or other invisible characters, or if another account made the transient user.',
        ),
    }).meta({ id: 'CreateExternalLogonTokenRequestDto' }),
  },
})
