import {
  boolean,
  defineTable,
  integer,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'
import type { AlertKind, alertScopes } from '../../shared/dtos/alert-rule.ts'
import { usualAfterMinutes, type AlertDto } from '../../shared/dtos/alert.ts'

export const AlertRule = defineTable('alert_rules', {
  id: key(),
  tenantId: references('tenants'),
  name: text(),
  /** JSON of the condition with its settings. */
  condition: text(),
  scopeKind: text<(typeof alertScopes)[number]>(),
  scopeId: textOrNull(),
  receivers: text<'on-call' | 'administrators' | 'people'>(),
  /** JSON: ids of people. */
  userIds: text('[]'),
  isEnabled: boolean(true),
  /** Account that made or last changed the rule, which is asked again whenever the rule acts; null for the server. */
  makerKind: textOrNull<'User' | 'ServiceAccount'>(),
  makerId: textOrNull(),
  /** Restricted token that the maker used. */
  madeWith: textOrNull(),
  createdAt: integer(),
  /** When the condition, the scope or the switch was changed. */
  startedAt: integer(),
  /** Id of the newest event when the rule began: earlier events open no alert. */
  afterEventId: integer(0),
}).with({ mirror: { key: 'id' }, indexes: { alert_rules_of_tenant: '(tenantId)' } })
export type AlertRuleRow = RowOf<typeof AlertRule>

export const Alert = defineTable('alerts', {
  id: key(),
  tenantId: references('tenants'),
  ruleId: references('alert_rules', textOrNull(), 'SET NULL'),
  ruleName: textOrNull(),
  kind: text<AlertKind | 'watched'>(),
  /** Person who watched the device and alone sees the alert; null for alerts of rules. */
  ownerId: references('users', textOrNull()),
  /** Network in which no device was online when the alert was opened; null if unknown. */
  network: textOrNull(),
  openedAt: integer(),
  /** When the cause of its newest subject began. */
  lastSince: integer(),
  changedAt: integer(),
  acknowledgedAt: integerOrNull(),
  acknowledgedBy: textOrNull(),
  snoozedUntil: integerOrNull(),
  snoozedBy: textOrNull(),
  closedAt: integerOrNull(),
  closedBecause: textOrNull<NonNullable<AlertDto['closedBecause']>>(),
  /** When the second on call was notified; null if not, or if nobody is to be. */
  escalatedAt: integerOrNull(),
  /** JSON: ids of the people who were notified. */
  toldIds: text('[]'),
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
  alertId: references('alerts', key()),
  /** Id of the device; else a name that is unique in the alert. */
  subject: key(),
  deviceId: references('devices', textOrNull()),
  name: text(),
  since: integer(),
  goneAt: integerOrNull(),
  detail: textOrNull(),
}).with({
  mirror: { key: 'alertId' },
  indexes: { alert_subjects_of_device: '(deviceId) WHERE deviceId IS NOT NULL' },
})

export const AlertWatch = defineTable('alert_watches', {
  userId: references('users', key()),
  deviceId: references('devices', key()),
  createdAt: integer(),
}).with({ mirror: { key: 'deviceId' }, indexes: { alert_watches_of_device: '(deviceId)' } })

/** Choice of who is on call in each tenant. A row is made together with the first rules of the tenant. */
export const AlertSettings = defineTable('alert_settings', {
  tenantId: references('tenants', key()),
  firstUserId: references('users', textOrNull(), 'SET NULL'),
  secondUserId: references('users', textOrNull(), 'SET NULL'),
  afterMinutes: integer(usualAfterMinutes),
}).with({ mirror: null })
export type AlertSettingsRow = RowOf<typeof AlertSettings>

/** Events for programs that were looked at, in one row. */
export const AlertPlace = defineTable('alert_place', {
  id: key<'events'>(),
  lastEventId: integer(),
}).with({ mirror: null })
