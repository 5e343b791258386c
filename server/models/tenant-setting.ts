import { defineTable, key, text } from './table.ts'

export const defineTenantSetting = defineTable('tenant_settings', {
  id: key(),
  tenantId: text(),
  name: text(),
  value: text(),
})
