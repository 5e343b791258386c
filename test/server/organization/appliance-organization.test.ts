import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { addDevices, changesOf } from '../../support/stored.ts'

let tenantId: string
let devices: string[]
/** Manages tags, and may tag a single device. */
let librarian: Member
let reader: Member

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  devices = (await addDevices(server, tenantId, 3)).map(({ id }) => id)
  const onOne = { scopeKind: 'Device', scopeId: devices[0]! } as const
  librarian = await addMember(server, tenantId, [
    'tenant.tags.write',
    { permissionName: 'device.read', ...onOne },
    { permissionName: 'device.tags.write', ...onOne },
  ])
  reader = await addMember(server, tenantId, ['tenant.customers.read'])
})

const newTag = async (name: string, ...deviceIds: string[]) => {
  const { id } = await owner.tags.create({ tenantId, body: { name } })
  for (const deviceId of deviceIds) {
    await owner.deviceTags.add({ tenantId, body: { deviceId, tagId: id } })
  }
  return id
}

const overview = async (by: Member) =>
  Object.fromEntries((await by.applianceOrganization.tags({ tenantId })).items.map(({ name, ...tag }) => [name, tag]))

describe('tags', () => {
  test('have a color and the number of devices that the caller may read', async () => {
    const tagId = await newTag('colored', devices[0]!, devices[1]!)
    const paint = (by: Member, color: 'red' | null) =>
      by.applianceOrganization.setTagColor({ tenantId, params: { tagId }, body: { color } })
    await paint(librarian, 'red')
    expect(await overview(owner)).toMatchObject({ colored: { color: 'red', deviceCount: 2 } })
    expect(await overview(librarian)).toMatchObject({ colored: { color: 'red', deviceCount: 1 } })
    await paint(owner, null)
    expect(await overview(owner)).toMatchObject({ colored: { color: null } })
    await expect(paint(reader, 'red')).rejects.toMatchObject({ status: 403 })
  })

  test('are merged with all their devices, only with the right to tag each device', async () => {
    const from = await newTag('from', devices[0]!, devices[1]!)
    const into = await newTag('into', devices[1]!, devices[2]!)
    const merge = (by: Member, tagId: string, intoTagId: string) =>
      by.applianceOrganization.mergeTag({ tenantId, params: { tagId }, body: { intoTagId } })
    await expect(merge(librarian, into, from)).rejects.toMatchObject({ status: 403 })
    await expect(merge(reader, from, into)).rejects.toMatchObject({ status: 403 })
    await expect(merge(owner, from, from)).rejects.toMatchObject({ status: 400 })
    expect(await overview(owner)).toMatchObject({ from: { deviceCount: 2 }, into: { deviceCount: 2 } })
    // The only device that gets the other tag is one that the librarian may tag.
    expect(await merge(librarian, from, into)).toEqual({ movedDevices: 1 })
    expect(await overview(owner)).toMatchObject({ into: { deviceCount: 3 } })
    await expect(owner.tags.get({ tenantId, params: { tagId: from } })).rejects.toMatchObject({ status: 404 })
    const { items } = await owner.applianceAuditLog.list({ tenantId, query: {} })
    expect(items.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['settings.tag-created', 'settings.tag-colored', 'settings.tag-merged']),
    )
    expect(await server.differences()).toEqual([])
  })
})

