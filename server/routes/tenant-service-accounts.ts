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

/** A tenant's accounts always need permission assignments. */
const accessMode = 'Restricted'

export const tenantServiceAccountRoutes = implement(tenantServiceAccounts, {
  list: async (call, { tenantId }) => ({
    items: (await listServiceAccounts(call, tenantId)).map(presentTenantServiceAccount),
  }),
  get: async (call, { tenantId, params }) =>
    presentTenantServiceAccount(await getServiceAccount(call, tenantId, params.serviceAccountId)),
  create: async (call, { tenantId, body }) =>
    presentTenantServiceAccount(await createServiceAccount(call, tenantId, { ...body, accessMode })),
  update: async (call, { tenantId, params, body }) =>
    presentTenantServiceAccount(await updateServiceAccount(call, tenantId, params.serviceAccountId, body)),
  delete: (call, { tenantId, params }) => deleteServiceAccount(call, tenantId, params.serviceAccountId),
  createCredential: async (call, { tenantId, params, body }) => {
    const { credential, key } = await createCredential(call, tenantId, params.serviceAccountId, body)
    return { credential: presentCredential(credential), plainTextSecretKey: key }
  },
  revokeCredential: (call, { tenantId, params }) => revokeCredential(call, tenantId, params),
  purgeCredential: (call, { tenantId, params }) => purgeCredential(call, tenantId, params),
})
