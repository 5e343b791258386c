import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../../server/database/database.ts'
import { createLog } from '../../../server/ground/log.ts'
import { migrations } from '../../../server/database/migrations/index.ts'
import { bindModels, type Models } from '../../../server/call/models.ts'
import { simulatedReport } from '../../simulate/facts.ts'

/** Number of entities in a large office. */
const counts = {
  devices: 10_000,
  tags: 500,
  tagsPerDevice: 5,
  deviceGroups: 200,
  groupsPerDevice: 3,
  customers: 200,
  users: 1_000,
  userGroups: 100,
  groupsPerUser: 5,
  rulesPerGroup: 50,
  changes: 50_000,
  installerKeys: 200,
  usages: 20_000,
  tokens: 1_000,
  serviceAccounts: 200,
} as const

/** Ids that a request may name. */
export interface Fleet {
  tenantId: string
  userId: string
  deviceIds: string[]
  tagIds: string[]
  deviceGroupIds: string[]
  customerIds: string[]
  userIds: string[]
  userGroupIds: string[]
  installerKeyIds: string[]
  serviceAccountIds: string[]
}

const ids = (count: number) => Array.from({ length: count }, () => randomUUID())

/** Pairs every item with the first of the others, and with the next few in round-robin order. */
function spread<Row>(
  from: readonly string[],
  [all, ...others]: readonly string[],
  perItem: number,
  row: (a: string, b: string) => Row,
): Row[] {
  return from.flatMap((id, index) => [
    row(id, all!),
    ...Array.from({ length: perItem - 1 }, (_, n) => row(id, others[(index * perItem + n) % others.length]!)),
  ])
}

const rulePermissions = ['device.read', 'device.overview.read', 'device.terminal.use', 'device.tags.write'] as const

function rowsOf(fleet: Fleet) {
  const { tenantId, userId } = fleet
  const named = (id: string, index: number) => ({ id, tenantId, name: `name-${index}`, createdAt: index })
  const described = (id: string, index: number) => ({ ...named(id, index), description: 'd'.repeat(100), notes: null })
  const device = (id: string, index: number) => ({
    ...simulatedReport(index),
    id,
    tenantId,
    createdAt: index,
    lastSeen: Date.now(),
    alias: `alias ${index}`,
    publicKey: null,
    publicIpV4: '198.51.100.7',
    publicIpV6: '',
    customerId: fleet.customerIds[0]!,
    newestUpdate: null,
  })
  const person = (id: string) => ({
    id,
    tenantId,
    userName: `${id}@example.org`,
    email: `${id}@example.org`,
    securityStamp: id,
    createdAt: 0,
  })
  const rule = (principalId: string, index: number) => ({
    id: randomUUID(),
    owningTenantId: tenantId,
    principalKind: 'UserGroup' as const,
    principalId,
    permissionName: rulePermissions[index % rulePermissions.length]!,
    effect: 'Allow' as const,
    scopeKind: 'DeviceGroup' as const,
    scopeId: fleet.deviceGroupIds[index % fleet.deviceGroupIds.length]!,
    notes: null,
    isEnabled: true,
    createdAt: index,
  })
  const change = (index: number) => ({
    id: randomUUID(),
    actionType: 'device-group-updated',
    actorPrincipalType: 'user' as const,
    actorPrincipalId: userId,
    targetType: 'DeviceGroup',
    targetId: fleet.deviceGroupIds[index % fleet.deviceGroupIds.length]!,
    owningTenantId: tenantId,
    ipAddress: '198.51.100.7',
    createdAt: index,
    beforeJson: '{"name":"before"}',
    afterJson: '{"name":"after"}',
  })
  return { named, described, device, person, rule, change }
}