describe('customers', () => {
  const create = async (name: string) => (await owner.customers.create({ tenantId, body: { name } })).id
  const set = (by: Member, customerId: string, body: object) =>
    by.applianceOrganization.setCustomer({ tenantId, params: { customerId }, body })
  const contact = { name: 'Grace', role: 'Office', email: 'grace@example.org', phone: '+49 30 1' }

  test('have contacts and sites, and a search for the customer finds the devices of its sites', async () => {
    const [contoso, berlin] = [await create('Contoso'), await create('Contoso Berlin')]
    await set(owner, berlin, { parentId: contoso, contacts: [contact] })
    expect((await reader.applianceOrganization.customers({ tenantId })).items).toEqual([
      { customerId: berlin, parentId: contoso, contacts: [contact] },
    ])
    const body = { deviceIds: [devices[2]!] }
    await owner.customers.assignDevices({ tenantId, params: { customerId: berlin }, body })
    const find = (query: string) =>
      owner.applianceDeviceSearch.find({ body: { query, sortDefinitions: [], page: 0, pageSize: 5 } })
    expect((await find('customer:Contoso')).items.map(({ id }) => id)).toEqual([devices[2]])
    await expect(set(owner, contoso, { parentId: berlin })).rejects.toMatchObject({ status: 400 })
    await expect(set(owner, contoso, { parentId: contoso })).rejects.toMatchObject({ status: 400 })
    await expect(set(reader, berlin, {})).rejects.toMatchObject({ status: 403 })
    await owner.customers.delete({ tenantId, params: { customerId: contoso } })
    expect((await reader.applianceOrganization.customers({ tenantId })).items).toEqual([
      { customerId: berlin, parentId: null, contacts: [contact] },
    ])
  })

  test('refuse a contact without a name, and keep what was there', async () => {
    const customerId = await create('Fabrikam')
    await set(owner, customerId, { contacts: [contact] })
    await expect(set(owner, customerId, { contacts: [{ ...contact, name: ' ' }] })).rejects.toMatchObject({
      status: 400,
    })
    const { items } = await owner.applianceOrganization.customers({ tenantId })
    expect(items.find((item) => item.customerId === customerId)?.contacts).toEqual([contact])
  })

  test('are merged with devices, sites, contacts and note; rights on the merged one end, and nothing is lost', async () => {
    const [north, south, harbor] = [await create('North'), await create('South'), await create('Harbor')]
    const { key } = await owner.applianceDeployments.create({
      body: { tenantId, keyType: 'UsageBased', allowedUses: 1, placement: { customerId: south } },
    })
    await set(owner, harbor, { parentId: south })
    await set(owner, north, { contacts: [contact] })
    await set(owner, south, { contacts: [{ ...contact, name: 'Ada' }] })
    const note = (customerId: string, name: string, notes: string) =>
      owner.customers.update({ tenantId, params: { customerId }, body: { name, notes } })
    await note(north, 'North', 'Ring twice')
    await note(south, 'South', 'x'.repeat(495))
    const body = { deviceIds: [devices[0]!, devices[1]!] }
    await owner.customers.assignDevices({ tenantId, params: { customerId: south }, body })
    const onSouth = { scopeKind: 'CustomerTenant', scopeId: south } as const
    const { user } = await addMember(server, tenantId, [{ permissionName: 'device.read', ...onSouth }])
    const merge = (by: Member, customerId: string, intoCustomerId: string) =>
      by.applianceOrganization.mergeCustomer({ tenantId, params: { customerId }, body: { intoCustomerId } })

    await expect(merge(reader, south, north)).rejects.toMatchObject({ status: 403 })
    await expect(merge(owner, south, south)).rejects.toMatchObject({ status: 400 })
    // The notes are too long together.
    await expect(merge(owner, south, north)).rejects.toMatchObject({ status: 400 })
    await note(south, 'South', 'Back door')
    const elsewhere = await create('Elsewhere')
    await set(owner, elsewhere, { parentId: north })
    // A site cannot get sites.
    await expect(merge(owner, south, elsewhere)).rejects.toMatchObject({ status: 400 })
    expect((await owner.customers.get({ tenantId, params: { customerId: south } })).deviceCount).toBe(2)

    expect(await merge(owner, south, north)).toEqual({ movedDevices: 2 })
    expect(await owner.customers.get({ tenantId, params: { customerId: north } })).toMatchObject({
      deviceCount: 2,
      notes: 'Ring twice\nBack door',
    })
    const { items } = await owner.applianceOrganization.customers({ tenantId })
    expect(items.find(({ customerId }) => customerId === north)?.contacts.map(({ name }) => name)).toEqual([
      'Grace',
      'Ada',
    ])
    expect(items.find(({ customerId }) => customerId === harbor)?.parentId).toBe(north)
    await expect(owner.customers.get({ tenantId, params: { customerId: south } })).rejects.toMatchObject({
      status: 404,
    })
    const rights = await owner.permissionAssignments.list({
      tenantId,
      query: { principalKind: 'User', principalId: user.id },
    })
    expect(rights.items).toEqual([])
    const { items: places } = await owner.applianceDeployments.placements({ tenantId })
    expect(places.find(({ keyId }) => keyId === key.id)?.customerId).toBe(north)
    expect((await changesOf(server, south)).at(-1)).toMatchObject({ action: 'customer-deleted' })
    expect((await changesOf(server, north)).map(({ action }) => action)).toContain('customer-devices-assigned')
    // A site is merged into its customer.
    expect(await merge(owner, harbor, north)).toEqual({ movedDevices: 0 })
    // A customer is merged into its own site, which takes the other sites.
    await merge(owner, north, elsewhere)
    expect((await owner.customers.get({ tenantId, params: { customerId: elsewhere } })).deviceCount).toBe(2)
    expect(await server.differences()).toEqual([])
  })
})

