import { applianceDeployments } from '../../shared/api/appliance-deployments.ts'
import { installCommand, installScript, runtimesOf, silentCommand, systems } from '../../shared/install-command.ts'
import { forbidden } from '../errors.ts'
import { holds } from '../policies/rights.ts'
import { presentInstallerKey } from '../presenters/installer-key.ts'
import { createInstallerKey } from '../services/agents/installer-keys.ts'
import { refuseWhileDecommissioned } from '../services/appliance/decommission.ts'
import { checkPlacement, listPlacements, placeKey } from '../services/agents/placements.ts'
import { deploymentOf } from './appliance-status.ts'
import { implement } from './implement.ts'

export const applianceDeploymentRoutes = implement(applianceDeployments, {
  create: async (call, { tenantId, body: { placement, ...request } }) => {
    if (!holds(call.app, call.principal, 'agent.install', tenantId)) {
      throw forbidden('You do not have the permission agent.install.')
    }
    refuseWhileDecommissioned(call.app)
    await checkPlacement(call, tenantId, placement)
    const { key, secret } = await createInstallerKey(call, tenantId, request)
    await placeKey(call, key.id, placement)
    const { serverUrl, serverPin, instanceId, installers } = await deploymentOf(call, tenantId)
    const offered = new Map(installers.map(({ runtime, downloadUrl }) => [runtime, downloadUrl]))
    return {
      key: { ...presentInstallerKey(key), keySecret: secret },
      serverUrl,
      serverPin,
      commands: systems.flatMap((system) =>
        runtimesOf[system].flatMap(({ runtime }) => {
          const downloadUrl = offered.get(runtime)
          if (downloadUrl === undefined) {
            return []
          }
          const server = { serverUrl, serverPin, downloadUrl, instanceId }
          const command = { system, ...server, tenantId, keyId: key.id, keySecret: secret, isUserOnly: false }
          const { fileName, text } = installScript(command)
          return {
            runtime,
            command: installCommand(command),
            silentCommand: silentCommand(command),
            scriptName: fileName,
            script: text,
          }
        }),
      ),
    }
  },
  placements: async (call, { tenantId }) => ({ items: await listPlacements(call, tenantId) }),
})
