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

/** These accounts belong to no tenant. */
const server = null

export const serverServiceAccountRoutes = implement(serverServiceAccounts, {
  list: async ({ app }) => ({ items: (await listServiceAccounts(app, server)).map(presentServerServiceAccount) }),
  get: async ({ app }, { params }) =>
    presentServerServiceAccount(await getServiceAccount(app, server, params.serviceAccountId)),
  create: async (context, { body }) => presentServerServiceAccount(await createServiceAccount(context, server, body)),
  update: async (context, { params, body }) =>
    presentServerServiceAccount(await updateServiceAccount(context, server, params.serviceAccountId, body)),
  delete: (context, { params }) => deleteServiceAccount(context, server, params.serviceAccountId),
  createCredential: async (context, { params, body }) => {
    const { credential, key } = await createCredential(context, server, params.serviceAccountId, body)
    return { credential: presentCredential(credential), plainTextSecretKey: key }
  },
  revokeCredential: (context, { params }) => revokeCredential(context, server, params),
  purgeCredential: (context, { params }) => purgeCredential(context, server, params),
})
