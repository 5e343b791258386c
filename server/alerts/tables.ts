import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'
import type { AlertKind, alertScopes } from '../../shared/dtos/alert-rule.ts'
import { usualAfterMinutes, type AlertDto } from '../../shared/dtos/alert.ts'

export const AlertRule = defineTable('alert_rules', {
  id: t.key(),
  tenantId: t.references('tenants'),
  name: t.text(),
  /** JSON of the condition with its settings. */
  condition: t.text(),
  scopeKind: t.text<(typeof alertScopes)[number]>(),
  scopeId: t.textOrNull(),
  receivers: t.text<'on-call' | 'administrators' | 'people'>(),
  /** JSON: ids of people. */
  userIds: t.text('[]'),
  isEnabled: t.boolean(true),
  /** Account that made or last changed the rule, which is asked again whenever the rule acts; null for the server. */
  makerKind: t.textOrNull<'User' | 'ServiceAccount'>(),
  makerId: t.textOrNull(),
  /** Restricted token that the maker used. */
  madeWith: t.textOrNull(),
  createdAt: t.integer(),
  /** When the condition, the scope or the switch was changed. */
  startedAt: t.integer(),
  /** Id of the newest event when the rule began: earlier events open no alert. */
  afterEventId: t.integer(0),
}).with({ mirror: { key: 'id' }, indexes: { alert_rules_of_tenant: '(tenantId)' } })
export type AlertRuleRow = RowOf<typeof AlertRule>

export const Alert = defineTable('alerts', {
  id: t.key(),
  tenantId: t.references('tenants'),
  ruleId: t.references('alert_rules', t.textOrNull(), 'SET NULL'),
  ruleName: t.textOrNull(),
  kind: t.text<AlertKind | 'watched'>(),
  /** Person who watched the device and alone sees the alert; null for alerts of rules. */
  ownerId: t.references('users', t.textOrNull()),
  /** Network in which no device was online when the alert was opened; null if unknown. */
  network: t.textOrNull(),
  openedAt: t.integer(),
  /** When the cause of its newest subject began. */
  lastSince: t.integer(),
  changedAt: t.integer(),
  acknowledgedAt: t.integerOrNull(),
  acknowledgedBy: t.textOrNull(),
  snoozedUntil: t.integerOrNull(),
  snoozedBy: t.textOrNull(),
  closedAt: t.integerOrNull(),
  closedBecause: t.textOrNull<NonNullable<AlertDto['closedBecause']>>(),
  /** When the second on call was notified; null if not, or if nobody is to be. */
  escalatedAt: t.integerOrNull(),
  /** JSON: ids of the people who were notified. */
  toldIds: t.text('[]'),
}).with({
  mirror: { key: 'id' },
  indexes: {
    alerts_active: '(tenantId) WHERE closedAt IS NULL',
    alerts_closed: '(tenantId, closedAt) WHERE closedAt IS NOT NULL',
    alerts_of_owner: '(ownerId) WHERE ownerId IS NOT NULL',
    alerts_of_rule: '(ruleId) WHERE ruleId IS NOT NULL',
  },
})
export type AlertRow = RowOf<typeof Alert>

export const AlertSubject = defineTable('alert_subjects', {
  alertId: t.references('alerts', t.key()),
  /** Id of the device; else a name that is unique in the alert. */
  subject: t.key(),
  deviceId: t.references('devices', t.textOrNull()),
  name: t.text(),
  since: t.integer(),
  goneAt: t.integerOrNull(),
  detail: t.textOrNull(),
}).with({
  mirror: { key: 'alertId' },
  indexes: { alert_subjects_of_device: '(deviceId) WHERE deviceId IS NOT NULL' },
})

export const AlertWatch = defineTable('alert_watches', {
  userId: t.references('users', t.key()),
  deviceId: t.references('devices', t.key()),
  createdAt: t.integer(),
}).with({ mirror: { key: 'deviceId' }, indexes: { alert_watches_of_device: '(deviceId)' } })

/** Choice of who is on call in each tenant. A row is made together with the first rules of the tenant. */
export const AlertSettings = defineTable('alert_settings', {
  tenantId: t.references('tenants', t.key()),
  firstUserId: t.references('users', t.textOrNull(), 'SET NULL'),
  secondUserId: t.references('users', t.textOrNull(), 'SET NULL'),
  afterMinutes: t.integer(usualAfterMinutes),
}).with({ mirror: null })
export type AlertSettingsRow = RowOf<typeof AlertSettings>

/** Events for programs that were looked at, in one row. */
export const AlertPlace = defineTable('alert_place', {
  id: t.key<'events'>(),
  lastEventId: t.integer(),
}).with({ mirror: null })
