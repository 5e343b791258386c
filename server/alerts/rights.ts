import { alertKinds, type AlertKind } from '../../shared/dtos/alert-rule.ts'
import type { App, Call } from '../call/call.ts'
import { deviceRight } from '../fleet/rights.ts'
import { forbidden } from '../ground/errors.ts'
import { isTokenOfItsOwn, type Principal } from '../ground/principal.ts'
import { holds, settingMakerNow } from '../rights/rights.ts'
import type { StoredAlert, Subject } from './alert-mirror.ts'
import type { AlertRuleRow } from './tables.ts'

/** Whether a principal may see alerts of a condition that is not about devices. */
export function seesKind(app: App, principal: Principal, kind: AlertKind, tenantId: string): boolean {
  switch (alertKinds.get(kind)!.subject) {
    case 'organization':
      return holds(app, principal, 'appliance.audit.read', tenantId) || holds(app, principal, 'appliance.audit.read')
    case 'rights':
      return holds(app, principal, 'tenant.permissions.read', tenantId)
    case 'settings':
      return holds(app, principal, 'tenant.settings.read', tenantId)
    case 'server':
      return holds(app, principal, 'server.telemetry.read')
    case 'device':
      return true
  }
}

/** Whether a principal may see and make rules with a condition: those about the server are for readers of its health. */
export const maySeeRule = (app: App, principal: Principal, kind: AlertKind): boolean =>
  alertKinds.get(kind)!.subject !== 'server' || holds(app, principal, 'server.telemetry.read')

/** Subjects of an alert that a principal may see now; none for an alert that is out of sight (T10). */
export function visibleSubjects(app: App, principal: Principal, { row, subjects }: StoredAlert): readonly Subject[] {
  if (principal.tenantId !== null && principal.tenantId !== row.tenantId) {
    return []
  }
  if (row.ownerId !== null && (row.ownerId !== principal.id || isTokenOfItsOwn(principal))) {
    return []
  }
  if (row.kind !== 'watched' && !seesKind(app, principal, row.kind, row.tenantId)) {
    return []
  }
  const mayRead = deviceRight(app, principal, 'device.read')
  return subjects.filter(({ deviceId }) => {
    const device = deviceId === null ? undefined : app.fleet.get(deviceId)
    return deviceId === null || (device !== undefined && mayRead(device))
  })
}

/** Whether a principal was told of an alert; a restricted token was not, though its user was. */
const wasTold = (principal: Principal, { row }: StoredAlert) =>
  !isTokenOfItsOwn(principal) && (JSON.parse(row.toldIds) as string[]).includes(principal.id)

/** Whether a principal may acknowledge and snooze an alert: it was told, sees all of it, or may change rules. */
export const mayActOn = (app: App, principal: Principal, alert: StoredAlert, visible: readonly Subject[]): boolean =>
  visible.length > 0 &&
  (visible.length === alert.subjects.length ||
    wasTold(principal, alert) ||
    holds(app, principal, 'tenant.settings.write', alert.row.tenantId))

/** Throws 403 for the holder of a link, which opens one device for a while. */
export function requireMember({ principal }: Call): void {
  if (principal.credential.kind === 'LogonToken') {
    throw forbidden('Alerts are for members of the organization; a link opens one device.')
  }
}

/** Id of the person who asks. Throws 403 for others. */
export function requirePerson({ principal }: Call): string {
  if (principal.kind !== 'User' || principal.credential.kind === 'LogonToken') {
    throw forbidden('Only a person can be told when a device is back.')
  }
  return principal.id
}

/**
 * Account for which a rule acts, with its rights of now: a rule finds what its maker may read. `server` for a rule that
 * the server made; undefined if the maker is gone, disabled, or may no longer make rules: then the rule stops (T43).
 */
export function ruleMakerOf(app: App, row: AlertRuleRow): Principal | 'server' | undefined {
  const { makerKind, makerId, madeWith, tenantId } = row
  return makerKind === null || makerId === null
    ? 'server'
    : settingMakerNow(app, { makerKind, makerId, madeWith, tenantId })
}