async function insert(
  models: Models,
  fleet: Fleet,
  write: (work: (options: object) => Promise<unknown>) => Promise<unknown>,
) {
  const { tenantId, userId, deviceIds, tagIds, deviceGroupIds, customerIds, userIds, userGroupIds } = fleet
  const { named, described, device, person, rule, change } = rowsOf(fleet)
  const times = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))
  await write(async (options) => {
    const all = { ...options, validate: false, hooks: false }
    await models.Customer.bulkCreate(customerIds.map(described), all)
    await models.Tag.bulkCreate(
      tagIds.map((id, index) => ({ ...named(id, index), type: 'Permission' as const })),
      all,
    )
    await models.DeviceGroup.bulkCreate(deviceGroupIds.map(described), all)
    await models.UserGroup.bulkCreate(userGroupIds.map(described), all)
    await models.User.bulkCreate(userIds.map(person), all)
    await models.Device.bulkCreate(deviceIds.map(device), all)
    await models.DeviceTag.bulkCreate(
      spread(deviceIds, tagIds, counts.tagsPerDevice, (deviceId, tagId) => ({ deviceId, tagId })),
      all,
    )
    await models.DeviceGroupMember.bulkCreate(
      spread(deviceIds, deviceGroupIds, counts.groupsPerDevice, (deviceId, groupId) => ({ deviceId, groupId })),
      all,
    )
    await models.UserGroupMember.bulkCreate(
      spread(userIds, userGroupIds, counts.groupsPerUser, (user, groupId) => ({ userId: user, groupId })),
      all,
    )
    await models.PermissionAssignment.bulkCreate(
      userGroupIds.flatMap((id) => times(counts.rulesPerGroup, (index) => rule(id, index))),
      all,
    )
    await models.AuthorizationChangeLog.bulkCreate(times(counts.changes, change), all)
    await models.InstallerKey.bulkCreate(
      fleet.installerKeyIds.map((id, createdAt) => ({
        id,
        tenantId,
        creatorId: userId,
        creatorKind: 'User' as const,
        keyType: 'Persistent' as const,
        secretHash: '',
        friendlyName: null,
        allowedUses: null,
        expiration: null,
        createdAt,
      })),
      all,
    )
    await models.InstallerKeyUsage.bulkCreate(
      times(counts.usages, (index) => ({
        id: randomUUID(),
        // Most usages belong to a single key.
        keyId: fleet.installerKeyIds[0]!,
        deviceId: deviceIds[index % deviceIds.length]!,
        timestamp: Date.now(),
        remoteIpAddress: '198.51.100.7',
      })),
      all,
    )
    await models.PersonalAccessToken.bulkCreate(
      times(counts.tokens, (createdAt) => ({
        id: randomUUID(),
        userId,
        name: 'token',
        secretHash: '',
        permissionMode: 'InheritOwner' as const,
        createdAt,
        lastUsed: null,
      })),
      all,
    )
    await models.ServiceAccount.bulkCreate(
      fleet.serviceAccountIds.map((id, index) => ({
        ...described(id, index),
        isEnabled: true,
        accessMode: 'Restricted' as const,
      })),
      all,
    )
  })
}

/** Fills the data folder of a stopped server directly, in seconds instead of minutes. */
export async function fillFleet(
  directory: string,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Fleet> {
  const fleet: Fleet = {
    tenantId,
    userId,
    deviceIds: ids(counts.devices),
    tagIds: ids(counts.tags),
    deviceGroupIds: ids(counts.deviceGroups),
    customerIds: ids(counts.customers),
    userIds: ids(counts.users),
    userGroupIds: ids(counts.userGroups),
    installerKeyIds: ids(counts.installerKeys),
    serviceAccountIds: ids(counts.serviceAccounts),
  }
  const database = await openDatabase({ directory, migrations, log: createLog({ default: 'None' }), appVersion: '0' })
  try {
    const models = bindModels(database.sequelize)
    await insert(models, fleet, (work) => database.write((transaction) => work({ transaction })))
  } finally {
    await database.close()
  }
  return fleet
}
