import { key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineTenantSetting = defineTable('tenant_settings', {
  id: key(),
  tenantId: text(),
  name: text(),
  value: text(),
})
export type TenantSettingRow = RowOf<typeof defineTenantSetting>
