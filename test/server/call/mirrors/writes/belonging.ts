import { expect } from 'vitest'
import { enroll } from '../../../../support/agent.ts'
import type { Member } from '../../../../support/server.ts'
import { newUserId } from './named.ts'
import { newName, type Writes } from './write.ts'

const deviceOf = async (owner: Member) => (await enroll(owner)).id
const customerIdOf = async ({ devices }: Member, deviceId: string) =>
  (await devices.get({ params: { deviceId } })).customerId

async function newDeviceGroup(owner: Member, deviceIds: string[]) {
  const { deviceGroups, tenantId } = owner
  const { id: deviceGroupId } = await deviceGroups.create({ tenantId, body: { name: newName() } })
  const input = { tenantId, params: { deviceGroupId }, body: { deviceIds } }
  const membersOf = async () =>
    (await deviceGroups.get({ tenantId, params: { deviceGroupId } })).members.map((member) => member.deviceId)
  return { input, membersOf }
}

async function newUserGroup({ userGroups, tenantId }: Member, userIds: string[]) {
  const { id: userGroupId } = await userGroups.create({ tenantId, body: { name: newName() } })
  const input = { tenantId, params: { userGroupId }, body: { userIds } }
  const membersOf = async () =>
    (await userGroups.get({ tenantId, params: { userGroupId } })).members.map((member) => member.userId)
  return { input, membersOf }
}

async function newDeviceTag(owner: Member) {
  const { tenantId } = owner
  const deviceId = await deviceOf(owner)
  const { id: tagId } = await owner.tags.create({ tenantId, body: { name: newName() } })
  const tagsOf = async () => (await owner.devices.get({ params: { deviceId } })).tagIds
  return { tenantId, deviceId, tagId, tagsOf }
}

/** Writes of memberships and other links. */
export const belongingWrites: Writes = {
  'customers.assignDevices': async (owner) => {
    const { customers, tenantId } = owner
    const deviceId = await deviceOf(owner)
    const { id: customerId } = await customers.create({ tenantId, body: { name: newName() } })
    return {
      act: () => customers.assignDevices({ tenantId, params: { customerId }, body: { deviceIds: [deviceId] } }),
      expectStored: async () => expect(await customerIdOf(owner, deviceId)).toBe(customerId),
    }
  },
  'deviceGroups.addMembers': async (owner) => {
    const deviceId = await deviceOf(owner)
    const { input, membersOf } = await newDeviceGroup(owner, [deviceId])
    return {
      act: () => owner.deviceGroups.addMembers(input),
      expectStored: async () => expect(await membersOf()).toEqual([deviceId]),
    }
  },
  'deviceGroups.removeMembers': async (owner) => {
    const { input, membersOf } = await newDeviceGroup(owner, [await deviceOf(owner)])
    await owner.deviceGroups.addMembers(input)
    return {
      act: () => owner.deviceGroups.removeMembers(input),
      expectStored: async () => expect(await membersOf()).toEqual([]),
    }
  },
  'userGroups.addMembers': async (owner) => {
    const userId = await newUserId(owner)
    const { input, membersOf } = await newUserGroup(owner, [userId])
    return {
      act: () => owner.userGroups.addMembers(input),
      expectStored: async () => expect(await membersOf()).toEqual([userId]),
    }
  },
  'userGroups.removeMembers': async (owner) => {
    const { input, membersOf } = await newUserGroup(owner, [await newUserId(owner)])
    await owner.userGroups.addMembers(input)
    return {
      act: () => owner.userGroups.removeMembers(input),
      expectStored: async () => expect(await membersOf()).toEqual([]),
    }
  },
  'deviceTags.add': async (owner) => {
    const { tenantId, deviceId, tagId, tagsOf } = await newDeviceTag(owner)
    return {
      act: () => owner.deviceTags.add({ tenantId, body: { deviceId, tagId } }),
      expectStored: async () => expect(await tagsOf()).toEqual([tagId]),
    }
  },
  'deviceTags.remove': async (owner) => {
    const { tenantId, deviceId, tagId, tagsOf } = await newDeviceTag(owner)
    await owner.deviceTags.add({ tenantId, body: { deviceId, tagId } })
    return {
      act: () => owner.deviceTags.remove({ tenantId, params: { deviceId, tagId } }),
      expectStored: async () => expect(await tagsOf()).toEqual([]),
    }
  },
}
