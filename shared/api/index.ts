import { agentDevices } from './agent-devices.ts'
import { agentUpdates } from './agent-updates.ts'
import { appliance } from './appliance.ts'
import { auth } from './auth.ts'
import { deviceFileSystemForm } from './device-file-system-form.ts'
import { identity } from './identity.ts'
import { internalLogonTokens } from './internal-logon-tokens.ts'
import { inviteAcceptance } from './invite-acceptance.ts'
import { v1 } from './v1.ts'

/** All route groups, by the document that describes them. */
export const api = {
  v1,
  identity: { identity },
  internal: { auth, deviceFileSystemForm, internalLogonTokens, inviteAcceptance },
  agent: { agentDevices, agentUpdates },
  appliance,
}
