import type { AuditOutcome } from '../../shared/audit.ts'
import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineAuditCount = defineTable('audit_counts', {
  /** Kind, outcome, tenant and actor. */
  id: key(),
  kind: text(),
  outcome: text<AuditOutcome>(),
  tenantId: textOrNull(),
  actorKind: text<'user' | 'service-account' | 'system' | 'anonymous'>(),
  actorId: textOrNull(),
  actorName: textOrNull(),
  count: integer(),
  since: integer(),
})
/** Events past the limits of the budget, counted here until one row of the log states their number. */
export type AuditCountRow = RowOf<typeof defineAuditCount>
