import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { permissions, type PermissionName } from '../../shared/access.ts'
import { enroll } from '../support/agent.ts'
import { copyRow } from '../support/copied-rows.ts'
import { buildAssignment } from '../support/factories.ts'
import { asUser, atTenant } from '../support/grants.ts'
import { addMember } from '../support/people.ts'
import { useTestServer } from '../support/server.ts'

/** Three times what T26 allows, because the processor of a busy machine is slower. */
const mostMs = 150

/** Longest time between two yields during some work: processor time, because other tests use the machine too. */
async function longestWithoutYield(work: () => Promise<unknown>): Promise<number> {
  let isWorking = true
  let longest = 0
  const follow = (before: NodeJS.CpuUsage): void =>
    void setImmediate(() => {
      const { user, system } = process.threadCpuUsage(before)
      longest = Math.max(longest, (user + system) / 1000)
      if (isWorking) {
        follow(process.threadCpuUsage())
      }
    })
  follow(process.threadCpuUsage())
  await work()
  isWorking = false
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}

test('rights of a person with 20,000, whose group has as many, are summed up with yields in between', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const ofTenant = [...permissions].flatMap(([name, scopes]) => (scopes.includes('Tenant') ? [name] : []))
  const person = await addMember(server, tenantId, ofTenant)
  const { id: userId } = person.user
  const groupId = randomUUID()
  const rows = [userId, groupId].map((principalId) =>
    buildAssignment({
      owningTenantId: tenantId,
      principalKind: principalId === userId ? 'User' : 'UserGroup',
      principalId,
      permissionName: 'device.read',
      scopeKind: 'CustomerTenant',
      scopeId: randomUUID(),
    }),
  )
  await server.write(async ({ UserGroup, UserGroupMember, PermissionAssignment }, transaction) => {
    await UserGroup.create({ id: groupId, tenantId, name: 'crowd', description: null, createdAt: 1 }, { transaction })
    await UserGroupMember.create({ groupId, userId, madeWith: null }, { transaction })
    await PermissionAssignment.bulkCreate(rows, { transaction })
  })
  for (const { id } of rows) {
    await copyRow(server, 'PermissionAssignment', { id, copies: 19_900, ids: ['scopeId'] })
  }
  for (const work of [
    () => owner.appliancePeople.list({ tenantId, query: {} }),
    () => person.applianceAccount.listTokenRights({}),
  ]) {
    // Twice: a collection of garbage may fall into one of them.
    expect(Math.min(await longestWithoutYield(work), await longestWithoutYield(work))).toBeLessThan(mostMs)
  }
})

const isFull = expect.objectContaining({ status: 409 }) as unknown

test('a principal with 20,000 rights gets no more; a principal with more from before can replace some or all', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const { user } = await addMember(server, tenantId, [])
  const row = buildAssignment({
    owningTenantId: tenantId,
    principalId: user.id,
    permissionName: 'device.read',
    scopeKind: 'CustomerTenant',
    scopeId: randomUUID(),
  })
  await server.write(({ PermissionAssignment }, transaction) => PermissionAssignment.create(row, { transaction }))
  await copyRow(server, 'PermissionAssignment', { id: row.id, copies: 19_998, ids: ['scopeId'] })
  const give = (permissionName: PermissionName) =>
    owner.permissionAssignments.create({ tenantId, body: { ...asUser(user.id), ...atTenant(permissionName) } })
  await give('tenant.tags.write')
  await expect(give('tenant.customers.read')).rejects.toEqual(isFull)
  const extra = { ...row, id: randomUUID(), ...atTenant('device.read'), scopeId: tenantId, isEnabled: false }
  await server.write(({ PermissionAssignment }, transaction) => PermissionAssignment.create(extra, { transaction }))
  const grant = {
    principals: [asUser(user.id)],
    permissions: ['device.read'],
    scopes: [{ scopeKind: 'Tenant' as const }],
  }
  const { assignmentIds } = await owner.applianceRights.grant({ tenantId, body: grant })
  expect(assignmentIds).toHaveLength(1)
  const assignments = [atTenant('tenant.customers.read')]
  await owner.permissionAssignments.replace({ tenantId, body: { ...asUser(user.id), assignments } })
})

test('a device with 1,000 groups and tags gets no more', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const { id: deviceId } = await enroll(owner)
  const things = Array.from({ length: 1_000 }, (_, index) => ({
    id: randomUUID(),
    tenantId,
    name: `${index}`,
    description: null,
    type: 'Unknown' as const,
    createdAt: index,
  }))
  const lastGroup = await owner.deviceGroups.create({ tenantId, body: { name: 'last' } })
  const lastTag = await owner.tags.create({ tenantId, body: { name: 'last' } })
  await server.write(async ({ DeviceGroup, DeviceGroupMember, Tag, DeviceTag }, transaction) => {
    await DeviceGroup.bulkCreate(things, { transaction })
    await Tag.bulkCreate(things, { transaction })
    await DeviceGroupMember.bulkCreate(
      things.map(({ id: groupId }) => ({ groupId, deviceId })),
      { transaction },
    )
    await DeviceTag.bulkCreate(
      things.slice(1).map(({ id: tagId }) => ({ tagId, deviceId })),
      { transaction },
    )
  })
  const group = { tenantId, params: { deviceGroupId: lastGroup.id }, body: { deviceIds: [deviceId] } }
  await expect(owner.deviceGroups.addMembers(group)).rejects.toEqual(isFull)
  const tag = (tagId: string) => owner.deviceTags.add({ tenantId, body: { deviceId, tagId } })
  const together = await Promise.allSettled([tag(things[0]!.id), tag(lastTag.id)])
  expect(together.filter(({ status }) => status === 'rejected')).toEqual([{ status: 'rejected', reason: isFull }])
  await tag(things[1]!.id)
})
