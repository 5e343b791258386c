import { alertKinds, type AlertRuleDto, type AlertScope } from '../../shared/dtos/alert-rule.ts'
import { shownDevices, type AlertDto, type AlertState } from '../../shared/dtos/alert.ts'
import type { AuditEvent } from '../audit/event.ts'
import type { App, Call } from '../call/call.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { StoredAlert, Subject } from './alert-mirror.ts'
import { ruleMakerOf, mayActOn } from './rights.ts'
import type { Rule } from './rule-mirror.ts'
import { nameOfScope } from './scope.ts'
import type { AlertRow } from './tables.ts'
import { goneTitleOf, linesOf, titleOf } from './texts.ts'

export function stateOf({ closedAt, snoozedUntil, acknowledgedAt }: AlertRow, now: number): AlertState {
  if (closedAt !== null) {
    return 'closed'
  }
  return snoozedUntil !== null && snoozedUntil > now ? 'snoozed' : acknowledgedAt === null ? 'open' : 'acknowledged'
}

/** Whether a condition lasts; a device that is back is a moment. */
export const lasts = (kind: AlertRow['kind']): boolean => kind !== 'watched' && alertKinds.get(kind)!.lasts

/** Whether an alert is about the server: readers of the audit log of an organization may not know what is wrong with it. */
export const isOfServer = (kind: AlertRow['kind']): boolean =>
  kind !== 'watched' && alertKinds.get(kind)!.subject === 'server'

/** Name of the customer that all devices have in common; null without one. */
function commonCustomer({ fleet }: App, subjects: readonly Subject[]): string | null {
  const customers = new Set(subjects.map(({ deviceId }) => fleet.get(deviceId ?? '')?.customerName ?? null))
  return customers.size === 1 ? [...customers][0]! : null
}

/** Title and lines of an alert for somebody who sees these subjects. */
export const sentenceOf = (app: App, { row }: Pick<StoredAlert, 'row'>, subjects: readonly Subject[]) => ({
  title: titleOf(row.kind, subjects, commonCustomer(app, subjects)),
  lines: linesOf(row.kind, subjects, row.network),
})

/** Beginning of the subject of an alert about a webhook. */
export const webhookSubject = 'webhook '

const pages = { organization: '/audit', rights: '/rights', server: '/health-report' } as const

/** Page of what an alert is about. */
function pathOf(kind: AlertRow['kind'], subjects: readonly Subject[]): string {
  const [first] = subjects
  const subject = kind === 'watched' ? 'device' : alertKinds.get(kind)!.subject
  if (subject === 'settings') {
    return first?.subject.startsWith(webhookSubject) ? '/settings/webhooks' : '/alerts/rules'
  }
  if (subject !== 'device') {
    return pages[subject]
  }
  return subjects.length === 1 && first?.deviceId ? `/devices/${first.deviceId}` : '/devices'
}

/** An alert as a principal sees it, who sees these of its subjects. */
export function presentAlert(
  { app, principal }: Pick<Call, 'app' | 'principal'>,
  alert: StoredAlert,
  visible: readonly Subject[],
  shown: keyof typeof shownDevices,
): AlertDto {
  const { row } = alert
  const { title, lines } = sentenceOf(app, alert, visible)
  const toldIds = JSON.parse(row.toldIds) as string[]
  const ofDevices = visible.filter(({ deviceId }) => deviceId !== null)
  return {
    id: row.id,
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    kind: row.kind,
    title,
    lines: row.closedBecause === 'gone' ? [goneTitleOf(row.kind, visible), ...lines] : lines,
    state: stateOf(row, app.clock.now()),
    openedAt: instant(row.openedAt),
    changedAt: instant(row.changedAt),
    acknowledgedAt: instantOrNull(row.acknowledgedAt),
    acknowledgedBy: row.acknowledgedBy,
    snoozedUntil: instantOrNull(row.snoozedUntil),
    snoozedBy: row.snoozedBy,
    closedAt: instantOrNull(row.closedAt),
    closedBecause: row.closedBecause,
    deviceCount: ofDevices.length,
    goneCount: ofDevices.filter(({ goneAt }) => goneAt !== null).length,
    devices: ofDevices.slice(0, shownDevices[shown]).map(({ deviceId, name, since, goneAt, detail }) => ({
      id: deviceId!,
      name: app.fleet.get(deviceId!)?.alias || name,
      customerName: app.fleet.get(deviceId!)?.customerName ?? null,
      since: instant(since),
      goneAt: instantOrNull(goneAt),
      detail,
    })),
    told: toldIds.flatMap((id) => app.accounts.nameOf(id) ?? []),
    isTold: toldIds.includes(principal.id),
    path: pathOf(row.kind, visible),
    mayAct: mayActOn(app, principal, alert, visible),
  }
}

/** Entry of the audit log about an alert, from which the event for programs follows. */
export function eventOf(
  app: App,
  kind: 'alert.opened' | 'alert.acknowledged' | 'alert.snoozed' | 'alert.closed',
  alert: StoredAlert,
  more: { until?: string } = {},
): AuditEvent {
  const { row, subjects } = alert
  const [first] = subjects
  const device = subjects.length === 1 && first?.deviceId ? app.fleet.get(first.deviceId) : undefined
  return {
    kind,
    tenantId: row.tenantId,
    target: {
      kind: 'alert',
      id: row.id,
      name: isOfServer(row.kind) ? row.ruleName : sentenceOf(app, alert, subjects).title,
    },
    device,
    details: {
      alertId: row.id,
      rule: row.ruleName,
      condition: row.kind,
      devices: subjects.filter(({ deviceId }) => deviceId !== null).length,
      ...more,
    },
  }
}

const scopeOf = ({ row }: Rule): AlertScope => ({ kind: row.scopeKind, id: row.scopeId })

export async function presentRule({ app, principal }: Call, rule: Rule): Promise<AlertRuleDto> {
  const { row, condition, userIds } = rule
  const { makerId } = row
  return {
    id: row.id,
    name: row.name,
    condition,
    scope: { ...scopeOf(rule), name: await nameOfScope(app, scopeOf(rule), { tenantId: row.tenantId, principal }) },
    receivers: { kind: row.receivers, userIds: [...userIds] },
    isEnabled: row.isEnabled,
    isDefault: makerId === null,
    madeBy: makerId === null ? null : (app.accounts.nameOf(makerId) ?? app.serviceAccounts.get(makerId)?.name ?? null),
    mayAct: ruleMakerOf(app, row) !== undefined,
    openAlerts: app.activeAlerts.ofRule(row.id).length,
    createdAt: instant(row.createdAt),
  }
}
