import { createUser } from '../../../support/people.ts'
import { newName, password, target, type Acts, type Expected, type Scene } from './scene.ts'

const params = <Name extends string>(name: Name, id: string) => ({ [name]: id }) as Record<Name, string>

const newAccount = async ({ owner: { serverServiceAccounts } }: Scene) => {
  const name = newName()
  const { id } = await serverServiceAccounts.create({ body: { name, accessMode: 'Restricted' } })
  return { name, params: params('serviceAccountId', id) }
}

/** Assigns a right to a new user, and takes it away again. */
async function assign({ owner }: Scene) {
  const { tenantId, permissionAssignments } = owner
  const user = await createUser(owner)
  const assignment = {
    principalKind: 'User',
    principalId: user.id,
    permissionName: 'device.read',
    effect: 'Allow',
    scopeKind: 'Tenant',
    scopeId: tenantId,
    isEnabled: true,
  } as const
  const { id: assignmentId } = await permissionAssignments.create({ tenantId, body: assignment })
  await permissionAssignments.delete({ tenantId, params: { assignmentId } })
  const details = { permission: 'device.read', effect: 'Allow', scope: 'Tenant', scopeId: tenantId }
  return { ...target('rights', user.email), details }
}

/** Makes, renames and deletes a named thing of a tenant. */
function named(kind: 'customer' | 'group', of: 'customers' | 'userGroups' | 'deviceGroups', idName: string) {
  return async ({ owner }: Scene): Promise<Expected> => {
    const name = newName()
    const { tenantId } = owner
    const things = owner[of]
    const { id } = await things.create({ tenantId, body: { name } })
    await things.update({ tenantId, params: { [idName]: id } as never, body: { name } })
    await things.delete({ tenantId, params: { [idName]: id } as never })
    return target(kind, name)
  }
}

/** Adds a user or device to a new group, and removes it again. */
const members = (of: 'deviceGroups' | 'userGroups') => async (scene: Scene) => {
  const { owner, agent } = scene
  const { tenantId } = owner
  const name = newName()
  const group = { tenantId, body: { name } }
  if (of === 'deviceGroups') {
    const { id: deviceGroupId } = await owner.deviceGroups.create(group)
    const change = { tenantId, params: { deviceGroupId }, body: { deviceIds: [agent.id] } }
    await owner.deviceGroups.addMembers(change)
    await owner.deviceGroups.removeMembers(change)
  } else {
    const { id: userGroupId } = await owner.userGroups.create(group)
    const change = { tenantId, params: { userGroupId }, body: { userIds: [(await createUser(owner)).id] } }
    await owner.userGroups.addMembers(change)
    await owner.userGroups.removeMembers(change)
  }
  return target('group', name)
}

/** Creates a service account with a key, revokes and purges the key, and changes and deletes the account. */
async function retireAccount(scene: Scene) {
  const { serverServiceAccounts } = scene.owner
  const { name, params: account } = await newAccount(scene)
  const { credential } = await serverServiceAccounts.createCredential({ params: account, body: { name: 'robot' } })
  const key = { params: { ...account, credentialId: credential.id } }
  await serverServiceAccounts.revokeCredential(key)
  await serverServiceAccounts.purgeCredential(key)
  await serverServiceAccounts.update({ params: account, body: { name, isEnabled: false } })
  await serverServiceAccounts.delete({ params: account })
  return name
}

const limit = 'AppOptions__MaxFileTransferSize'

/** Stores a limit, and removes it again. */
async function changeLimit({ owner }: Scene) {
  for (const value of ['209715200', null]) {
    await owner.applianceServer.changeSettings({ body: { changes: [{ key: limit, value }] } })
  }
}

