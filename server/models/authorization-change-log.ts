import { integer, key, text, textOrNull } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

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
