import { randomUUID } from 'node:crypto'
import { hourMs } from '../../../shared/durations.ts'
import { DeviceHistory, hoursPerStep, stepsKept } from '../../../server/history/device-history.ts'
import { deviceRow, store } from '../stored.ts'

/** Number of entities in a large office. */
const counts = {
  device: 10_000,
  tag: 500,
  deviceGroup: 200,
  customer: 200,
  user: 1_000,
  userGroup: 100,
  installerKey: 200,
  serviceAccount: 200,
} as const
const rulesPerGroup = 50
const changes = 50_000
const usages = 20_000
const tokens = 1_000

/** Ids that a request may name. */
export type Fleet = { tenantId: string; userId: string } & Record<`${keyof typeof counts}Ids`, string[]>

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** Pairs every item with the first of the others, and with the next few in round-robin order. */
function spread<Row>(
  from: readonly string[],
  [all, ...others]: readonly string[],
  perItem: number,
  row: (a: string, b: string) => Row,
): Row[] {
  return from.flatMap((id, index) => [
    row(id, all!),
    ...times(perItem - 1, (n) => row(id, others[(index * perItem + n) % others.length]!)),
  ])
}

const rulePermissions = ['device.read', 'device.overview.read', 'device.terminal.use', 'device.tags.write'] as const

/** Fills the data folder of a stopped server with a large office. */
export async function fillFleet(
  directory: string,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Fleet> {
  const ids = Object.entries(counts).map(([name, count]) => [`${name}Ids`, times(count, () => randomUUID())])
  const fleet = { tenantId, userId, ...Object.fromEntries(ids) } as Fleet
  const { deviceIds, deviceGroupIds } = fleet
  const group = (index: number) => deviceGroupIds[index % deviceGroupIds.length]!
  const named = (id: string, createdAt: number) => ({ id, tenantId, name: `name-${createdAt}`, createdAt })
  const described = (id: string, index: number) => ({ ...named(id, index), description: 'd'.repeat(100) })
  const person = (id: string) => {
    const email = `${id}@example.org`
    return { id, tenantId, userName: email, email, securityStamp: id, createdAt: 0 }
  }
  const rule = (principalId: string, index: number) => ({
    id: randomUUID(),
    owningTenantId: tenantId,
    principalKind: 'UserGroup' as const,
    principalId,
    permissionName: rulePermissions[index % rulePermissions.length]!,
    effect: 'Allow' as const,
    scopeKind: 'DeviceGroup' as const,
    scopeId: group(index),
    isEnabled: true,
    createdAt: index,
  })
  const change = (createdAt: number) => ({
    id: randomUUID(),
    actionType: 'device-group-updated',
    actorPrincipalType: 'user' as const,
    actorPrincipalId: userId,
    targetType: 'DeviceGroup',
    targetId: group(createdAt),
    owningTenantId: tenantId,
    ipAddress: '198.51.100.7',
    createdAt,
    beforeJson: '{"name":"before"}',
    afterJson: '{"name":"after"}',
  })
  const creator = { tenantId, creatorId: userId, creatorKind: 'User' as const }
  const key = (id: string, createdAt: number) => ({
    ...creator,
    id,
    keyType: 'Persistent' as const,
    secretHash: '',
    createdAt,
  })
  // All usages belong to a single key.
  const used = { keyId: fleet.installerKeyIds[0]!, timestamp: Date.now(), remoteIpAddress: '198.51.100.7' }
  const usage = (index: number) => ({ ...used, id: randomUUID(), deviceId: deviceIds[index % deviceIds.length]! })
  const owned = { userId, name: 'token', secretHash: '', permissionMode: 'InheritOwner' as const }
  const token = (createdAt: number) => ({ ...owned, id: randomUUID(), createdAt })
  const access = { isEnabled: true, accessMode: 'Restricted' as const }
  const program = (id: string, index: number) => ({ ...described(id, index), ...access })
  const customerId = fleet.customerIds[0]!
  const device = (id: string, index: number) => ({ ...deviceRow(id, index, tenantId), customerId })
  const tagged = spread(deviceIds, fleet.tagIds, 5, (deviceId, tagId) => ({ deviceId, tagId }))
  const grouped = spread(deviceIds, deviceGroupIds, 3, (deviceId, groupId) => ({ deviceId, groupId }))
  const members = spread(fleet.userIds, fleet.userGroupIds, 5, (id, groupId) => ({ userId: id, groupId }))
  const hour = Math.floor(Date.now() / hourMs) - 1
  const worked = new DeviceHistory()
  for (let each = hour - stepsKept * hoursPerStep; each <= hour; each++) {
    worked.setHour(each, {
      online: 1,
      cpu: 0.2,
      memory: 0.5,
      disks: new Map([
        ['/', 0.6],
        ['/home', 0.7],
      ]),
    })
  }
  const samples = Buffer.from(worked.samples).toString('base64')
  const history = (deviceId: string) => ({ deviceId, hour, disks: JSON.stringify(worked.disks), samples })
  await store(directory, async (models, options) => {
    await models.Customer.bulkCreate(fleet.customerIds.map(described), options)
    const tags = fleet.tagIds.map((id, index) => ({ ...named(id, index), type: 'Permission' as const }))
    await models.Tag.bulkCreate(tags, options)
    await models.DeviceGroup.bulkCreate(deviceGroupIds.map(described), options)
    await models.UserGroup.bulkCreate(fleet.userGroupIds.map(described), options)
    await models.User.bulkCreate(fleet.userIds.map(person), options)
    await models.Device.bulkCreate(deviceIds.map(device), options)
    await models.StoredHistory.bulkCreate(deviceIds.map(history), options)
    await models.DeviceTag.bulkCreate(tagged, options)
    await models.DeviceGroupMember.bulkCreate(grouped, options)
    await models.UserGroupMember.bulkCreate(members, options)
    const rules = fleet.userGroupIds.flatMap((id) => times(rulesPerGroup, (index) => rule(id, index)))
    await models.PermissionAssignment.bulkCreate(rules, options)
    await models.AuthorizationChangeLog.bulkCreate(times(changes, change), options)
    await models.InstallerKey.bulkCreate(fleet.installerKeyIds.map(key), options)
    await models.InstallerKeyUsage.bulkCreate(times(usages, usage), options)
    await models.PersonalAccessToken.bulkCreate(times(tokens, token), options)
    await models.ServiceAccount.bulkCreate(fleet.serviceAccountIds.map(program), options)
  })
  return fleet
}
