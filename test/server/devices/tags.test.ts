import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TagResponseDto } from '../../../shared/dtos/tag.ts'
import { connectViewer, follow } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { statusesOf } from '../../support/statuses.ts'
import { addDevices } from '../../support/stored.ts'
import { until } from '../../support/until.ts'

let stranger: Member
/** May read a single device. */
let guest: Member
let tenantId: string
let devices: string[]

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  stranger = await server.owner({ email: 'grace@example.org' })
  devices = (await addDevices(server, tenantId, 3)).map(({ id }) => id)
  const onOne = { scopeKind: 'Device', scopeId: devices[0]! } as const
  guest = await addMember(server, tenantId, [{ permissionName: 'device.read', ...onOne }])
})

let tag: TagResponseDto
beforeEach(async () => {
  tag = await owner.tags.create({ tenantId, body: { name: `t-${randomUUID()}` } })
})

const oneTag = () => ({ tenantId, params: { tagId: tag.id } })
const mark = async (deviceIds: readonly string[]) => {
  for (const deviceId of deviceIds) {
    await owner.deviceTags.add({ tenantId, body: { deviceId, tagId: tag.id } })
  }
}

test('a tag is created, read, renamed and deleted', async () => {
  const response = await owner.fetch(`/api/v1/tags?tenantId=${tenantId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'front-desk', type: 'permission' }),
  })
  const created = (await response.json()) as TagResponseDto
  expect(response.status).toBe(201)
  expect(response.headers.get('location')).toBe(`/api/v1/tags/${created.id}?tenantId=${tenantId}`)
  expect(created).toEqual({ id: created.id, name: 'front-desk', type: 'Permission', deviceIds: [] })
  const input = { tenantId, params: { tagId: created.id } }
  expect(await owner.tags.get(input)).toEqual(created)
  expect(await owner.tags.rename({ ...input, body: { name: 'lobby' } })).toEqual({ ...created, name: 'lobby' })
  expect(await owner.tags.rename({ ...input, body: { name: 'lobby' } })).toEqual({ ...created, name: 'lobby' })
  await owner.tags.delete(input)
  await expect(owner.tags.get(input)).rejects.toMatchObject({ status: 404 })
  await expect(owner.tags.delete(input)).rejects.toMatchObject({ status: 404 })
})

test('the list is sorted by name, only of the tenant, and open to every user of it', async () => {
  await owner.tags.create({ tenantId, body: { name: 'zebra' } })
  await owner.tags.create({ tenantId, body: { name: 'aardvark' } })
  await stranger.tags.create({ tenantId: stranger.tenantId, body: { name: 'aardvark' } })
  const { items } = await guest.tags.list({ tenantId, query: {} })
  const names = items.map(({ name }) => name)
  expect(names).toEqual(names.toSorted())
  expect(names.filter((name) => name === 'aardvark')).toHaveLength(1)
  await expect(stranger.tags.list({ tenantId, query: {} })).rejects.toMatchObject({ status: 403 })
})

describe('linked devices', () => {
  const listed = async (member: Member, includeLinkedIds?: unknown) =>
    (await member.tags.list({ tenantId, query: { includeLinkedIds } })).items.find(({ id }) => id === tag.id)?.deviceIds

  test('are in the list on request, and always in a single tag; only those that the principal may read', async () => {
    await mark([devices[1]!, devices[0]!])
    expect(await Promise.all([undefined, false, 'False'].map((flag) => listed(owner, flag)))).toEqual([[], [], []])
    expect(await Promise.all([true, 'TRUE'].map((flag) => listed(owner, flag)))).toEqual([
      devices.slice(0, 2),
      devices.slice(0, 2),
    ])
    expect((await owner.tags.get(oneTag())).deviceIds).toEqual(devices.slice(0, 2))
    expect((await owner.tags.rename({ ...oneTag(), body: { name: `${tag.name}-b` } })).deviceIds).toHaveLength(2)
    expect(await listed(guest, true)).toEqual([devices[0]])
    expect((await guest.tags.get(oneTag())).deviceIds).toEqual([devices[0]])
  })

  test.each(['', 'yes', '1'])('with the flag %j are refused', async (flag) => {
    await expect(listed(owner, flag)).rejects.toMatchObject({ status: 400 })
  })

  test('lose a deleted tag, which is pushed to subscribers', async () => {
    await mark(devices)
    const viewer = await connectViewer(owner)
    await follow(viewer, devices)
    expect((await owner.devices.get({ params: { deviceId: devices[0]! } })).tagIds).toContain(tag.id)
    await owner.tags.delete(oneTag())
    const after = await owner.devices.list({})
    expect(after.filter(({ tagIds }) => tagIds?.includes(tag.id))).toEqual([])
    await until(() => viewer.devices.length === 3)
    await server.restart()
    expect((await owner.devices.list({})).filter(({ tagIds }) => tagIds?.includes(tag.id))).toEqual([])
  })
})

describe('refused are', () => {
  test.each(['', ' ', 'Upper', 'with space', 'under_score', 'umlaut-ü', 'line\n', '\nline', 'x'.repeat(51), 'a\u0000'])(
    'the name %j',
    async (name) => {
      await expect(owner.tags.create({ tenantId, body: { name } })).rejects.toMatchObject({ status: 400 })
      await expect(owner.tags.rename({ ...oneTag(), body: { name } })).rejects.toMatchObject({ status: 400 })
    },
  )

  test('names of another tag of the tenant, but not a name of fifty characters', async () => {
    const name = randomUUID().replaceAll('-', '').padEnd(50, 'x')
    await owner.tags.create({ tenantId, body: { name } })
    const calls = [
      owner.tags.create({ tenantId, body: { name } }),
      owner.tags.rename({ ...oneTag(), body: { name } }),
      stranger.tags.create({ tenantId: stranger.tenantId, body: { name } }),
    ]
    expect(await statusesOf(calls)).toEqual([409, 409, 200])
  })

  test('an unknown type', async () => {
    const body = { name: 'typed', type: 'Color' as 'Unknown' }
    await expect(owner.tags.create({ tenantId, body })).rejects.toMatchObject({ status: 400 })
  })

  test('principals without tenant.tags.write', async () => {
    const calls = [
      guest.tags.create({ tenantId, body: { name: 'mine' } }),
      guest.tags.rename({ ...oneTag(), body: { name: 'mine' } }),
      guest.tags.delete(oneTag()),
    ]
    expect(await statusesOf(calls)).toEqual([403, 403, 403])
  })

  test('tags of another tenant', async () => {
    const foreign = { ...oneTag(), tenantId: stranger.tenantId }
    const calls = [
      stranger.tags.get(foreign),
      stranger.tags.rename({ ...foreign, body: { name: 'mine' } }),
      stranger.tags.delete(foreign),
    ]
    expect(await statusesOf(calls)).toEqual([404, 404, 404])
  })
})
