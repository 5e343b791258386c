import { z } from 'zod'
import { id } from '../contract/fields.ts'

export const TenantResponseDto = z.object({ tenantId: id, tenantName: z.string() }).meta({ id: 'TenantResponseDto' })
export type TenantResponseDto = z.output<typeof TenantResponseDto>