/** Changes of rights, groups, customers, accounts and people. */
export const actsOfChanges: Acts = [
  ['change.permission-assignment-created', 'a right', assign],
  ['change.permission-assignment-deleted', 'a right', assign],
  [
    'change.permission-assignment-updated',
    'a right',
    async ({ owner }) => {
      const { tenantId, permissionAssignments } = owner
      const user = await createUser(owner)
      const principal = { principalKind: 'User', principalId: user.id } as const
      const scope = { scopeKind: 'Tenant', scopeId: tenantId } as const
      const right = { permissionName: 'device.read', ...scope, isEnabled: true } as const
      const allow = { ...principal, ...right, effect: 'Allow' } as const
      const { id: assignmentId } = await permissionAssignments.create({ tenantId, body: allow })
      await permissionAssignments.update({ tenantId, params: { assignmentId }, body: { ...right, effect: 'Deny' } })
      return { ...target('rights', user.email), details: { permission: 'device.read', effect: 'Deny' } }
    },
  ],
  [
    'change.permission-assignments-seeded',
    'a preset',
    async ({ owner }) => {
      const { tenantId } = owner
      const user = await createUser(owner)
      const principal = { principalKind: 'User', principalId: user.id } as const
      await owner.permissionAssignments.applyPresets({
        tenantId,
        body: { ...principal, presetNames: ['Self Service'] },
      })
      return target('user', user.email)
    },
  ],
  [
    'change.customer-devices-assigned',
    'a device',
    async ({ owner, agent }) => {
      const { tenantId } = owner
      const name = newName()
      const { id: customerId } = await owner.customers.create({ tenantId, body: { name } })
      const body = { deviceIds: [agent.id] }
      await owner.customers.assignDevices({ tenantId, params: { customerId }, body })
      return target('customer', name)
    },
  ],
  ['change.device-group-members-added', 'a device', members('deviceGroups')],
  ['change.device-group-members-removed', 'a device', members('deviceGroups')],
  ['change.user-group-members-added', 'a user', members('userGroups')],
  ['change.user-group-members-removed', 'a user', members('userGroups')],
  [
    'change.service-account-updated',
    'an account',
    async (scene) => target('service-account', await retireAccount(scene)),
  ],
  [
    'change.service-account-deleted',
    'an account',
    async (scene) => target('service-account', await retireAccount(scene)),
  ],
  [
    'change.service-account-credential-deleted',
    'a key of an account',
    async (scene) => {
      await retireAccount(scene)
      return target('key', 'robot')
    },
  ],
  ['change.customer-created', 'a customer', named('customer', 'customers', 'customerId')],
  ['change.customer-updated', 'a customer', named('customer', 'customers', 'customerId')],
  ['change.customer-deleted', 'a customer', named('customer', 'customers', 'customerId')],
  ['change.device-group-created', 'a group', named('group', 'deviceGroups', 'deviceGroupId')],
  ['change.device-group-updated', 'a group', named('group', 'deviceGroups', 'deviceGroupId')],
  ['change.device-group-deleted', 'a group', named('group', 'deviceGroups', 'deviceGroupId')],
  ['change.user-group-created', 'a group', named('group', 'userGroups', 'userGroupId')],
  ['change.user-group-updated', 'a group', named('group', 'userGroups', 'userGroupId')],
  ['change.user-group-deleted', 'a group', named('group', 'userGroups', 'userGroupId')],
  [
    'change.service-account-created',
    'an account',
    async (scene) => target('service-account', (await newAccount(scene)).name),
  ],
  [
    'change.service-account-credential-created',
    'a key of an account',
    async (scene) => {
      const { params: account } = await newAccount(scene)
      await scene.owner.serverServiceAccounts.createCredential({ params: account, body: { name: 'robot' } })
      return target('key', 'robot')
    },
  ],
  [
    'change.service-account-credential-revoked',
    'a key of an account',
    async (scene) => {
      const { params: account } = await newAccount(scene)
      const { serverServiceAccounts } = scene.owner
      const { credential } = await serverServiceAccounts.createCredential({ params: account, body: { name: 'robot' } })
      await serverServiceAccounts.revokeCredential({ params: { ...account, credentialId: credential.id } })
      return target('key', 'robot')
    },
  ],
  [
    'change.user-disabled',
    'an account',
    async ({ owner }) => {
      const { id: userId, email } = await createUser(owner)
      await owner.appliancePeople.disable({ tenantId: owner.tenantId, params: { userId } })
      return target('user', email)
    },
  ],
  [
    'change.user-enabled',
    'a disabled account',
    async ({ owner }) => {
      const { id: userId, email } = await createUser(owner)
      const at = { tenantId: owner.tenantId, params: { userId } }
      await owner.appliancePeople.disable(at)
      await owner.appliancePeople.enable(at)
      return target('user', email)
    },
  ],
  [
    'change.user-other-ways-in-removed',
    'an account with a password',
    async ({ owner }) => {
      const { id: userId, email } = await createUser(owner, { password })
      await owner.appliancePeople.removeOtherWaysIn({ tenantId: owner.tenantId, params: { userId } })
      return target('user', email)
    },
  ],
  [
    'people.user-unlocked',
    'an account',
    async ({ owner }) => {
      const { id: userId, email } = await createUser(owner)
      await owner.appliancePeople.unlock({ tenantId: owner.tenantId, params: { userId } })
      return target('user', email)
    },
  ],
  [
    'people.sign-ins-ended',
    'all of a person',
    async ({ owner }) => {
      const { id: userId, email } = await createUser(owner)
      await owner.appliancePeople.endSignIns({ tenantId: owner.tenantId, params: { userId } })
      return { ...target('user', email), details: { count: 0 } }
    },
  ],
  [
    'change.user-deleted',
    'an account',
    async ({ owner }) => {
      const { id: userId, email } = await createUser(owner)
      await owner.users.delete({ tenantId: owner.tenantId, params: { userId } })
      return target('user', email)
    },
  ],
  [
    'change.user-password-reset',
    'a temporary password',
    async ({ owner }) => {
      const { id: userId, email } = await createUser(owner)
      await owner.users.resetPassword({ tenantId: owner.tenantId, params: { userId } })
      return target('user', email)
    },
  ],
  [
    'settings.server-setting-changed',
    'a limit',
    async (scene) => {
      await changeLimit(scene)
      return { ...target('setting', limit), details: { value: '209715200' } }
    },
  ],
  [
    'settings.server-setting-reset',
    'a limit',
    async (scene) => {
      await changeLimit(scene)
      return target('setting', limit)
    },
  ],
  [
    'export.rights-changes',
    'an export',
    async ({ owner }) => {
      await (await owner.fetch(`/api/appliance/v1/rights/changes/export?tenantId=${owner.tenantId}`)).text()
      return {}
    },
  ],
  [
    'credential.logon-token-ended',
    'a link to a device',
    async ({ owner, agent }) => {
      const { tenantId } = owner
      const body = { tenantId, deviceId: agent.id, userCorrelationId: newName(), userDisplayName: 'Guest' }
      await owner.logonTokens.createForExternalUser({ body })
      const { items } = await owner.applianceShares.list({ query: { deviceId: agent.id } })
      await owner.applianceShares.end({ params: { shareId: items[0]!.id } })
      return { targetKind: 'token', deviceId: agent.id }
    },
  ],
]
