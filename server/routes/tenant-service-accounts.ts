import { tenantServiceAccounts } from '../../shared/api/tenant-service-accounts.ts'
import { presentCredential, presentTenantServiceAccount } from '../presenters/service-account.ts'
import {
  createCredential,
  purgeCredential,
  revokeCredential,
} from '../services/credentials/service-account-credentials.ts'
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  updateServiceAccount,
} from '../services/credentials/service-accounts.ts'
import { implement } from './implement.ts'

/** An account of a tenant always goes by its own permission assignments. */
const accessMode = 'Restricted'

export const tenantServiceAccountRoutes = implement(tenantServiceAccounts, {
  list: async ({ app }, { tenantId }) => ({
    items: (await listServiceAccounts(app, tenantId)).map(presentTenantServiceAccount),
  }),
  get: async ({ app }, { tenantId, params }) =>
    presentTenantServiceAccount(await getServiceAccount(app, tenantId, params.serviceAccountId)),
  create: async (context, { tenantId, body }) =>
    presentTenantServiceAccount(await createServiceAccount(context, tenantId, { ...body, accessMode })),
  update: async (context, { tenantId, params, body }) =>
    presentTenantServiceAccount(await updateServiceAccount(context, tenantId, params.serviceAccountId, body)),
  delete: (context, { tenantId, params }) => deleteServiceAccount(context, tenantId, params.serviceAccountId),
  createCredential: async (context, { tenantId, params, body }) => {
    const { credential, key } = await createCredential(context, tenantId, params.serviceAccountId, body)
    return { credential: presentCredential(credential), plainTextSecretKey: key }
  },
  revokeCredential: (context, { tenantId, params }) => revokeCredential(context, tenantId, params),
  purgeCredential: (context, { tenantId, params }) => purgeCredential(context, tenantId, params),
})
