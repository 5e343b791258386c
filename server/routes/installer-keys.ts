import { installerKeys } from '../../shared/api/installer-keys.ts'
import { mapInSlices } from '../clock.ts'
import { presentInstallerKey, presentInstallerKeyUsage, presentListedKey } from '../presenters/installer-key.ts'
import {
  createInstallerKey,
  deleteInstallerKey,
  listInstallerKeys,
  listInstallerKeyUsages,
  renameInstallerKey,
} from '../services/agents/installer-keys.ts'
import { implement } from './implement.ts'

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
