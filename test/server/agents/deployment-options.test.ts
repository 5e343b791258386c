import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

let installer: Member
let tagger: Member
let stranger: Member
let customerId: string
let device: string
let foreign: { deviceId: string; customerId: string }

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  stranger = await server.owner({ email: 'grace@example.org' })
  const { tenantId } = owner
  const customer = (by: Member) => by.customers.create({ tenantId: by.tenantId, body: { name: 'Lovelace Ltd' } })
  customerId = (await customer(owner)).id
  device = (await enroll(owner)).id
  foreign = { deviceId: (await enroll(stranger)).id, customerId: (await customer(stranger)).id }
  installer = await addMember(server, tenantId, ['agent.install'])
  tagger = await addMember(server, tenantId, [
    'agent.install',
    { permissionName: 'device.tags.write', scopeKind: 'CustomerTenant', scopeId: customerId },
    { permissionName: 'device.tags.write', scopeKind: 'Device', scopeId: device },
  ])
})

const options = (by: Member) => by.deploymentOptions.get({ tenantId: by.tenantId })

describe('options', () => {
  test('come from the settings of the tenant, also for users who may install but not read settings', async () => {
    expect(await options(installer)).toEqual({ appendInstanceId: false, instanceId: null })
    const { tenantId } = owner
    await owner.tenantSettings.replaceAll({ tenantId, body: { appendInstanceId: true, instanceId: 'acme' } })
    expect(await options(installer)).toEqual({ appendInstanceId: true, instanceId: 'acme' })
    expect(await options(stranger)).toEqual({ appendInstanceId: false, instanceId: null })
    await expect(installer.tenantSettings.getAll({ tenantId })).rejects.toMatchObject({ status: 403 })
  })

  test('are in the install command of the page when it names the instance', async () => {
    const { tenantId } = owner
    const named = async () => (await installer.applianceStatus.deployment({ tenantId })).instanceId
    await owner.tenantSettings.replaceAll({ tenantId, body: { appendInstanceId: true, instanceId: 'acme' } })
    expect(await named()).toBe('acme')
    await owner.tenantSettings.replaceAll({ tenantId, body: { appendInstanceId: false, instanceId: 'acme' } })
    expect(await named()).toBeNull()
  })

  test('need the permission to install, in the own tenant', async () => {
    const { tenantId } = owner
    const nobody = await addMember(server, tenantId, [])
    for (const by of [nobody, stranger]) {
      await expect(by.deploymentOptions.get({ tenantId })).rejects.toMatchObject({ status: 403 })
      await expect(by.deploymentOptions.tagCapability({ tenantId, body: {} })).rejects.toMatchObject({ status: 403 })
    }
  })
})

describe('whether tags may be set', () => {
  const maySet = async (by: Pick<Member, 'deploymentOptions'>, body: { deviceId?: string; customerId?: string }) =>
    (await by.deploymentOptions.tagCapability({ tenantId: owner.tenantId, body })).allowed

  test('on an existing device depends on the right on that device', async () => {
    expect(await maySet(tagger, { deviceId: device })).toBe(true)
    expect(await maySet(installer, { deviceId: device })).toBe(false)
    expect(await maySet(owner, { deviceId: device })).toBe(true)
  })

  test('on a new device depends on the right on a device of that customer, or of the tenant', async () => {
    const deviceId = randomUUID()
    expect(await maySet(tagger, { deviceId, customerId })).toBe(true)
    expect(await maySet(tagger, { customerId })).toBe(true)
    expect(await maySet(tagger, { deviceId })).toBe(false)
    expect(await maySet(tagger, {})).toBe(false)
    expect(await maySet(owner, {})).toBe(true)
  })

  test('is no for a device or a customer of another tenant, for every principal', async () => {
    const integration = await addServerAccount(owner)
    expect(await maySet(integration, {})).toBe(true)
    expect(await maySet(integration, { deviceId: device, customerId })).toBe(true)
    for (const by of [owner, integration]) {
      expect(await maySet(by, { deviceId: foreign.deviceId })).toBe(false)
      expect(await maySet(by, { customerId: foreign.customerId })).toBe(false)
      expect(await maySet(by, { customerId: randomUUID() })).toBe(false)
    }
  })

  test.each(['deviceId', 'customerId'])('needs %s to be a GUID', async (name) => {
    const body = { [name]: 'no-guid' }
    await expect(owner.deploymentOptions.tagCapability({ tenantId: owner.tenantId, body })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [name]: expect.any(Array) } },
    })
  })
})
