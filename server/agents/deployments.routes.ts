import { applianceDeployments } from '../../shared/api/appliance-deployments.ts'
import { deploymentOptions } from '../../shared/api/deployment-options.ts'
import {
  installCommand,
  installScript,
  packageCommand,
  runtimesOf,
  silentCommand,
  systems,
} from '../../shared/install-command.ts'
import { implement } from '../surface/implement.ts'
import { forbidden, invalid } from '../ground/errors.ts'
import { instant } from '../ground/instant.ts'
import { holds } from '../rights/rights.ts'
import { refuseWhileDecommissioned } from '../settings/decommission.ts'
import { deploymentOf, deploymentOptionsOf, maySetTags } from './deployment-options.ts'
import { createInstallerKey } from './installer-keys.ts'
import { checkPlacement, listPlacements, placeKey } from './placements.ts'
import { presentInstallerKey } from './present.ts'

export const applianceDeploymentRoutes = implement(applianceDeployments, {
  create: async (call, { tenantId, body: { placement, ...request } }) => {
    if (!holds(call.app, call.principal, 'agent.install', tenantId)) {
      throw forbidden('You do not have the permission agent.install.')
    }
    refuseWhileDecommissioned(call.app)
    const now = call.app.clock.now()
    if (request.keyType === 'TimeBased' && Date.parse(request.expiration ?? '') <= now) {
      throw invalid({ expiration: [`is in the past; the server's clock shows ${instant(now)}`] })
    }
    await checkPlacement(call, tenantId, placement)
    const { key, secret } = await createInstallerKey(call, tenantId, request)
    await placeKey(call, key.id, placement)
    const { serverUrl, serverPin, instanceId, installers } = await deploymentOf(call, tenantId)
    const offered = new Map(installers.map((installer) => [installer.runtime, installer]))
    return {
      key: { ...presentInstallerKey(key), keySecret: secret },
      serverUrl,
      serverPin,
      commands: systems.flatMap((system) =>
        runtimesOf[system].flatMap(({ runtime }) => {
          const installer = offered.get(runtime)
          if (installer === undefined) {
            return []
          }
          const { downloadUrl, packageUrl } = installer
          const server = { serverUrl, serverPin, downloadUrl, instanceId }
          const command = { system, ...server, tenantId, keyId: key.id, keySecret: secret, isUserOnly: false }
          const { fileName, text } = installScript(command)
          return {
            runtime,
            command: installCommand(command),
            silentCommand: silentCommand(command),
            packageUrl,
            packageCommand: packageCommand(command, packageUrl),
            scriptName: fileName,
            script: text,
          }
        }),
      ),
    }
  },
  placements: async (call, { tenantId }) => ({ items: await listPlacements(call, tenantId) }),
})

export const deploymentOptionsRoutes = implement(deploymentOptions, {
  get: (call, { tenantId }) => deploymentOptionsOf(call, tenantId),
  tagCapability: async (call, { tenantId, body }) => ({
    allowed: await maySetTags(call, tenantId, body),
  }),
})
