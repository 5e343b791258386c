import type { Member } from '../../../../support/server.ts'
import { newName, writesOf, type Writes } from './write.ts'

/** Ids and names of a list. */
const pairs = async (list: Promise<{ items: { id: string; name: string }[] }>) =>
  (await list).items.map(({ id, name }): [string, string] => [id, name])

const idOf = async (made: Promise<{ id: string }>) => (await made).id

export const namedWrites: Writes = {
  ...writesOf('customers', ({ customers, tenantId }) => ({
    create: (name) => idOf(customers.create({ tenantId, body: { name } })),
    rename: (customerId, name) => customers.update({ tenantId, params: { customerId }, body: { name } }),
    delete: (customerId) => customers.delete({ tenantId, params: { customerId } }),
    list: () => pairs(customers.list({ tenantId })),
  })),
  ...writesOf('deviceGroups', ({ deviceGroups, tenantId }) => ({
    create: (name) => idOf(deviceGroups.create({ tenantId, body: { name } })),
    rename: (deviceGroupId, name) => deviceGroups.update({ tenantId, params: { deviceGroupId }, body: { name } }),
    delete: (deviceGroupId) => deviceGroups.delete({ tenantId, params: { deviceGroupId } }),
    list: () => pairs(deviceGroups.list({ tenantId })),
  })),
  ...writesOf(
    'installerKeys',
    ({ installerKeys, tenantId }) => ({
      create: (friendlyName) =>
        idOf(installerKeys.create({ body: { tenantId, keyType: 'Persistent' as const, friendlyName } })),
      rename: (keyId, friendlyName) => installerKeys.rename({ tenantId, params: { keyId }, body: { friendlyName } }),
      delete: (keyId) => installerKeys.delete({ tenantId, params: { keyId } }),
      list: async () =>
        (await installerKeys.list({ tenantId })).items.map(({ id, friendlyName }) => [id, friendlyName]),
    }),
    'rename',
  ),
  ...writesOf('personalAccessTokens', ({ personalAccessTokens, tenantId }) => ({
    create: async (name) => (await personalAccessTokens.create({ tenantId, body: { name } })).personalAccessToken.id,
    rename: (id, name) => personalAccessTokens.update({ tenantId, params: { id }, body: { name } }),
    delete: (id) => personalAccessTokens.delete({ tenantId, params: { id } }),
    list: () => pairs(personalAccessTokens.list({ tenantId })),
  })),
  ...writesOf('serverServiceAccounts', ({ serverServiceAccounts }) => ({
    create: (name) => idOf(serverServiceAccounts.create({ body: { name, accessMode: 'Restricted' } })),
    rename: (serviceAccountId, name) =>
      serverServiceAccounts.update({ params: { serviceAccountId }, body: { name, isEnabled: true } }),
    delete: (serviceAccountId) => serverServiceAccounts.delete({ params: { serviceAccountId } }),
    list: () => pairs(serverServiceAccounts.list({})),
  })),
  ...writesOf(
    'tags',
    ({ tags, tenantId }) => ({
      create: (name) => idOf(tags.create({ tenantId, body: { name } })),
      rename: (tagId, name) => tags.rename({ tenantId, params: { tagId }, body: { name } }),
      delete: (tagId) => tags.delete({ tenantId, params: { tagId } }),
      list: () => pairs(tags.list({ tenantId, query: {} })),
    }),
    'rename',
  ),
  ...writesOf('tenants', ({ tenants }) => ({
    create: async (name) => (await tenants.create({ body: { name } })).tenantId,
    rename: (tenantId, name) => tenants.update({ params: { tenantId }, body: { name } }),
    delete: (tenantId) => tenants.delete({ params: { tenantId } }),
    list: async () => (await tenants.list({})).items.map(({ tenantId, tenantName }) => [tenantId, tenantName]),
  })),
  ...writesOf('tenantServiceAccounts', ({ tenantServiceAccounts, tenantId }) => ({
    create: (name) => idOf(tenantServiceAccounts.create({ params: { tenantId }, body: { name } })),
    rename: (serviceAccountId, name) =>
      tenantServiceAccounts.update({ params: { tenantId, serviceAccountId }, body: { name, isEnabled: true } }),
    delete: (serviceAccountId) => tenantServiceAccounts.delete({ params: { tenantId, serviceAccountId } }),
    list: () => pairs(tenantServiceAccounts.list({ params: { tenantId } })),
  })),
  ...writesOf('userGroups', ({ userGroups, tenantId }) => ({
    create: (name) => idOf(userGroups.create({ tenantId, body: { name } })),
    rename: (userGroupId, name) => userGroups.update({ tenantId, params: { userGroupId }, body: { name } }),
    delete: (userGroupId) => userGroups.delete({ tenantId, params: { userGroupId } }),
    list: () => pairs(userGroups.list({ tenantId })),
  })),
  ...writesOf('userPersonalAccessTokens', async (owner) => {
    const { userPersonalAccessTokens: tokens, tenantId } = owner
    const userId = await newUserId(owner)
    return {
      create: async (name) =>
        (await tokens.create({ tenantId, params: { userId }, body: { name } })).personalAccessToken.id,
      rename: (tokenId, name) => tokens.update({ tenantId, params: { userId, tokenId }, body: { name } }),
      delete: (tokenId) => tokens.delete({ tenantId, params: { userId, tokenId } }),
      list: () => pairs(tokens.list({ tenantId, params: { userId } })),
    }
  }),
}

export const newUserId = async ({ users, tenantId }: Member): Promise<string> =>
  (await users.create({ tenantId, body: { userName: `${newName()}@example.org` } })).id
