import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { addMember, addServerAccount } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

let member: Member

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  member = await addMember(server, owner.tenantId, [])
})

const set = (by: Member, key: string, value: string) =>
  by.userStorage.set({ tenantId: by.tenantId, body: { key, value } })
const get = (by: Member, key: string) => by.userStorage.get({ tenantId: by.tenantId, params: { key } })
const remove = (by: Member, key: string) => by.userStorage.delete({ tenantId: by.tenantId, params: { key } })

test('a value is stored, replaced and removed, for its user alone', async () => {
  expect(await set(member, 'Layout-1', '{"columns":3}')).toEqual({ key: 'Layout-1', value: '{"columns":3}' })
  expect(await set(member, 'Layout-1', '')).toEqual({ key: 'Layout-1', value: '' })
  expect(await get(member, 'Layout-1')).toEqual({ key: 'Layout-1', value: '' })
  expect(await get(owner, 'Layout-1')).toBeUndefined()
  await set(owner, 'Layout-1', 'mine')
  await remove(member, 'Layout-1')
  expect(await get(member, 'Layout-1')).toBeUndefined()
  expect(await get(owner, 'Layout-1')).toEqual({ key: 'Layout-1', value: 'mine' })
})

test('an unknown key is 204 to read and 404 to remove', async () => {
  const response = await member.fetch(`/api/v1/user-storage/none?tenantId=${member.tenantId}`)
  expect([response.status, await response.text()]).toEqual([204, ''])
  await expect(remove(member, 'none')).rejects.toMatchObject({
    status: 404,
    problem: { detail: 'Key not found.' },
  })
})

describe('limits', () => {
  test('a key of 256 characters holds a value of 2048', async () => {
    const [key, value] = ['k'.repeat(256), 'ö'.repeat(2048)]
    await set(member, key, value)
    expect(await get(member, key)).toEqual({ key, value })
  })

  test('a user can store a thousand values', async () => {
    const collector = await addMember(server, owner.tenantId, [])
    const userId = collector.user.id
    const rows = Array.from({ length: 999 }, (_, index) => ({
      id: randomUUID(),
      userId,
      key: `many-${index}`,
      value: '',
    }))
    await server.write((models, transaction) => models.UserStorageItem.bulkCreate(rows, { transaction }))
    await set(collector, 'last', 'x')
    await expect(set(collector, 'one-too-many', 'x')).rejects.toMatchObject({ status: 400 })
    await set(collector, 'many-7', 'changed')
    await remove(collector, 'many-8')
    await set(collector, 'one-too-many', 'x')
  })

  test.each([
    ['', 'x', 'key'],
    ['k'.repeat(257), 'x', 'key'],
    ['with space', 'x', 'key'],
    ['dotted.key', 'x', 'key'],
    ['ключ', 'x', 'key'],
    ['key', 'x'.repeat(2049), 'value'],
    ['key', null, 'value'],
  ])('key %j is refused', async (key, value, field) => {
    await expect(set(member, key, value as string)).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [field]: expect.any(Array) } },
    })
  })

  test.each(['with space', 'dotted.key', 'k'.repeat(257), '%00'])('a path with the key %j is 400', async (key) => {
    await expect(get(member, key)).rejects.toMatchObject({ status: 400 })
    await expect(remove(member, key)).rejects.toMatchObject({ status: 400 })
  })
})

test('a service account has no storage: 400', async () => {
  const { userStorage } = await addServerAccount(owner)
  const { tenantId } = owner
  const calls = [
    () => userStorage.set({ tenantId, body: { key: 'a', value: 'b' } }),
    () => userStorage.get({ tenantId, params: { key: 'a' } }),
    () => userStorage.delete({ tenantId, params: { key: 'a' } }),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({ status: 400 })
  }
})
