import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DeviceGroupDetailResponseDto } from '../../../shared/dtos/device-group.ts'
import type { DeviceRow } from '../../../server/fleet/tables.ts'
import { connectViewer, follow } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { statusesOf } from '../../support/statuses.ts'
import { addDevices, changesOf, stored } from '../../support/stored.ts'

let stranger: Member
let reader: Member
let tenantId: string
let rows: DeviceRow[]
let devices: string[]
let foreignDevice: string

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  stranger = await server.owner({ email: 'grace@example.org' })
  rows = await addDevices(server, tenantId, 4)
  devices = rows.map(({ id }) => id)
  foreignDevice = (await addDevices(server, stranger.tenantId, 1))[0]!.id
  reader = await addMember(server, tenantId, ['tenant.device-groups.read'])
})

let group: DeviceGroupDetailResponseDto
beforeEach(async () => {
  group = await owner.deviceGroups.create({ tenantId, body: { name: `Group ${randomUUID()}` } })
})

const inGroup = () => ({ tenantId, params: { deviceGroupId: group.id } })
const add = (deviceIds: string[], member: Member = owner) =>
  member.deviceGroups.addMembers({ ...inGroup(), body: { deviceIds } })
const remove = (deviceIds: string[], member: Member = owner) =>
  member.deviceGroups.removeMembers({ ...inGroup(), body: { deviceIds } })
const members = async () => (await owner.deviceGroups.get(inGroup())).members.map(({ deviceId }) => deviceId)

