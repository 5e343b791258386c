import { serverServiceAccounts } from '../../shared/api/server-service-accounts.ts'
import { tenantServiceAccounts } from '../../shared/api/tenant-service-accounts.ts'
import { implement } from '../surface/implement.ts'
import { presentCredential, presentServerServiceAccount, presentTenantServiceAccount } from './present.ts'
import { createCredential, purgeCredential, revokeCredential } from './service-account-credentials.ts'
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  updateServiceAccount,
} from './service-accounts.ts'

/** Owner of the server's accounts: no tenant. */
const server = null

export const serverServiceAccountRoutes = implement(serverServiceAccounts, {
  list: async (call) => ({ items: (await listServiceAccounts(call, server)).map(presentServerServiceAccount) }),
  get: async (call, { params }) =>
    presentServerServiceAccount(await getServiceAccount(call, server, params.serviceAccountId)),
  create: async (call, { body }) => presentServerServiceAccount(await createServiceAccount(call, server, body)),
  update: async (call, { params, body }) =>
    presentServerServiceAccount(await updateServiceAccount(call, server, params.serviceAccountId, body)),
  delete: (call, { params }) => deleteServiceAccount(call, server, params.serviceAccountId),
  createCredential: async (call, { params, body }) => {
    const { credential, key } = await createCredential(call, server, params.serviceAccountId, body)
    return { credential: presentCredential(credential), plainTextSecretKey: key }
  },
  revokeCredential: (call, { params }) => revokeCredential(call, server, params),
  purgeCredential: (call, { params }) => purgeCredential(call, server, params),
})

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
