import type { AuditActorKind, AuditOutcome } from '../../shared/audit.ts'
import { defineTable, integer, integerKey, type RowOf, text, textOrNull } from './table.ts'

export const defineAuditEvent = defineTable('audit_events', {
  /** 1, 2, 3 and so on, without gaps. */
  id: integerKey(),
  at: integer(),
  kind: text(),
  outcome: text<AuditOutcome>(),
  /** Number of equal events in one row; above 1 only past the limits of the budget. */
  count: integer(),
  /** Tenant whose readers see the event; null for events of the server. */
  tenantId: textOrNull(),
  actorKind: text<AuditActorKind>(),
  actorId: textOrNull(),
  actorName: textOrNull(),
  credentialKind: textOrNull(),
  credentialId: textOrNull(),
  address: textOrNull(),
  browser: textOrNull(),
  targetKind: textOrNull(),
  targetId: textOrNull(),
  targetName: textOrNull(),
  deviceId: textOrNull(),
  deviceName: textOrNull(),
  /** JSON object of details. */
  details: text(),
  /** Hash of the row before. */
  previous: text(),
  /** SHA-256 of the canonical encoding of the row, with `previous`. */
  hash: text(),
  /** HMAC of the hash with a key of this server. */
  seal: text(),
})
/** Row of the audit log. Triggers reject changes, and removals that no stub covers. */
export type AuditEventRow = RowOf<typeof defineAuditEvent>
