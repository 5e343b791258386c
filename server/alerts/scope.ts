import type { AlertScope } from '../../shared/dtos/alert-rule.ts'
import type { App } from '../call/call.ts'
import { compileQuery, requestOf } from '../fleet/device-query.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight, permittedDevices } from '../fleet/rights.ts'
import { actorOf } from '../ground/actor.ts'
import { invalid } from '../ground/errors.ts'
import type { Principal } from '../ground/principal.ts'
import { withSites } from '../organization/customer-sites.ts'

type IsIn = (device: DeviceState) => boolean

const never: IsIn = () => false

/** Ids of the devices that a saved view finds for its reader; none for a view that the reader does not see. */
async function idsOfView(app: App, principal: Principal, viewId: string): Promise<ReadonlySet<string>> {
  const view = await app.models.DeviceView.findOne({ where: { id: viewId }, raw: true })
  if (!view || view.tenantId !== principal.tenantId || (view.userId !== null && view.userId !== principal.id)) {
    return new Set()
  }
  const { text, tests } = await compileQuery({ app, principal, actor: actorOf(principal, null) }, view.query)
  const { items } = await permittedDevices(app, principal, 'device.read', 'readable').search(
    requestOf(text, { sortDefinitions: [], page: 0, pageSize: Number.MAX_SAFE_INTEGER }),
    tests.map(({ test }) => test),
  )
  return new Set(items.map(({ id }) => id))
}

/** Test whether a device is in a scope, as it is now. Devices that the reader may not read are in none. */
export async function scopeTest(
  app: App,
  { kind, id }: AlertScope,
  reader: { tenantId: string; principal: Principal | 'server' },
): Promise<IsIn> {
  const { tenantId, principal } = reader
  const mayRead = principal === 'server' ? () => true : deviceRight(app, principal, 'device.read')
  const within =
    (isIn: IsIn): IsIn =>
    (device) =>
      device.tenantId === tenantId && isIn(device) && mayRead(device)
  if (id === null) {
    return within(() => true)
  }
  switch (kind) {
    case 'device':
      return within((device) => device.id === id)
    case 'tag':
      return within(({ tagIds }) => tagIds.includes(id))
    case 'group':
      return within(({ groupIds }) => groupIds.includes(id))
    case 'customer': {
      const ids = await withSites(app, id)
      return within(({ customerId }) => customerId !== null && ids.has(customerId))
    }
    case 'view': {
      const ids = principal === 'server' ? new Set() : await idsOfView(app, principal, id)
      return within((device) => ids.has(device.id))
    }
    case 'everything':
      return never
  }
}

const tables = {
  customer: 'SELECT name FROM customers WHERE id = ? AND tenantId = ?',
  tag: 'SELECT name FROM tags WHERE id = ? AND tenantId = ?',
  group: 'SELECT name FROM device_groups WHERE id = ? AND tenantId = ?',
  view: 'SELECT name FROM device_views WHERE id = ? AND tenantId = ? AND (userId IS NULL OR userId = ?)',
} as const

/** Name of what a scope names, as its reader may see it; null for everything, or if it is gone. */
export async function nameOfScope(
  app: App,
  { kind, id }: AlertScope,
  { tenantId, principal }: { tenantId: string; principal: Principal },
): Promise<string | null> {
  if (id === null || kind === 'everything') {
    return null
  }
  if (kind === 'device') {
    const device = app.fleet.get(id)
    const isVisible = device?.tenantId === tenantId && deviceRight(app, principal, 'device.read')(device)
    return isVisible ? device.alias || device.name : null
  }
  const bound = kind === 'view' ? [id, tenantId, principal.id] : [id, tenantId]
  const [row] = await app.database.all<{ name: string }>(tables[kind], bound)
  return row?.name ?? null
}

/** Throws 400 for a scope that names nothing within the reach of the caller (T41). */
export async function checkScope(
  app: App,
  scope: AlertScope,
  reader: { tenantId: string; principal: Principal },
): Promise<void> {
  if (scope.id !== null && (await nameOfScope(app, scope, reader)) === null) {
    throw invalid({ scope: ['There is none in this organization.'] })
  }
}
