import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineAuthorizationChangeLog = defineTable('authorization_change_logs', {
  id: key(),
  actionType: text(),
  actorPrincipalType: text<'user' | 'service-account' | 'system'>(),
  actorPrincipalId: textOrNull(),
  targetType: text(),
  targetId: text(),
  owningTenantId: textOrNull(),
  ipAddress: textOrNull(),
  createdAt: integer(),
  beforeJson: textOrNull(),
  afterJson: textOrNull(),
})
export type AuthorizationChangeLogRow = RowOf<typeof defineAuthorizationChangeLog>
