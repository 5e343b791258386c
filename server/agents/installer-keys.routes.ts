import { applianceInstallerKeys } from '../../shared/api/appliance-installer-keys.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { implement } from '../surface/implement.ts'
import { mapInSlices } from '../ground/clock.ts'
import {
  createInstallerKey,
  deleteInstallerKey,
  listInstallerKeys,
  listInstallerKeyUsages,
  listStoppedKeys,
  renameInstallerKey,
} from './installer-keys.ts'
import { presentInstallerKey, presentInstallerKeyUsage, presentListedKey } from './present.ts'
import { checkKeyForDevice } from './registration.ts'

export const installerKeyRoutes = implement(installerKeys, {
  create: async (call, { body, tenantId }) => {
    const { key, secret } = await createInstallerKey(call, tenantId, body)
    return { ...presentInstallerKey(key), keySecret: secret }
  },
  list: async (call, { tenantId }) => ({ items: (await listInstallerKeys(call, tenantId)).map(presentListedKey) }),
  usages: async (call, { tenantId, params }) => ({
    items: await mapInSlices(await listInstallerKeyUsages(call, tenantId, params.keyId), presentInstallerKeyUsage),
  }),
  rename: (call, { tenantId, params, body }) => renameInstallerKey(call, tenantId, params.keyId, body.friendlyName),
  delete: (call, { tenantId, params }) => deleteInstallerKey(call, tenantId, params.keyId),
})

const mostEnded = 200

export const applianceInstallerKeyRoutes = implement(applianceInstallerKeys, {
  check: ({ app }, { body }) => checkKeyForDevice(app, body),
  ended: async (call, { tenantId }) => ({
    items: (await listInstallerKeys(call, tenantId, 'ended')).toReversed().slice(0, mostEnded).map(presentListedKey),
  }),
  stopped: async (call, { tenantId }) => ({ items: await listStoppedKeys(call, tenantId) }),
})