describe('device groups', () => {
  test('are merged by who may change the devices of both; rights on the merged one end', async () => {
    const create = async (name: string) => (await owner.deviceGroups.create({ tenantId, body: { name } })).id
    const [from, into] = [await create('Pilot'), await create('Ring one')]
    const fill = (deviceGroupId: string, ...deviceIds: string[]) =>
      owner.deviceGroups.addMembers({ tenantId, params: { deviceGroupId }, body: { deviceIds } })
    await fill(from, devices[0]!, devices[1]!)
    await fill(into, devices[1]!, devices[2]!)
    const { key } = await owner.applianceDeployments.create({
      body: { tenantId, keyType: 'UsageBased', allowedUses: 1, placement: { deviceGroupIds: [from, into] } },
    })
    const onFrom = { scopeKind: 'DeviceGroup', scopeId: from } as const
    const helper = await addMember(server, tenantId, [
      'tenant.device-groups.write',
      { permissionName: 'device-group.assign-devices', ...onFrom },
    ])
    const merge = (by: Member, deviceGroupId: string, intoDeviceGroupId: string) =>
      by.applianceOrganization.mergeDeviceGroup({ tenantId, params: { deviceGroupId }, body: { intoDeviceGroupId } })
    await expect(merge(reader, from, into)).rejects.toMatchObject({ status: 403 })
    // Rights on the other group would reach the devices.
    await expect(merge(helper, from, into)).rejects.toMatchObject({ status: 403 })
    await expect(merge(owner, from, from)).rejects.toMatchObject({ status: 400 })
    const membersOf = async (deviceGroupId: string) =>
      (await owner.deviceGroups.get({ tenantId, params: { deviceGroupId } })).members.map(({ deviceId }) => deviceId)
    expect((await membersOf(into)).toSorted()).toEqual([devices[1]!, devices[2]!].toSorted())

    expect(await merge(owner, from, into)).toEqual({ movedDevices: 1 })
    expect((await membersOf(into)).toSorted()).toEqual(devices.toSorted())
    await expect(membersOf(from)).rejects.toMatchObject({ status: 404 })
    const rights = await owner.permissionAssignments.list({
      tenantId,
      query: { principalKind: 'User', principalId: helper.user.id },
    })
    expect(rights.items.map(({ permissionName }) => permissionName)).toEqual(['tenant.device-groups.write'])
    const { items: places } = await owner.applianceDeployments.placements({ tenantId })
    expect(places.find(({ keyId }) => keyId === key.id)?.deviceGroupIds).toEqual([into])
    expect((await changesOf(server, from)).at(-1)).toMatchObject({ action: 'device-group-deleted' })
    expect((await changesOf(server, into)).at(-1)).toMatchObject({ action: 'device-group-members-added' })
    expect(await server.differences()).toEqual([])
  })
  test('of a device in 1,000 groups are merged', async () => {
    const [deviceId] = devices as [string]
    const groups = Array.from({ length: 1_000 }, (_, index) => ({
      id: randomUUID(),
      tenantId,
      name: `full ${index}`,
      description: null,
      createdAt: index,
    }))
    await server.write(async ({ DeviceGroup, DeviceGroupMember }, transaction) => {
      await DeviceGroup.bulkCreate(groups, { transaction })
      await DeviceGroupMember.destroy({ where: { deviceId }, transaction })
      const links = groups.map(({ id: groupId }) => ({ groupId, deviceId }))
      await DeviceGroupMember.bulkCreate(links, { transaction })
    })
    const into = await owner.deviceGroups.create({ tenantId, body: { name: 'into' } })
    const deviceGroupId = groups[0]!.id
    const body = { intoDeviceGroupId: into.id }
    expect(await owner.applianceOrganization.mergeDeviceGroup({ tenantId, params: { deviceGroupId }, body })).toEqual({
      movedDevices: 1,
    })
  })
})
