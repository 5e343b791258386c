import { agentDevices } from './agent-devices.ts'
import { agentUpdates } from './agent-updates.ts'
import { applianceSession } from './appliance-session.ts'
import { applianceStatus } from './appliance-status.ts'
import { auth } from './auth.ts'
import { devices } from './devices.ts'
import { installerKeys } from './installer-keys.ts'
import { publicServerSettings } from './public-server-settings.ts'
import { versions } from './version.ts'

/** Every group by the document that describes it. */
export const api = {
  v1: { devices, installerKeys, publicServerSettings, versions },
  internal: { auth },
  agent: { agentDevices, agentUpdates },
  appliance: { applianceSession, applianceStatus },
}
