import type { ConsentPolicyDto } from '../../shared/api/appliance-consent.ts'
import type { ConsentPolicyRow } from './tables.ts'

export const presentPolicy = ({ tenantId: _, ...row }: ConsentPolicyRow): ConsentPolicyDto => ({
  ...row,
  createdAt: new Date(row.createdAt).toISOString(),
})