test('a group is created, read, replaced and deleted', async () => {
  const response = await owner.fetch(`/api/v1/device-groups?tenantId=${tenantId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: '  Kiosks ', description: 'In the lobby' }),
  })
  const created = (await response.json()) as DeviceGroupDetailResponseDto
  expect(response.status).toBe(201)
  expect(response.headers.get('location')).toBe(`/api/v1/device-groups/${created.id}?tenantId=${tenantId}`)
  expect(created).toEqual({
    id: created.id,
    name: 'Kiosks',
    description: 'In the lobby',
    createdAt: expect.stringMatching(/Z$/),
    members: [],
  })
  const input = { tenantId, params: { deviceGroupId: created.id } }
  await owner.deviceGroups.addMembers({ ...input, body: { deviceIds: [devices[0]!] } })
  const updated = await owner.deviceGroups.update({ ...input, body: { name: 'kiosks' } })
  const member = { deviceId: devices[0], deviceName: rows[0]!.name, alias: null, customerName: null }
  expect(updated).toEqual({ ...created, name: 'kiosks', description: null, members: [member] })
  expect(await owner.deviceGroups.get(input)).toEqual(updated)
  await owner.deviceGroups.delete(input)
  await expect(owner.deviceGroups.get(input)).rejects.toMatchObject({ status: 404 })
  expect(await changesOf(server, created.id)).toMatchObject([
    { action: 'device-group-created', actor: owner.user.id, before: null, after: { name: 'Kiosks' } },
    { action: 'device-group-members-added', before: null, after: { deviceIds: [devices[0]] } },
    { action: 'device-group-updated', before: { name: 'Kiosks' }, after: { name: 'kiosks', description: null } },
    { action: 'device-group-deleted', before: { name: 'kiosks', deviceIds: [devices[0]] }, after: null },
  ])
})

test('members show alias and customer, sorted by device name', async () => {
  const customer = await owner.customers.create({ tenantId, body: { name: 'Acme' } })
  const assigned = { deviceIds: [devices[1]!] }
  await owner.customers.assignDevices({ tenantId, params: { customerId: customer.id }, body: assigned })
  await owner.devices.setAlias({ params: { deviceId: devices[1]! }, body: { alias: 'Front desk' } })
  await add(devices)
  const { members: shown } = await owner.deviceGroups.get(inGroup())
  expect(shown).toContainEqual({
    deviceId: devices[1],
    deviceName: rows[1]!.name,
    alias: 'Front desk',
    customerName: 'Acme',
  })
  const names = shown.map(({ deviceName }) => deviceName)
  expect(names).toEqual(names.toSorted())
})

test('the list is sorted by name, has the number of members, and only groups of the tenant', async () => {
  await add(devices.slice(0, 3))
  await owner.deviceGroups.create({ tenantId, body: { name: 'zebra' } })
  await owner.deviceGroups.create({ tenantId, body: { name: 'Aardvark' } })
  await stranger.deviceGroups.create({ tenantId: stranger.tenantId, body: { name: 'Aardvark' } })
  const { items } = await reader.deviceGroups.list({ tenantId })
  const { members: _, ...listed } = group
  expect(items.filter(({ id }) => id === group.id)).toEqual([{ ...listed, memberCount: 3 }])
  const names = items.map(({ name }) => name)
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)))
  expect(names.filter((name) => name === 'Aardvark')).toHaveLength(1)
})

describe('refused are', () => {
  test.each([{}, { name: '   ' }, { name: 'x'.repeat(101) }, { name: 'n', description: 'x'.repeat(501) }])(
    '%j as a group',
    async (body) => {
      const create = owner.deviceGroups.create({ tenantId, body: body as { name: string } })
      await expect(create).rejects.toMatchObject({ status: 400 })
      const update = owner.deviceGroups.update({ ...inGroup(), body: body as { name: string } })
      await expect(update).rejects.toMatchObject({ status: 400 })
    },
  )

  test('a name that another group of the tenant has', async () => {
    const other = await owner.deviceGroups.create({ tenantId, body: { name: `x${group.name}` } })
    const body = { name: group.name.toUpperCase() }
    await expect(owner.deviceGroups.create({ tenantId, body })).rejects.toMatchObject({ status: 409 })
    const renaming = owner.deviceGroups.update({ tenantId, params: { deviceGroupId: other.id }, body })
    await expect(renaming).rejects.toMatchObject({ status: 409 })
  })

  test('members with the right to read only', async () => {
    expect(await reader.deviceGroups.get(inGroup())).toEqual(group)
    const body = { name: 'mine' }
    const calls = [
      reader.deviceGroups.create({ tenantId, body }),
      reader.deviceGroups.update({ ...inGroup(), body }),
      reader.deviceGroups.delete(inGroup()),
      add([devices[0]!], reader),
      remove([devices[0]!], reader),
    ]
    expect(await statusesOf(calls)).toEqual([403, 403, 403, 403, 403])
  })

  test('another tenant: 403 for its id, 404 for an id of one of its groups', async () => {
    await expect(stranger.deviceGroups.list({ tenantId })).rejects.toMatchObject({ status: 403 })
    const foreign = { ...inGroup(), tenantId: stranger.tenantId }
    const members = { deviceIds: [foreignDevice] }
    const calls = [
      stranger.deviceGroups.get(foreign),
      stranger.deviceGroups.update({ ...foreign, body: { name: 'mine' } }),
      stranger.deviceGroups.delete(foreign),
      stranger.deviceGroups.addMembers({ ...foreign, body: members }),
      stranger.deviceGroups.removeMembers({ ...foreign, body: members }),
    ]
    expect(await statusesOf(calls)).toEqual([404, 404, 404, 404, 404])
  })
})

describe('members', () => {
  test('are added and removed; adding or removing one twice does nothing and is not logged', async () => {
    await add([devices[0]!, devices[1]!, devices[0]!])
    await add([devices[1]!, devices[2]!])
    expect((await members()).toSorted()).toEqual(devices.slice(0, 3).toSorted())
    await remove([devices[0]!, devices[3]!, randomUUID(), foreignDevice])
    expect((await members()).toSorted()).toEqual(devices.slice(1, 3).toSorted())
    await add([])
    await add([devices[1]!])
    await remove([devices[0]!])
    expect((await changesOf(server, group.id)).slice(1)).toMatchObject([
      { action: 'device-group-members-added', after: { deviceIds: devices.slice(0, 2) } },
      { action: 'device-group-members-added', after: { deviceIds: [devices[2]] } },
      { action: 'device-group-members-removed', before: { deviceIds: [devices[0]] }, after: null },
    ])
    await server.restart()
    expect((await members()).toSorted()).toEqual(devices.slice(1, 3).toSorted())
  })

  test('are added all or none at all, at most a thousand', async () => {
    for (const deviceIds of [
      [devices[0]!, randomUUID()],
      [devices[0]!, foreignDevice],
      [devices[0]!, 'no-guid'],
      Array.from({ length: 1001 }, () => devices[0]!),
    ]) {
      await expect(add(deviceIds)).rejects.toMatchObject({ status: 400 })
    }
    const unknown = randomUUID()
    await expect(add([unknown])).rejects.toMatchObject({
      problem: { errors: { deviceIds: [`${unknown} is not a device of this tenant`] } },
    })
    expect(await members()).toEqual([])
    await add(Array.from({ length: 1000 }, () => devices[0]!))
    expect(await members()).toEqual([devices[0]])
  })

  test('are removed when their device is deleted', async () => {
    const [device] = await addDevices(server, tenantId, 1)
    await add([device!.id])
    await owner.devices.delete({ params: { deviceId: device!.id } })
    expect(await members()).toEqual([])
  })
})

test('the right to assign to one group does not allow it for another', async () => {
  const other = await owner.deviceGroups.create({ tenantId, body: { name: `other ${group.name}` } })
  const scope = { scopeKind: 'DeviceGroup', scopeId: group.id } as const
  const lead = await addMember(server, tenantId, [{ permissionName: 'device-group.assign-devices', ...scope }])
  await add([devices[0]!], lead)
  expect(await members()).toEqual([devices[0]])
  await remove([devices[0]!], lead)
  const elsewhere = { tenantId, params: { deviceGroupId: other.id }, body: { deviceIds: [devices[0]!] } }
  await expect(lead.deviceGroups.addMembers(elsewhere)).rejects.toMatchObject({ status: 403 })
  await expect(lead.deviceGroups.get(inGroup())).rejects.toMatchObject({ status: 403 })
})

test('rights on a group apply to its devices at once, end when a device leaves, and are deleted with the group', async () => {
  const scope = { scopeKind: 'DeviceGroup', scopeId: group.id } as const
  const technician = await addMember(server, tenantId, [
    { permissionName: 'device.read', ...scope },
    { permissionName: 'device.alias.write', ...scope },
  ])
  const visible = async () => (await technician.devices.list({})).map(({ id }) => id)
  const rename = (alias: string) => technician.devices.setAlias({ params: { deviceId: devices[0]! }, body: { alias } })
  expect(await visible()).toEqual([])
  await expect(rename('mine')).rejects.toMatchObject({ status: 404 })
  await add(devices.slice(0, 2))
  expect(await visible()).toEqual(devices.slice(0, 2))
  await rename('mine')
  const viewer = await connectViewer(technician)
  await follow(viewer, devices)
  await remove([devices[0]!])
  expect(await visible()).toEqual([devices[1]])
  await expect(rename('mine again')).rejects.toMatchObject({ status: 404 })
  await owner.devices.setAlias({ params: { deviceId: devices[0]! }, body: { alias: 'not yours' } })
  await owner.deviceGroups.delete(inGroup())
  expect(await visible()).toEqual([])
  expect(viewer.devices).toEqual([])
  const left = await stored(server, 'SELECT id FROM permission_assignments WHERE scopeId = ?', [group.id])
  expect(left).toEqual([])
})
