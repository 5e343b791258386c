import { defineTable, integer, key, type RowOf, text } from './table.ts'

export const defineInstallerKeyUsage = defineTable('installer_key_usages', {
  id: key(),
  keyId: text(),
  deviceId: text(),
  timestamp: integer(),
  remoteIpAddress: text(),
})
/** A registration of a device with an installer key. */
export type InstallerKeyUsageRow = RowOf<typeof defineInstallerKeyUsage>
