import { beforeAll, describe, expect, test } from 'vitest'
import type { TenantSettingsRequestDto } from '../../../shared/dtos/tenant-setting.ts'
import { addMember, addServerAccount } from '../../support/people.ts'
import { statusesOf } from '../../support/statuses.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const unset = { appendInstanceId: null, instanceId: null, notifyUserOnSessionStart: null }

let stranger: Member

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  stranger = await server.owner({ email: 'grace@example.org' })
})

const getAll = (by: Member) => by.tenantSettings.getAll({ tenantId: by.tenantId })
const get = (name: string) => owner.tenantSettings.get({ tenantId: owner.tenantId, params: { settingName: name } })
const set = (name: string, value: string | null) =>
  owner.tenantSettings.set({ tenantId: owner.tenantId, body: { name, value } })
const replaceAll = (body: TenantSettingsRequestDto) =>
  owner.tenantSettings.replaceAll({ tenantId: owner.tenantId, body })
const remove = (name: string) =>
  owner.tenantSettings.delete({ tenantId: owner.tenantId, params: { settingName: name } })

describe('the typed object', () => {
  test('has null for unset members, and is replaced as a whole', async () => {
    expect(await getAll(stranger)).toEqual(unset)
    const all = { appendInstanceId: true, instanceId: ' acme.eu_1-b ', notifyUserOnSessionStart: false }
    expect(await replaceAll(all)).toEqual({ ...all, instanceId: 'acme.eu_1-b' })
    expect(await get('append-instance-id')).toMatchObject({ value: 'True' })
    expect(await get('notify-user-on-session-start')).toMatchObject({ value: 'False' })
    expect(await replaceAll({ instanceId: 'b', appendInstanceId: null })).toEqual({ ...unset, instanceId: 'b' })
    expect(await replaceAll({})).toEqual(unset)
    expect(await getAll(stranger)).toEqual(unset)
  })

  test('keeps settings with unknown names', async () => {
    await set('color', 'blue')
    await replaceAll({})
    expect(await get('color')).toMatchObject({ value: 'blue' })
    await remove('color')
  })

  test.each([
    { instanceId: 'default' },
    { instanceId: 'Default' },
    { instanceId: '.' },
    { instanceId: '..' },
    { instanceId: 'a/b' },
    { instanceId: String.raw`a\b` },
    { instanceId: 'a b' },
    { instanceId: 'x'.repeat(65) },
    { appendInstanceId: 'maybe' },
    { notifyUserOnSessionStart: 1 },
  ])('%j is refused', async (body) => {
    const [member] = Object.keys(body)
    await expect(replaceAll(body as never)).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [member!]: expect.any(Array) } },
    })
    expect(await getAll(owner)).toEqual(unset)
  })
})

describe('one setting', () => {
  test('is set, replaced under the same id, and removed by a blank value', async () => {
    const first = await set(' instance-id ', ' one ')
    expect(first).toEqual({ id: expect.any(String), name: 'instance-id', value: 'one' })
    const second = await set('instance-id', 'two')
    expect(second).toEqual({ ...first, value: 'two' })
    expect(await get('instance-id')).toEqual(second)
    expect(await getAll(owner)).toEqual({ ...unset, instanceId: 'two' })
    for (const blank of ['  ', '', null]) {
      expect(await set('instance-id', blank)).toEqual({ id: null, name: 'instance-id', value: null })
    }
    expect(await get('instance-id')).toBeUndefined()
  })

  test('that is not set is 204', async () => {
    const path = `/api/v1/tenant-settings/never-set?tenantId=${owner.tenantId}`
    const response = await owner.fetch(path)
    expect([response.status, await response.text()]).toEqual([204, ''])
    const deletion = await owner.fetch(path, { method: 'DELETE' })
    expect([deletion.status, await deletion.text()]).toEqual([204, ''])
  })

  test.each([
    ['append-instance-id', 'tRuE', 'True'],
    ['notify-user-on-session-start', 'FALSE', 'False'],
    ['Instance-Id', ' any text / at all ', 'any text / at all'],
  ])('%s: %j is kept as %j', async (name, value, kept) => {
    expect(await set(name, value)).toMatchObject({ name, value: kept })
    await remove(name)
    expect(await get(name)).toBeUndefined()
  })

  test.each([
    ['append-instance-id', 'yes'],
    ['append-instance-id', 'constructor'],
    ['instance-id', '..'],
    ['instance-id', 'a/b'],
  ])('%s: %j is refused', async (name, value) => {
    await expect(set(name, value)).rejects.toMatchObject({
      status: 400,
      problem: { title: 'Validation Failed', errors: { value: expect.any(Array) } },
    })
    expect(await get(name)).toBeUndefined()
  })

  test.each([
    ['', 'x', 'name'],
    ['x'.repeat(257), 'x', 'name'],
    ['x', 'x'.repeat(2049), 'value'],
    ['x', undefined, 'value'],
  ])('with an invalid name or value is refused (name %j)', async (name, value, field) => {
    await expect(set(name, value as string)).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [field]: expect.any(Array) } },
    })
  })
})

describe('rights', () => {
  test('for reading and writing are separate, and only of the own tenant', async () => {
    const reader = await addMember(server, owner.tenantId, ['tenant.settings.read'])
    const nobody = await addMember(server, owner.tenantId, [])
    const { tenantId } = owner
    const params = { settingName: 'instance-id' }
    const reads = (by: Member) => [by.tenantSettings.getAll({ tenantId }), by.tenantSettings.get({ tenantId, params })]
    const writes = (by: Member) => [
      by.tenantSettings.set({ tenantId, body: { name: 'instance-id', value: 'mine' } }),
      by.tenantSettings.replaceAll({ tenantId, body: { instanceId: 'mine' } }),
      by.tenantSettings.delete({ tenantId, params }),
    ]
    expect(await statusesOf(reads(reader))).toEqual([200, 200])
    expect(await statusesOf(writes(reader))).toEqual([403, 403, 403])
    expect(await statusesOf([...reads(nobody), ...reads(stranger)])).toEqual([403, 403, 403, 403])
    expect(await statusesOf([...writes(nobody), ...writes(stranger)])).toEqual(Array.from({ length: 6 }, () => 403))
    expect(await getAll(owner)).toEqual(unset)
  })

  test('of a server account reach every tenant; an unknown one is 404', async () => {
    const { tenantSettings } = await addServerAccount(owner)
    const body = { instanceId: 'from-outside' }
    expect(await tenantSettings.replaceAll({ tenantId: stranger.tenantId, body })).toMatchObject(body)
    expect(await getAll(stranger)).toMatchObject(body)
    const [tenantId, params] = [unknownId, { settingName: 'instance-id' }]
    const calls = [
      () => tenantSettings.getAll({ tenantId }),
      () => tenantSettings.get({ tenantId, params }),
      () => tenantSettings.set({ tenantId, body: { name: 'instance-id', value: 'x' } }),
      () => tenantSettings.replaceAll({ tenantId, body }),
      () => tenantSettings.delete({ tenantId, params }),
    ]
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ status: 404, problem: { detail: 'Tenant not found.' } })
    }
  })
})
