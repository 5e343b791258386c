import { z } from 'zod'
import { dto, id } from '../contract/fields.ts'

export const TenantResponseDto = dto('TenantResponseDto', {
  tenantId: id.describe('Set by the server; sent as `tenantId` in requests about the tenant.'),
  tenantName: z.string().describe('Name of 1 to 100 characters, shown to the people of the tenant.'),
})
export type TenantResponseDto = z.output<typeof TenantResponseDto>
