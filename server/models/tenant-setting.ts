import { defineTable, key, type RowOf, text } from './table.ts'

export const defineTenantSetting = defineTable('tenant_settings', {
  id: key(),
  tenantId: text(),
  name: text(),
  value: text(),
})
export type TenantSettingRow = RowOf<typeof defineTenantSetting>
