import { installerKeys } from '../../shared/api/installer-keys.ts'
import { presentInstallerKey, presentInstallerKeyUsage } from '../presenters/installer-key.ts'
import {
  createInstallerKey,
  deleteInstallerKey,
  listInstallerKeys,
  listInstallerKeyUsages,
  renameInstallerKey,
} from '../services/agents/installer-keys.ts'
import { callerOf, implement } from './implement.ts'

export const installerKeyRoutes = implement(installerKeys, {
  create: async (context, { body, tenantId }) => {
    const { key, secret } = await createInstallerKey(context.app, callerOf(context), tenantId, body)
    return { ...presentInstallerKey(key), keySecret: secret }
  },
  list: async ({ app }, { tenantId }) => {
    const keys = await listInstallerKeys(app, tenantId)
    return {
      items: keys.map((key) => ({
        ...presentInstallerKey(key),
        creatorName: key.creatorName,
        usageCount: key.usageCount,
      })),
    }
  },
  usages: async ({ app }, { tenantId, params }) => ({
    items: (await listInstallerKeyUsages(app, tenantId, params.keyId)).map(presentInstallerKeyUsage),
  }),
  rename: ({ app }, { tenantId, params, body }) => renameInstallerKey(app, tenantId, params.keyId, body.friendlyName),
  delete: ({ app }, { tenantId, params }) => deleteInstallerKey(app, tenantId, params.keyId),
})
