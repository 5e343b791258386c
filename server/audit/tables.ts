import type { AuditActorKind, AuditOutcome } from '../../shared/audit.ts'
import { isAssignmentEvent } from './indexed-conditions.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

const appendOnly = 'The audit log is append-only.'

export const AuditCount = defineTable('audit_counts', {
  /** Kind, outcome, tenant and actor. */
  id: t.key(),
  kind: t.text(),
  outcome: t.text<AuditOutcome>(),
  tenantId: t.textOrNull(),
  actorKind: t.text<'user' | 'service-account' | 'system' | 'anonymous'>(),
  actorId: t.textOrNull(),
  actorName: t.textOrNull(),
  count: t.integer(),
  since: t.integer(),
}).with({ mirror: null })
/** Events past the limits of the budget, counted here until one row of the log states their number. */
export type AuditCountRow = RowOf<typeof AuditCount>

export const AuditEvent = defineTable('audit_events', {
  /** 1, 2, 3 and so on, without gaps. */
  id: t.integerKey(),
  at: t.integer(),
  kind: t.text(),
  outcome: t.check(t.text<AuditOutcome>(), "outcome IN ('success', 'failure')"),
  /** Number of equal events in one row; above 1 only past the limits of the budget. */
  count: t.check(t.integer(), 'count > 0'),
  /** Tenant whose readers see the event; null for events of the server. */
  tenantId: t.textOrNull(),
  actorKind: t.text<AuditActorKind>(),
  actorId: t.textOrNull(),
  actorName: t.textOrNull(),
  credentialKind: t.textOrNull(),
  credentialId: t.textOrNull(),
  address: t.textOrNull(),
  browser: t.textOrNull(),
  targetKind: t.textOrNull(),
  targetId: t.textOrNull(),
  targetName: t.textOrNull(),
  deviceId: t.textOrNull(),
  deviceName: t.textOrNull(),
  /** JSON object of details. */
  details: t.text(),
  /** Hash of the row before. */
  previous: t.text(),
  /** SHA-256 of the canonical encoding of the row, with `previous`. */
  hash: t.text(),
  /** HMAC of the hash with a key of this server. */
  seal: t.text(),
}).with({
  mirror: null,
  indexes: {
    audit_events_by_device: '(deviceId, id) WHERE deviceId IS NOT NULL',
    audit_events_by_actor: '(actorId, id)',
    audit_events_by_tenant: '(tenantId, id)',
    audit_events_by_target: '(targetId, id) WHERE targetId IS NOT NULL',
    audit_events_failed: "(at, kind) WHERE outcome = 'failure'",
    audit_events_by_scope: `(details ->> 'scopeId', id) WHERE ${isAssignmentEvent}`,
  },
  statements: [
    t.reject('audit_events_never_change', 'UPDATE', 'audit_events', appendOnly),
    t.reject(
      'audit_events_stay',
      'DELETE',
      'audit_events',
      appendOnly,
      'OLD.id > ifnull((SELECT max(lastId) FROM audit_stubs), 0)',
    ),
    t.reject(
      'audit_events_continue',
      'INSERT',
      'audit_events',
      'A row of the audit log continues the row before.',
      `NEW.previous IS NOT ifnull(
       (SELECT hash FROM audit_events ORDER BY id DESC LIMIT 1),
       ifnull((SELECT hash FROM audit_stubs ORDER BY lastId DESC LIMIT 1), '')
     )`,
    ),
  ],
})
/** Row of the audit log. Triggers reject changes, and removals that no stub covers. */
export type AuditEventRow = RowOf<typeof AuditEvent>

export const AuditHead = defineTable('audit_head', {
  id: t.check(t.key<'server'>(), "id = 'server'"),
  lastId: t.integer(),
  hash: t.text(),
  seal: t.text(),
}).with({
  mirror: null,
  statements: [
    t.reject('audit_head_grows', 'UPDATE', 'audit_head', appendOnly, 'NEW.lastId < OLD.lastId'),
    t.reject('audit_head_stays', 'DELETE', 'audit_head', appendOnly),
  ],
})
/** Last row of the audit log, sealed: removing the newest rows leaves a head that names more. */
export type AuditHeadRow = RowOf<typeof AuditHead>

export const AuditStub = defineTable('audit_stubs', {
  /** Last removed row. */
  lastId: t.integerKey(),
  firstId: t.integer(),
  /** Times of the first and the last removed row. */
  firstAt: t.integer(),
  lastAt: t.integer(),
  cutAt: t.integer(),
  /** Hash of the last removed row. */
  hash: t.text(),
  seal: t.text(),
}).with({
  mirror: null,
  statements: [
    t.reject('audit_stubs_never_change', 'UPDATE', 'audit_stubs', appendOnly),
    t.reject('audit_stubs_stay', 'DELETE', 'audit_stubs', appendOnly),
  ],
})
/** Place of rows removed after their retention, and the hash that the next row continues. */
export type AuditStubRow = RowOf<typeof AuditStub>

export const AuditMark = defineTable('audit_marks', {
  /** Newest row at that time. */
  lastId: t.integerKey(),
  /** Time of the retention. */
  at: t.integer(),
  seal: t.text(),
}).with({ mirror: null })
/** How far the log had grown when. A row says by its own time when it was written only if the clock was right. */
export type AuditMarkRow = RowOf<typeof AuditMark>
