import type { PermissionName, TenantPermission } from '../../shared/access.ts'
import { alertKinds, type AlertKind } from '../../shared/dtos/alert-rule.ts'
import type { EventKind } from '../../shared/dtos/event.ts'
import type { App } from '../call/call.ts'
import { deviceResource } from '../fleet/rights.ts'
import type { Placed } from './from-audit.ts'
import { isTokenOfItsOwn, type Principal } from '../ground/principal.ts'
import { holds, rightOf } from '../rights/rights.ts'
import type { ProgramEventRow } from './tables.ts'

/** Permission of those who see a group of kinds, at the tenant of the event, and at the server. */
const readers: Readonly<Record<string, { tenant: TenantPermission | 'appliance.audit.read'; server: PermissionName }>> =
  {
    job: { tenant: 'appliance.audit.read', server: 'appliance.audit.read' },
    person: { tenant: 'tenant.users.read', server: 'server.permissions.read' },
    rights: { tenant: 'tenant.permissions.read', server: 'server.permissions.read' },
  }

const isOfOwnTenant = (principal: Principal, tenantId: string | null) =>
  principal.tenantId === null || principal.tenantId === tenantId

/**
 * Whether a principal may see an event about an alert that is not about one device: one about several is for readers of all
 * devices of the organization.
 */
function maySeeAlert(app: App, principal: Principal, { tenantId, data }: ProgramEventRow): boolean {
  const { condition } = JSON.parse(data) as { condition: AlertKind }
  switch (alertKinds.get(condition)?.subject) {
    case 'organization':
      return tenantId !== null && holds(app, principal, 'appliance.audit.read', tenantId)
    case 'rights':
      return tenantId !== null && holds(app, principal, 'tenant.permissions.read', tenantId)
    case 'settings':
      return tenantId !== null && holds(app, principal, 'tenant.settings.read', tenantId)
    case 'device':
      return tenantId !== null && holds(app, principal, 'device.read', tenantId)
    default:
      return holds(app, principal, 'server.telemetry.read')
  }
}

const groupOf = (kind: EventKind) => kind.slice(0, kind.indexOf('.'))

/**
 * Whether a principal may read the device of an event. A deleted device is judged by its last place, also if its
 * machine has enrolled in another organization since.
 */
function mayReadDevice(app: App, principal: Principal, event: ProgramEventRow & { deviceId: string }) {
  const known = app.fleet.get(event.deviceId)
  const last = (event.place === null ? {} : JSON.parse(event.place)) as Partial<Placed>
  const { customerId = null, groupIds = [] } = last
  const former = { id: event.deviceId, tenantId: event.tenantId ?? '', customerId, groupIds }
  const device = known?.tenantId === event.tenantId ? known : former
  return rightOf(app, principal, 'device.read')(deviceResource(device))
}

/** Whether a principal may see an event now (T10). */
export function maySee(app: App, principal: Principal, event: ProgramEventRow): boolean {
  const { kind, deviceId, tenantId, actorId } = event
  // Events name the people who worked on the device, which a guest with a link to it must not read.
  if (principal.credential.kind === 'LogonToken') {
    return false
  }
  if (deviceId !== null) {
    return mayReadDevice(app, principal, { ...event, deviceId })
  }
  const group = groupOf(kind)
  if (group === 'alert') {
    return isOfOwnTenant(principal, tenantId) && maySeeAlert(app, principal, event)
  }
  if (group === 'job' && actorId === principal.id && !isTokenOfItsOwn(principal) && !principal.madeWith) {
    return true
  }
  const { tenant, server } = readers[group] ?? { tenant: undefined, server: 'server.telemetry.read' as const }
  return tenant !== undefined && tenantId !== null
    ? holds(app, principal, tenant, tenantId)
    : holds(app, principal, server)
}
