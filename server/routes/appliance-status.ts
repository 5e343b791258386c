import { applianceStatus } from '../../shared/api/appliance-status.ts'
import { runtimes, type RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { RouteCall } from '../call.ts'
import { heldPermissions, holds } from '../policies/rights.ts'
import { isSecondFactorMissing, secondFactorDueAt } from '../policies/unfinished-account.ts'
import { deploymentOptionsOf } from '../services/agents/deployment-options.ts'
import { agentUrl, isReachableFromNetwork, isShownHere } from '../services/network/addresses.ts'
import { describePrincipal } from '../services/people/principal.ts'
import { storageState } from '../services/appliance/server-state.ts'
import { implement } from './implement.ts'

/** Parts of the install commands of a tenant. */
export async function deploymentOf(call: RouteCall, tenantId: string) {
  const { app, origin } = call
  const serverUrl = agentUrl(app, origin())
  const installers = []
  for (const runtime of Object.keys(runtimes) as RuntimeId[]) {
    if (await app.agentRelease.hasInstaller(runtime)) {
      installers.push({ runtime, downloadUrl: app.agentRelease.installerPath(runtime) })
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

export const applianceStatusRoutes = implement(applianceStatus, {
  get: async ({ app, principal }) => ({
    version: app.version,
    startedAt: new Date(app.startedAt).toISOString(),
    storage: await storageState(app),
    secretStore: app.secretStore,
    dataDirectory: holds(app, principal, 'server.telemetry.read') ? app.config.dataDirectory : null,
  }),
  permissions: ({ app, principal }) => {
    const dueAt = secondFactorDueAt(app, principal)
    return {
      items: heldPermissions(app, principal),
      missingSecondFactor:
        dueAt === null
          ? null
          : { requiredFrom: new Date(dueAt).toISOString(), isRequired: isSecondFactorMissing(app, principal) },
    }
  },
  principal: (call) => describePrincipal(call),
  deployment: (call, { tenantId }) => deploymentOf(call, tenantId),
})
