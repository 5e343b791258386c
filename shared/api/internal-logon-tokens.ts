import { defineRoutes } from '../contract/route.ts'
import { LogonTokenOptions, LogonTokenResponseDto } from '../dtos/logon-token.ts'
import { deviceId } from '../dtos/references.ts'
import { mostOf } from '../row-limits.ts'

export const internalLogonTokens = defineRoutes('LogonTokens', {
  create: {
    method: 'POST',
    path: '/api/logon-tokens',
    summary: 'Create a single-use link that opens one device in the name of the caller',
    problems: { 409: `The tenant has ${mostOf('links')} that have not expired.` },
    access: { permission: 'device.logon-token.create', on: 'device', at: 'deviceId', ofNoTenant: 400 },
    tenant: 'claim',
    body: LogonTokenOptions.pick({ expirationMinutes: true })
      .extend({ deviceId })
      .meta({ id: 'CreateLogonTokenRequestDto' }),
    response: LogonTokenResponseDto,
    failures: 'text',
    successor: '/api/v1/logon-tokens/user',
  },
})
