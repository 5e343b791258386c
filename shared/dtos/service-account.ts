import { z } from 'zod'
import { createdAt, dateTime, dto, nameEnum, ownId, textOrNull } from '../contract/fields.ts'

export const ServiceAccountAccessMode = nameEnum('ServiceAccountAccessMode', { Unrestricted: 0, Restricted: 1 })

/** A key of a service account, without its secret. */
export const ServiceAccountCredentialResponseDto = dto('ServiceAccountCredentialResponseDto', {
  id: ownId,
  name: z.string().describe('Label of 1 to 100 characters for people; need not be unique.'),
  createdAt,
  expiresAt: dateTime.nullable().describe('Null: it never expires.'),
  revokedAt: dateTime.nullable().describe('When the credential was revoked; null while it is not.'),
  lastUsedAt: dateTime.nullable().describe('Last request that it authenticated; null before the first.'),
})
export type ServiceAccountCredentialResponseDto = z.output<typeof ServiceAccountCredentialResponseDto>

/** An identity for programs, confined to one tenant. */
export const TenantServiceAccountResponseDto = dto('TenantServiceAccountResponseDto', {
  id: ownId,
  name: z.string().describe('Unique among the service accounts of the tenant, or of the server.'),
  description: textOrNull.describe(
    'Free text of at most 500 characters, shown in place of the name; null when none was given.',
  ),
  isEnabled: z.boolean().describe('While false, no credential of this account works.'),
  createdAt,
  credentials: z.array(ServiceAccountCredentialResponseDto).describe('Oldest first.'),
})
export type TenantServiceAccountResponseDto = z.output<typeof TenantServiceAccountResponseDto>

/** An identity for programs without a tenant, which names a tenant in each request. */
export const ServerServiceAccountResponseDto = TenantServiceAccountResponseDto.extend({
  accessMode: ServiceAccountAccessMode.describe(
    'Unrestricted: every permission everywhere. Restricted: its own permission assignments, and nothing without any.',
  ),
}).meta({ id: 'ServerServiceAccountResponseDto' })
export type ServerServiceAccountResponseDto = z.output<typeof ServerServiceAccountResponseDto>

/** A new credential; its key is returned only once. */
export const CreateServiceAccountCredentialResponseDto = dto('CreateServiceAccountCredentialResponseDto', {
  credential: ServiceAccountCredentialResponseDto.describe('The credential as lists show it from now on.'),
  plainTextSecretKey: z.string().describe('The whole value of the `x-api-key` header. It cannot be read again.'),
})
