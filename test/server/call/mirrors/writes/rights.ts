import { expect } from 'vitest'
import { integrator, type Member } from '../../../../support/server.ts'
import { newUserId } from './named.ts'
import { newName, type Writes } from './write.ts'

type Accounts = 'serverServiceAccounts' | 'tenantServiceAccounts'

/** Creates an account of either kind, with functions that create and end its keys. */
async function newAccount(owner: Member, kind: Accounts) {
  const { serverServiceAccounts, tenantServiceAccounts, tenantId } = owner
  const body = { name: 'key' }
  if (kind === 'serverServiceAccounts') {
    const { id: serviceAccountId } = await serverServiceAccounts.create({
      body: { name: newName(), accessMode: 'Unrestricted' },
    })
    const params = { serviceAccountId }
    return {
      createKey: () => serverServiceAccounts.createCredential({ params, body }),
      revoke: (credentialId: string) => serverServiceAccounts.revokeCredential({ params: { ...params, credentialId } }),
      purge: (credentialId: string) => serverServiceAccounts.purgeCredential({ params: { ...params, credentialId } }),
      credentials: async () => (await serverServiceAccounts.get({ params })).credentials,
    }
  }
  const { id: serviceAccountId } = await tenantServiceAccounts.create({
    params: { tenantId },
    body: { name: newName() },
  })
  const params = { tenantId, serviceAccountId }
  return {
    createKey: () => tenantServiceAccounts.createCredential({ params, body }),
    revoke: (credentialId: string) => tenantServiceAccounts.revokeCredential({ params: { ...params, credentialId } }),
    purge: (credentialId: string) => tenantServiceAccounts.purgeCredential({ params: { ...params, credentialId } }),
    credentials: async () => (await tenantServiceAccounts.get({ params })).credentials,
  }
}

const statusWith = ({ url }: Member, key: string) =>
  integrator(url, { 'x-api-key': key })
    .serverAlert.get({})
    .then(
      () => 200,
      ({ status }: { status: number }) => status,
    )

const credentialWrites = (kind: Accounts): Writes => ({
  [`${kind}.createCredential`]: async (owner) => {
    const { createKey } = await newAccount(owner, kind)
    let key = ''
    return {
      act: async () => (key = (await createKey()).plainTextSecretKey),
      expectStored: async () => expect(await statusWith(owner, key)).toBe(200),
    }
  },
  [`${kind}.revokeCredential`]: async (owner) => {
    const { createKey, revoke } = await newAccount(owner, kind)
    const { credential, plainTextSecretKey } = await createKey()
    return {
      act: () => revoke(credential.id),
      expectStored: async () => expect(await statusWith(owner, plainTextSecretKey)).toBe(401),
    }
  },
  [`${kind}.purgeCredential`]: async (owner) => {
    const { createKey, revoke, purge, credentials } = await newAccount(owner, kind)
    const { credential } = await createKey()
    await revoke(credential.id)
    return {
      act: () => purge(credential.id),
      expectStored: async () => expect(await credentials()).toEqual([]),
    }
  },
})

/** Creates a user, with its assignments beyond Self Service. */
async function newReceiver(owner: Member) {
  const { permissionAssignments, tenantId } = owner
  const principal = { principalKind: 'User', principalId: await newUserId(owner) } as const
  const given = async () => {
    const { items } = await permissionAssignments.list({ tenantId, query: principal })
    return items
      .filter(({ permissionName }) => !permissionName.startsWith('personal-access-token.self'))
      .map(({ permissionName, notes }) => [permissionName, notes])
  }
  const right = { ...principal, permissionName: 'device.read', scopeKind: 'Tenant' } as const
  return { api: permissionAssignments, tenantId, principal, right, given }
}

const assignmentWrites: Writes = {
  'permissionAssignments.create': async (owner) => {
    const { api, tenantId, right, given } = await newReceiver(owner)
    return {
      act: () => api.create({ tenantId, body: right }),
      expectStored: async () => expect(await given()).toEqual([['device.read', null]]),
    }
  },
  'permissionAssignments.createBatch': async (owner) => {
    const { api, tenantId, right, given } = await newReceiver(owner)
    const assignments = [right, { ...right, permissionName: 'device.wake.send' as const }]
    return {
      act: () => api.createBatch({ tenantId, body: { assignments } }),
      expectStored: async () => expect((await given()).length).toBe(2),
    }
  },
  'permissionAssignments.deleteBatch': async (owner) => {
    const { api, tenantId, right, given } = await newReceiver(owner)
    const { id } = await api.create({ tenantId, body: right })
    return {
      act: () => api.deleteBatch({ tenantId, body: { assignmentIds: [id] } }),
      expectStored: async () => expect(await given()).toEqual([]),
    }
  },
  'permissionAssignments.applyPresets': async (owner) => {
    const { api, tenantId, principal, given } = await newReceiver(owner)
    return {
      act: () => api.applyPresets({ tenantId, body: { ...principal, presetNames: ['Agent Installer'] } }),
      expectStored: async () => expect((await given()).length).toBe(3),
    }
  },
  'permissionAssignments.replace': async (owner) => {
    const { api, tenantId, principal, right, given } = await newReceiver(owner)
    await api.create({ tenantId, body: right })
    const assignments = [{ permissionName: 'device.wake.send', scopeKind: 'Tenant' } as const]
    return {
      act: () => api.replace({ tenantId, body: { ...principal, assignments } }),
      expectStored: async () => expect(await given()).toEqual([['device.wake.send', null]]),
    }
  },
  'permissionAssignments.update': async (owner) => {
    const { api, tenantId, right, given } = await newReceiver(owner)
    const { id: assignmentId } = await api.create({ tenantId, body: right })
    const { permissionName, scopeKind } = right
    return {
      act: () => api.update({ tenantId, params: { assignmentId }, body: { permissionName, scopeKind, notes: 'why' } }),
      expectStored: async () => expect(await given()).toEqual([['device.read', 'why']]),
    }
  },
  'permissionAssignments.delete': async (owner) => {
    const { api, tenantId, right, given } = await newReceiver(owner)
    const { id: assignmentId } = await api.create({ tenantId, body: right })
    return {
      act: () => api.delete({ tenantId, params: { assignmentId } }),
      expectStored: async () => expect(await given()).toEqual([]),
    }
  },
}

/** Writes of rights, and of keys with rights. */
export const rightsWrites: Writes = {
  ...credentialWrites('serverServiceAccounts'),
  ...credentialWrites('tenantServiceAccounts'),
  ...assignmentWrites,
}
