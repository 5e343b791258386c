import { applianceInstallerKeys } from '../../shared/api/appliance-installer-keys.ts'
import { presentListedKey } from '../presenters/installer-key.ts'
import { listInstallerKeys, listStoppedKeys } from '../services/agents/installer-keys.ts'
import { checkKeyForDevice } from '../services/agents/registration.ts'
import { implement } from './implement.ts'

const mostEnded = 200

export const applianceInstallerKeyRoutes = implement(applianceInstallerKeys, {
  check: ({ app }, { body }) => checkKeyForDevice(app, body),
  ended: async (call, { tenantId }) => ({
    items: (await listInstallerKeys(call, tenantId, 'ended')).toReversed().slice(0, mostEnded).map(presentListedKey),
  }),
  stopped: async (call, { tenantId }) => ({ items: await listStoppedKeys(call, tenantId) }),
})
