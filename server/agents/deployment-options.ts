import { zeroId } from '../../shared/contract/fields.ts'
import { type RuntimeId, runtimes } from '../../shared/dtos/agent-bundle.ts'
import type { Call, OpenCall, RouteCall } from '../call/call.ts'
import { deviceResource } from '../fleet/rights.ts'
import { agentUrl, isReachableFromNetwork, isShownHere } from '../network/addresses.ts'
import { tenantSettings } from '../settings/tenant-settings.ts'
import { rightOf } from '../rights/rights.ts'

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

/** Parts of the install commands of a tenant. */
export async function deploymentOf(call: RouteCall, tenantId: string) {
  const { app, origin } = call
  const serverUrl = agentUrl(app, origin())
  const installers = []
  for (const runtime of Object.keys(runtimes) as RuntimeId[]) {
    if (await app.agentRelease.hasInstaller(runtime)) {
      const downloadUrl = app.agentRelease.installerPath(runtime)
      installers.push({ runtime, downloadUrl, packageUrl: await app.agentRelease.packagePath(runtime) })
    }
  }
  const { appendInstanceId, instanceId } = await deploymentOptionsOf(call, tenantId)
  return {
    serverUrl,
    serverPin: isShownHere(app, serverUrl) ? (await app.tls()).serverPin() : null,
    isReachableFromNetwork: isReachableFromNetwork(app),
    instanceId: appendInstanceId ? instanceId : null,
    installers,
    canBuildAgents: app.agentBuilds.isPossible,
  }
}
