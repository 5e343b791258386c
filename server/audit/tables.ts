import type { AuditActorKind, AuditOutcome } from '../../shared/audit.ts'
import { defineTable, integer, integerKey, key, type RowOf, text, textOrNull } from '../database/table.ts'

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

export const defineAuditHead = defineTable('audit_head', {
  id: key<'server'>(),
  lastId: integer(),
  hash: text(),
  seal: text(),
})
/** Last row of the audit log, sealed: removing the newest rows leaves a head that names more. */
export type AuditHeadRow = RowOf<typeof defineAuditHead>

export const defineAuditStub = defineTable('audit_stubs', {
  /** Last removed row. */
  lastId: integerKey(),
  firstId: integer(),
  /** Times of the first and the last removed row. */
  firstAt: integer(),
  lastAt: integer(),
  cutAt: integer(),
  /** Hash of the last removed row. */
  hash: text(),
  seal: text(),
})
/** Place of rows removed after their retention, and the hash that the next row continues. */
export type AuditStubRow = RowOf<typeof defineAuditStub>
