import { serverServiceAccounts } from '../../shared/api/server-service-accounts.ts'
import { presentCredential, presentServerServiceAccount } from '../presenters/service-account.ts'
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
