import { z } from 'zod'
import { dateTime, dto, resourceName, resourceText } from '../contract/fields.ts'
import { ServiceAccountAccessMode } from './service-account.ts'

/** Bodies shared by both kinds of service accounts. */
export const CreateTenantServiceAccountRequestDto = dto('CreateTenantServiceAccountRequestDto', {
  name: resourceName.describe(
    '1 to 100 characters without control characters; blanks around it are removed. Unique among the service accounts of the tenant, or of the server.',
  ),
  description: resourceText.describe('Shown to people in place of the name.'),
})

export const CreateServerServiceAccountRequestDto = CreateTenantServiceAccountRequestDto.extend({
  accessMode: ServiceAccountAccessMode.describe(
    'Fixed from now on. Unrestricted needs the permission server.permissions.write besides.',
  ),
}).meta({ id: 'CreateServerServiceAccountRequestDto' })
export type CreateServerServiceAccountRequestDto = z.output<typeof CreateServerServiceAccountRequestDto>

export const UpdateServiceAccountRequestDto = CreateTenantServiceAccountRequestDto.extend({
  isEnabled: z.boolean().nullish().describe('Left out: as it is.'),
}).meta({ id: 'UpdateServiceAccountRequestDto' })
export type UpdateServiceAccountRequestDto = z.output<typeof UpdateServiceAccountRequestDto>

export const CreateServiceAccountCredentialRequestDto = dto('CreateServiceAccountCredentialRequestDto', {
  name: resourceName.describe('Label of 1 to 100 characters for people; need not be unique.'),
  expiresAt: dateTime.nullish().describe('In the future. Left out: it never expires.'),
})
export type CreateServiceAccountCredentialRequestDto = z.output<typeof CreateServiceAccountCredentialRequestDto>
