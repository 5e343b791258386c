import type { Transaction } from 'sequelize'
import type { PermissionName } from '../../shared/access.ts'
import { alertKinds, type AlertSubject } from '../../shared/dtos/alert-rule.ts'
import type { App } from '../call/call.ts'
import { inSlices } from '../ground/clock.ts'
import { notify } from '../notifications/notify.ts'
import { holds } from '../rights/rights.ts'
import type { StoredAlert, Subject } from './alert-mirror.ts'
import { isOfServer, sentenceOf } from './present.ts'
import { visibleSubjects } from './rights.ts'
import { personNow } from '../rights/rights.ts'
import type { Rule } from './rule-mirror.ts'
import type { AlertSettingsRow } from './tables.ts'
import { goneTitleOf, namesShown } from './texts.ts'

/** Receivers of one alert. */
const maxReceivers = 50

export const settingsOf = ({ models }: App, tenantId: string): Promise<AlertSettingsRow | null> =>
  models.AlertSettings.findByPk(tenantId, { raw: true })

/** People of a tenant who may change its rules. */
export async function administratorsOf(app: App, tenantId: string): Promise<string[]> {
  const people = await app.database.all<{ id: string }>(
    "SELECT id FROM users WHERE tenantId = ? AND accountType = 'Interactive' AND disabledAt IS NULL ORDER BY createdAt, id",
    [tenantId],
  )
  const found: string[] = []
  for await (const { id } of inSlices(people)) {
    const person = personNow(app, id)
    if (person && holds(app, person, 'tenant.settings.write', tenantId) && found.push(id) === maxReceivers) {
      break
    }
  }
  return found
}

/** People who see the same part of an alert. */
export interface Audience {
  userIds: string[]
  subjects: readonly Subject[]
}

/**
 * Groups people by what they may see of an alert now; who sees nothing of it is in no group (T43). Yields, because an alert
 * may be about all devices.
 */
export async function audiencesOf(app: App, alert: StoredAlert, userIds: readonly string[]): Promise<Audience[]> {
  const groups = new Map<string, Audience>()
  for await (const id of inSlices(userIds)) {
    const person = personNow(app, id)
    const subjects = person?.tenantId === alert.row.tenantId ? visibleSubjects(app, person, alert) : []
    if (subjects.length > 0) {
      const key = subjects.map(({ subject }) => subject).join(' ')
      const group = groups.get(key) ?? { userIds: [], subjects }
      group.userIds.push(id)
      groups.set(key, group)
    }
  }
  return [...groups.values()]
}

/** People whom a rule notifies first: administrators, if nobody of those chosen may see the alert. */
export async function receiversOf(
  app: App,
  { row, userIds }: Pick<Rule, 'row' | 'userIds'>,
  alert: StoredAlert,
): Promise<readonly string[]> {
  const first = row.receivers === 'on-call' ? (await settingsOf(app, row.tenantId))?.firstUserId : null
  const chosen = row.receivers === 'people' ? userIds : first ? [first] : []
  const audiences = await audiencesOf(app, alert, chosen)
  return audiences.length > 0 ? chosen : administratorsOf(app, row.tenantId)
}

/** Permission that the receivers of a notification must hold when it is sent; devices are asked for by themselves. */
const permissions: Partial<Record<AlertSubject, PermissionName>> = {
  organization: 'appliance.audit.read',
  rights: 'tenant.permissions.read',
  settings: 'tenant.settings.read',
  server: 'server.telemetry.read',
}

/** Stores what people are told about an alert, in the transaction of what happened. */
export async function notifyAudiences(
  app: App,
  transaction: Transaction,
  alert: StoredAlert,
  audiences: readonly Audience[],
  kind: 'opened' | 'closed' | 'reminder',
): Promise<void> {
  const { row } = alert
  const permission = row.kind === 'watched' ? undefined : permissions[alertKinds.get(row.kind)!.subject]
  for (const { userIds, subjects } of audiences) {
    const said =
      kind === 'closed' ? { title: goneTitleOf(row.kind, subjects), lines: [] } : sentenceOf(app, alert, subjects)
    await notify(app, transaction, {
      tenantId: row.tenantId,
      userIds,
      alertId: row.id,
      kind,
      ...said,
      path: `/alerts?alert=${row.id}`,
      // A reminder is for an alert that nobody took up, or whose snooze has ended.
      isUrgent: kind === 'reminder',
      about: {
        deviceIds: subjects.slice(0, namesShown).flatMap(({ deviceId }) => deviceId ?? []),
        ...(permission !== undefined && { permission }),
        isPrivate: row.ownerId !== null || isOfServer(row.kind),
      },
    })
  }
}
