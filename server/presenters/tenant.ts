import type { TenantResponseDto } from '../../shared/dtos/tenant.ts'
import type { TenantRow } from '../models/tenant.ts'

export const presentTenant = ({ id, name }: TenantRow): TenantResponseDto => ({ tenantId: id, tenantName: name })
