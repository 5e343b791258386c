import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CustomerResponseDto } from '../../../shared/dtos/customer.ts'
import { connectViewer, follow } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { addDevices, changesOf, stored } from '../../support/stored.ts'
import { until } from '../../support/until.ts'

let stranger: Member
let reader: Member
let tenantId: string
let devices: string[]
let foreignDevice: string

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  stranger = await server.owner({ email: 'grace@example.org' })
  devices = (await addDevices(server, tenantId, 4)).map(({ id }) => id)
  foreignDevice = (await addDevices(server, stranger.tenantId, 1))[0]!.id
  reader = await addMember(server, tenantId, ['tenant.customers.read'])
})

let customer: CustomerResponseDto
beforeEach(async () => {
  customer = await owner.customers.create({ tenantId, body: { name: `Customer ${randomUUID()}` } })
})

const assign = (body: { deviceIds?: string[]; removeDeviceIds?: string[] }, customerId = customer.id) =>
  owner.customers.assignDevices({ tenantId, params: { customerId }, body })
const customerOf = async (deviceId: string) => {
  const device = await owner.devices.get({ params: { deviceId } })
  return [device.customerId, device.customerName]
}

test('a customer is created, read, replaced and deleted', async () => {
  const response = await owner.fetch(`/api/v1/customers?tenantId=${tenantId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ Name: '  Acme ', description: 'Anvils', notes: 'pays late' }),
  })
  const created = (await response.json()) as CustomerResponseDto
  expect(response.status).toBe(201)
  expect(response.headers.get('location')).toBe(`/api/v1/customers/${created.id}?tenantId=${tenantId}`)
  const expected = { name: 'Acme', description: 'Anvils', notes: 'pays late', deviceCount: 0 }
  expect(created).toEqual({ id: created.id, createdAt: expect.stringMatching(/Z$/), ...expected })
  const input = { tenantId, params: { customerId: created.id } }
  expect(await owner.customers.get(input)).toEqual(created)
  const updated = await owner.customers.update({ ...input, body: { name: 'acme' } })
  expect(updated).toEqual({ ...created, name: 'acme', description: null, notes: null })
  await owner.customers.delete(input)
  await expect(owner.customers.get(input)).rejects.toMatchObject({ status: 404 })
  const actions = await changesOf(server, created.id)
  expect(actions.map(({ action, actor }) => [action, actor])).toEqual([
    ['customer-created', owner.user.id],
    ['customer-updated', owner.user.id],
    ['customer-deleted', owner.user.id],
  ])
  expect(actions[1]).toMatchObject({
    before: { name: 'Acme', notes: 'pays late' },
    after: { name: 'acme', notes: null },
  })
})

test('the list is sorted by name, has the number of devices, and only of the tenant', async () => {
  await assign({ deviceIds: devices.slice(0, 2) })
  await owner.customers.create({ tenantId, body: { name: 'zebra' } })
  await owner.customers.create({ tenantId, body: { name: 'Aardvark' } })
  await stranger.customers.create({ tenantId: stranger.tenantId, body: { name: 'Aardvark' } })
  const { items } = await owner.customers.list({ tenantId })
  expect(items.filter(({ id }) => id === customer.id)).toEqual([{ ...customer, deviceCount: 2 }])
  const names = items.map(({ name }) => name)
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b)))
  expect([names.at(0), names.at(-1)]).toEqual(['Aardvark', 'zebra'])
})

describe('refused are', () => {
  test.each([
    {},
    { name: '' },
    { name: ' \t ' },
    { name: 'a\u0000b' },
    { name: 'x'.repeat(101) },
    { name: 7 },
    { name: 'n', description: 'x'.repeat(501) },
    { name: 'n', notes: 'x'.repeat(501) },
  ])('%# a body that is no customer', async (body) => {
    await expect(owner.customers.create({ tenantId, body: body as { name: string } })).rejects.toMatchObject({
      status: 400,
    })
  })

  test('a name that another customer of the tenant has, in any letter case', async () => {
    const other = await owner.customers.create({ tenantId, body: { name: `x${customer.name}` } })
    const taken = { name: customer.name.toUpperCase() }
    await expect(owner.customers.create({ tenantId, body: taken })).rejects.toMatchObject({ status: 409 })
    const input = { tenantId, params: { customerId: other.id } }
    await expect(owner.customers.update({ ...input, body: taken })).rejects.toMatchObject({ status: 409 })
    expect((await owner.customers.get(input)).name).toBe(other.name)
    await owner.customers.update({ ...input, body: { name: other.name.toUpperCase() } })
  })

  test('members with the right to read only', async () => {
    const input = { tenantId, params: { customerId: customer.id } }
    expect(await reader.customers.get(input)).toEqual(customer)
    const body = { name: 'mine' }
    await expect(reader.customers.create({ tenantId, body })).rejects.toMatchObject({ status: 403 })
    await expect(reader.customers.update({ ...input, body })).rejects.toMatchObject({ status: 403 })
    await expect(reader.customers.delete(input)).rejects.toMatchObject({ status: 403 })
    const assigning = reader.customers.assignDevices({ ...input, body: { deviceIds: [] } })
    await expect(assigning).rejects.toMatchObject({ status: 403 })
  })

  test('another tenant: 403 for its id, 404 for an id of one of its customers', async () => {
    await expect(stranger.customers.list({ tenantId })).rejects.toMatchObject({ status: 403 })
    const input = { tenantId: stranger.tenantId, params: { customerId: customer.id } }
    await expect(stranger.customers.get(input)).rejects.toMatchObject({ status: 404 })
    await expect(stranger.customers.update({ ...input, body: { name: 'mine' } })).rejects.toMatchObject({ status: 404 })
    await expect(stranger.customers.delete(input)).rejects.toMatchObject({ status: 404 })
    const assigning = stranger.customers.assignDevices({ ...input, body: { deviceIds: [foreignDevice] } })
    await expect(assigning).rejects.toMatchObject({ status: 404 })
  })
})

describe('devices of a customer', () => {
  test('are added and removed in one call, pushed to subscribers, and logged', async () => {
    const [first, second, third] = devices as [string, string, string]
    await assign({ deviceIds: [first, first, second] })
    const viewer = await connectViewer(owner)
    await follow(viewer, [second, third])
    await assign({ deviceIds: [third], removeDeviceIds: [second] })
    expect(await Promise.all([first, second, third].map(customerOf))).toEqual([
      [customer.id, customer.name],
      [null, null],
      [customer.id, customer.name],
    ])
    await until(() => viewer.devices.length === 2)
    expect(Object.fromEntries(viewer.devices.map(({ id, customerName }) => [id, customerName]))).toEqual({
      [second]: null,
      [third]: customer.name,
    })
    const changes = (await changesOf(server, customer.id)).filter(
      ({ action }) => action === 'customer-devices-assigned',
    )
    expect(changes.at(-1)).toMatchObject({
      before: [
        { deviceId: third, customerId: null },
        { deviceId: second, customerId: customer.id },
      ],
      after: [
        { deviceId: third, customerId: customer.id },
        { deviceId: second, customerId: null },
      ],
    })
    await server.restart()
    expect(await customerOf(third)).toEqual([customer.id, customer.name])
  })

  test('have one customer: adding moves them, and only their own customer removes them', async () => {
    const other = await owner.customers.create({ tenantId, body: { name: `other ${customer.name}` } })
    await assign({ deviceIds: [devices[0]!] })
    await assign({ deviceIds: [devices[0]!] }, other.id)
    await assign({ removeDeviceIds: [devices[0]!] })
    expect(await customerOf(devices[0]!)).toEqual([other.id, other.name])
  })

  test('are changed all or none at all', async () => {
    const count = (await changesOf(server, customer.id)).length
    for (const body of [
      { deviceIds: [devices[1]!, randomUUID()] },
      { deviceIds: [devices[1]!, foreignDevice] },
      { deviceIds: [devices[1]!], removeDeviceIds: [foreignDevice] },
      { deviceIds: [devices[1]!], removeDeviceIds: [devices[1]!] },
      { deviceIds: Array.from({ length: 1001 }, () => devices[1]!) },
      { deviceIds: [devices[1]!, 'no-guid'] },
    ]) {
      await expect(assign(body)).rejects.toMatchObject({ status: 400 })
    }
    await expect(assign({ deviceIds: [randomUUID()] })).rejects.toMatchObject({
      problem: { errors: { deviceIds: [expect.stringContaining('is not a device of this tenant')] } },
    })
    // A missing list counts as empty.
    await assign({})
    expect((await customerOf(devices[1]!))[0]).not.toBe(customer.id)
    expect(await changesOf(server, customer.id)).toHaveLength(count)
    await assign({ deviceIds: Array.from({ length: 1000 }, () => devices[1]!) })
    expect((await customerOf(devices[1]!))[0]).toBe(customer.id)
  })

  test('show its new name, and none after the customer is deleted', async () => {
    await assign({ deviceIds: devices })
    const input = { tenantId, params: { customerId: customer.id } }
    const name = `New ${customer.name}`
    expect((await owner.customers.update({ ...input, body: { name } })).deviceCount).toBe(4)
    expect(await customerOf(devices[3]!)).toEqual([customer.id, name])
    await owner.customers.delete(input)
    expect(await customerOf(devices[3]!)).toEqual([null, null])
  })
})

test('rights on a customer apply to its devices at once, end when a device leaves, and are deleted with the customer', async () => {
  await assign({ removeDeviceIds: devices })
  const scope = { scopeKind: 'CustomerTenant', scopeId: customer.id } as const
  const technician = await addMember(server, tenantId, [{ permissionName: 'device.read', ...scope }])
  const visible = async () => (await technician.devices.list({})).map(({ id }) => id)
  expect(await visible()).toEqual([])
  await assign({ deviceIds: devices.slice(0, 2) })
  expect(await visible()).toEqual(devices.slice(0, 2))
  const viewer = await connectViewer(technician)
  await follow(viewer, devices)
  await assign({ removeDeviceIds: [devices[0]!] })
  expect(await visible()).toEqual([devices[1]])
  await owner.customers.update({ tenantId, params: { customerId: customer.id }, body: { name: `${customer.name}!` } })
  await until(() => viewer.devices.length === 1)
  await owner.customers.delete({ tenantId, params: { customerId: customer.id } })
  expect(await visible()).toEqual([])
  expect(viewer.devices.map(({ id }) => id)).toEqual([devices[1]])
  const left = await stored(server, 'SELECT id FROM permission_assignments WHERE scopeId = ?', [customer.id])
  expect(left).toEqual([])
})
