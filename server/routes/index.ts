import { agentDeviceRoutes } from './agent-devices.ts'
import { agentUpdateRoutes } from './agent-updates.ts'
import { applianceSessionRoutes } from './appliance-session.ts'
import { applianceStatusRoutes } from './appliance-status.ts'
import { authRoutes } from './auth.ts'
import { deviceRoutes } from './devices.ts'
import { installerKeyRoutes } from './installer-keys.ts'
import { publicServerSettingsRoutes } from './public-server-settings.ts'
import { versionRoutes } from './version.ts'

/** Every route group with its handlers. */
export const routeGroups = [
  agentDeviceRoutes,
  agentUpdateRoutes,
  applianceSessionRoutes,
  applianceStatusRoutes,
  authRoutes,
  deviceRoutes,
  installerKeyRoutes,
  publicServerSettingsRoutes,
  versionRoutes,
]
