import { z } from 'zod'
import { dateTime, resourceName, resourceText } from '../contract/fields.ts'
import { ServiceAccountAccessMode } from './service-account.ts'

/** Bodies that both kinds of service accounts have in common. */
export const CreateTenantServiceAccountRequestDto = z
  .object({
    name: resourceName,
    description: resourceText.meta({ description: 'Shown to people in place of the name.' }),
  })
  .meta({ id: 'CreateTenantServiceAccountRequestDto' })

export const CreateServerServiceAccountRequestDto = CreateTenantServiceAccountRequestDto.extend({
  accessMode: ServiceAccountAccessMode.meta({
    description: 'Fixed from now on. Unrestricted needs the permission server.permissions.write besides.',
  }),
}).meta({ id: 'CreateServerServiceAccountRequestDto' })
export type CreateServerServiceAccountRequestDto = z.output<typeof CreateServerServiceAccountRequestDto>

export const UpdateServiceAccountRequestDto = CreateTenantServiceAccountRequestDto.extend({
  isEnabled: z.boolean().nullish().meta({ description: 'Left out: as it is.' }),
}).meta({ id: 'UpdateServiceAccountRequestDto' })
export type UpdateServiceAccountRequestDto = z.output<typeof UpdateServiceAccountRequestDto>

export const CreateServiceAccountCredentialRequestDto = z
  .object({
    name: resourceName,
    expiresAt: dateTime.nullish().meta({ description: 'In the future. Left out: it never expires.' }),
  })
  .meta({ id: 'CreateServiceAccountCredentialRequestDto' })
export type CreateServiceAccountCredentialRequestDto = z.output<typeof CreateServiceAccountCredentialRequestDto>
