import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { TagResponseDto } from '../../../shared/dtos/tag.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { statusesOf } from '../../support/statuses.ts'
import { addDevices } from '../../support/stored.ts'
import { until } from '../../support/until.ts'

let stranger: Member
/** May tag the first device and read the second, but not see the third. */
let tagger: Member
let tenantId: string
let devices: string[]
let tag: TagResponseDto

const server = serverForFile({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  stranger = await server.owner({ email: 'grace@example.org' })
  devices = (await addDevices(server, tenantId, 3)).map(({ id }) => id)
  const on = (scopeId: string) => ({ scopeKind: 'Device', scopeId }) as const
  tagger = await addMember(server, tenantId, [
    { permissionName: 'device.read', ...on(devices[0]!) },
    { permissionName: 'device.tags.write', ...on(devices[0]!) },
    { permissionName: 'device.read', ...on(devices[1]!) },
  ])
})

beforeEach(async () => {
  tag = await owner.tags.create({ tenantId, body: { name: `t-${randomUUID()}` } })
})

const add = (member: Member, deviceId = devices[0]!, tagId = tag.id) =>
  member.deviceTags.add({ tenantId, body: { deviceId, tagId } })
const remove = (member: Member, deviceId = devices[0]!, tagId = tag.id) =>
  member.deviceTags.remove({ tenantId, params: { deviceId, tagId } })
const isTagged = async (deviceId = devices[0]!) =>
  (await owner.devices.get({ params: { deviceId } })).tagIds?.includes(tag.id)

test('a tag is added to a device, kept over a restart and removed; adding it twice does nothing', async () => {
  const viewer = await connectViewer(tagger)
  await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [devices[0]!] })
  await add(tagger)
  await add(tagger)
  expect(await isTagged()).toBe(true)
  expect(await isTagged(devices[1])).toBe(false)
  await until(() => viewer.devices.some(({ tagIds }) => tagIds?.includes(tag.id)))
  await server.restart()
  expect(await isTagged()).toBe(true)
  await remove(tagger)
  expect(await isTagged()).toBe(false)
  await expect(remove(tagger)).rejects.toMatchObject({ status: 404 })
})

test('a device that may only be read is 403, an unreadable or unknown one 404, before the tag is checked', async () => {
  const unknown = randomUUID()
  const targets: [string, string][] = [
    [devices[1]!, tag.id],
    [devices[1]!, unknown],
    [devices[2]!, tag.id],
    [unknown, tag.id],
    [devices[0]!, unknown],
  ]
  const statuses = [403, 403, 404, 404, 404]
  expect(await statusesOf(targets.map((target) => add(tagger, ...target)))).toEqual(statuses)
  expect(await statusesOf(targets.map((target) => remove(tagger, ...target)))).toEqual(statuses)
})

test('devices and tags of another tenant are refused', async () => {
  const foreignTag = await stranger.tags.create({ tenantId: stranger.tenantId, body: { name: 'foreign' } })
  const own = { deviceId: devices[0]!, tagId: tag.id }
  const calls = [
    add(owner, devices[0]!, foreignTag.id),
    stranger.deviceTags.add({ tenantId, body: own }),
    stranger.deviceTags.add({ tenantId: stranger.tenantId, body: own }),
    stranger.deviceTags.remove({ tenantId: stranger.tenantId, params: own }),
  ]
  expect(await statusesOf(calls)).toEqual([404, 403, 404, 404])
  expect(await isTagged()).toBe(false)
})

test.each([{}, { deviceId: 'x' }, { tagId: 'x' }])('%j is refused', async (change) => {
  const body = Object.keys(change).length === 0 ? {} : { deviceId: devices[0]!, tagId: tag.id, ...change }
  const adding = owner.deviceTags.add({ tenantId, body: body as { deviceId: string; tagId: string } })
  await expect(adding).rejects.toMatchObject({ status: 400 })
})
