import type { Call, OpenCall } from '../call/call.ts'
import { deviceResource } from '../devices/rights.ts'
import { rightOf } from '../rights/rights.ts'
import { zeroId } from '../../shared/contract/fields.ts'
import { tenantSettings } from '../organization/tenant-settings.ts'

/** Install command options of a tenant. */
export async function deploymentOptionsOf(call: OpenCall, tenantId: string) {
  const { appendInstanceId, instanceId } = await tenantSettings.getAll(call, tenantId)
  return { appendInstanceId: appendInstanceId ?? false, instanceId }
}

interface InstallTarget {
  deviceId?: string | null | undefined
  customerId?: string | null | undefined
}

/** Whether a principal may set tags on a device, or on a new device of a customer of the tenant. */
export async function maySetTags(
  { app, principal }: Call,
  tenantId: string,
  { deviceId, customerId }: InstallTarget,
): Promise<boolean> {
  const isAllowed = rightOf(app, principal, 'device.tags.write')
  if (customerId != null && (await app.models.Customer.count({ where: { id: customerId, tenantId } })) === 0) {
    return false
  }
  const device = deviceId == null ? undefined : app.fleet.get(deviceId)
  if (device) {
    return device.tenantId === tenantId && isAllowed(deviceResource(device))
  }
  return isAllowed({ kind: 'Device', id: deviceId ?? zeroId, tenantId, customerId: customerId ?? null, groupIds: [] })
}
