import { expect } from 'vitest'
import { enroll, installerKey, TestAgent } from '../../../../support/agent.ts'
import { addServerAccount } from '../../../../support/people.ts'
import type { Member } from '../../../../support/server.ts'
import { newName, type Writes } from './write.ts'

const idsOf = async ({ devices }: Member) => (await devices.list({})).map(({ id }) => id)

/** Settings of a tenant that no other write changes. */
async function newSettings(owner: Member) {
  const { tenantId } = await owner.tenants.create({ body: { name: newName() } })
  // Users act in their own tenant only.
  const { tenantSettings } = await addServerAccount(owner)
  return { tenantId, tenantSettings }
}

/** Writes of devices, of reports by their agents, and of settings of the tenant and the server. */
export const deviceWrites: Writes = {
  'devices.setAlias': async (owner) => {
    const params = { deviceId: (await enroll(owner)).id }
    return {
      act: () => owner.devices.setAlias({ params, body: { alias: 'Cellar' } }),
      expectStored: async () => expect((await owner.devices.get({ params })).alias).toBe('Cellar'),
    }
  },
  'devices.delete': async (owner) => {
    const { id: deviceId } = await enroll(owner)
    return {
      act: () => owner.devices.delete({ params: { deviceId } }),
      expectStored: async () => expect(await idsOf(owner)).not.toContain(deviceId),
    }
  },
  'devices.deleteMany': async (owner) => {
    const { id } = await enroll(owner)
    return {
      act: () => owner.devices.deleteMany({ body: { deviceIds: [id] } }),
      expectStored: async () => expect(await idsOf(owner)).not.toContain(id),
    }
  },
  'a registered device and the use of its key': async (owner) => {
    const { tenantId } = owner
    const key = await installerKey(owner)
    const agent = new TestAgent(tenantId)
    return {
      act: () => agent.register(owner, key),
      expectStored: async () => {
        const { items } = await owner.installerKeys.usages({ tenantId, params: { keyId: key.id } })
        expect(items.map(({ deviceId }) => deviceId)).toEqual([agent.id])
        expect((await owner.devices.get({ params: { deviceId: agent.id } })).name).toBe(agent.report().name)
      },
    }
  },
  'a device update': async (owner) => {
    const agent = await enroll(owner)
    const { UpdateDeviceSigned } = await agent.open(owner.url)
    const report = agent.report({ name: 'reported', cpuUtilization: 0.25 })
    return {
      act: () => UpdateDeviceSigned(agent.signed(report)),
      expectStored: async () =>
        expect(await owner.devices.get({ params: { deviceId: agent.id } })).toMatchObject({
          name: 'reported',
          cpuUtilization: 0.25,
          isOnline: false,
        }),
    }
  },
  'serverAlert.set': async ({ serverAlert }) => ({
    act: () => serverAlert.set({ body: { message: 'Back at 9', isEnabled: true } }),
    expectStored: async () =>
      expect(await serverAlert.get({})).toMatchObject({ message: 'Back at 9', isEnabled: true }),
  }),
  'tenantSettings.set': async (owner) => {
    const { tenantId, tenantSettings: settings } = await newSettings(owner)
    return {
      act: () => settings.set({ tenantId, body: { name: 'instance-id', value: 'north' } }),
      expectStored: async () => expect(await settings.getAll({ tenantId })).toMatchObject({ instanceId: 'north' }),
    }
  },
  'tenantSettings.replaceAll': async (owner) => {
    const { tenantId, tenantSettings: settings } = await newSettings(owner)
    return {
      act: () => settings.replaceAll({ tenantId, body: { instanceId: 'south' } }),
      expectStored: async () => expect(await settings.getAll({ tenantId })).toMatchObject({ instanceId: 'south' }),
    }
  },
  'tenantSettings.delete': async (owner) => {
    const { tenantId, tenantSettings: settings } = await newSettings(owner)
    await settings.set({ tenantId, body: { name: 'instance-id', value: 'north' } })
    return {
      act: () => settings.delete({ tenantId, params: { settingName: 'instance-id' } }),
      expectStored: async () => expect(await settings.getAll({ tenantId })).toMatchObject({ instanceId: null }),
    }
  },
}
