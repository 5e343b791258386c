import { z } from 'zod'
import { dateTime, id, nameEnum } from '../contract/fields.ts'

export const ServiceAccountAccessMode = nameEnum('ServiceAccountAccessMode', { Unrestricted: 0, Restricted: 1 })
export type ServiceAccountAccessMode = z.output<typeof ServiceAccountAccessMode>

/** A key of a service account, without its secret. */
export const ServiceAccountCredentialResponseDto = z
  .object({
    id,
    name: z.string(),
    createdAt: dateTime,
    expiresAt: dateTime.nullable().meta({ description: 'Null: it never expires.' }),
    revokedAt: dateTime.nullable(),
    lastUsedAt: dateTime.nullable(),
  })
  .meta({ id: 'ServiceAccountCredentialResponseDto' })
export type ServiceAccountCredentialResponseDto = z.output<typeof ServiceAccountCredentialResponseDto>

/** An identity for programs that is confined to one tenant. */
export const TenantServiceAccountResponseDto = z
  .object({
    id,
    name: z.string(),
    description: z.string().nullable(),
    isEnabled: z.boolean().meta({ description: 'While false, no credential of this account works.' }),
    createdAt: dateTime,
    credentials: z.array(ServiceAccountCredentialResponseDto).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'TenantServiceAccountResponseDto' })
export type TenantServiceAccountResponseDto = z.output<typeof TenantServiceAccountResponseDto>

/** An identity for programs that belongs to no tenant and names the tenant in each request. */
export const ServerServiceAccountResponseDto = TenantServiceAccountResponseDto.extend({
  accessMode: ServiceAccountAccessMode.meta({
    description:
      'Unrestricted: every permission everywhere. Restricted: its own permission assignments, and nothing without any.',
  }),
}).meta({ id: 'ServerServiceAccountResponseDto' })
export type ServerServiceAccountResponseDto = z.output<typeof ServerServiceAccountResponseDto>

/** A new credential; the key is shown only here. */
export const CreateServiceAccountCredentialResponseDto = z
  .object({
    credential: ServiceAccountCredentialResponseDto,
    plainTextSecretKey: z
      .string()
      .meta({ description: 'The whole value of the `x-api-key` header. It cannot be read again.' }),
  })
  .meta({ id: 'CreateServiceAccountCredentialResponseDto' })
export type CreateServiceAccountCredentialResponseDto = z.output<typeof CreateServiceAccountCredentialResponseDto>
