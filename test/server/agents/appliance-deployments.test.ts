import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { RegisterDeviceRequestDto } from '../../../shared/api/agent-devices.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { changesOf } from '../../support/stored.ts'

let tenantId: string
let customerId: string
let deviceGroupId: string
let tagId: string
/** Makes installer keys, and gives devices nothing. */
let installer: Member

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  tenantId = owner.tenantId
  customerId = (await owner.customers.create({ tenantId, body: { name: 'Contoso' } })).id
  deviceGroupId = (await owner.deviceGroups.create({ tenantId, body: { name: 'Berlin' } })).id
  tagId = (await owner.tags.create({ tenantId, body: { name: 'kiosk' } })).id
  installer = await addMember(server, tenantId, ['agent.install', 'installer-key.write', 'installer-key.read'])
})

/** Leaves the tenant out: it is the caller's. */
const deploy = (by: Member, placement = {}) =>
  by.applianceDeployments.create({ body: { keyType: 'UsageBased', allowedUses: 40, placement } })

const register = (key: { id: string; keySecret: string }, more = {}) =>
  server.visitor().agentDevices.register({
    body: RegisterDeviceRequestDto.parse({
      device: { id: randomUUID(), name: 'kiosk-1' },
      installerKeyId: key.id,
      installerKeySecret: key.keySecret,
      ...more,
    }),
  })

test('new devices of a roll-out get its customer, groups and tags; an agent that names a customer keeps it', async () => {
  const placement = { customerId, deviceGroupIds: [deviceGroupId], tagIds: [tagId] }
  const { key } = await deploy(owner, placement)
  expect((await owner.applianceDeployments.placements({ tenantId })).items).toEqual([{ keyId: key.id, ...placement }])
  const device = await register(key)
  expect(await owner.devices.get({ params: { deviceId: device.id } })).toMatchObject({ customerId, tagIds: [tagId] })
  const group = await owner.deviceGroups.get({ tenantId, params: { deviceGroupId } })
  expect(group.members.map((member) => member.deviceId)).toEqual([device.id])
  expect((await changesOf(server, deviceGroupId)).at(-1)).toMatchObject({ action: 'device-group-members-added' })
  const other = (await owner.customers.create({ tenantId, body: { name: 'Fabrikam' } })).id
  expect(await register(key, { customerId: other })).toMatchObject({ customerId: other, tagIds: [tagId] })
  expect(await server.differences()).toEqual([])
})

test('a known device keeps its place, and deleted things are skipped', async () => {
  const gone = (await owner.customers.create({ tenantId, body: { name: 'Gone' } })).id
  const { key } = await deploy(owner, { customerId: gone, tagIds: [tagId] })
  const { key: plain } = await deploy(owner)
  const known = await register(plain)
  await owner.customers.delete({ tenantId, params: { customerId: gone } })
  expect(await register(key, { device: { id: known.id, name: 'kiosk-1' } })).toMatchObject({
    customerId: null,
    tagIds: [],
  })
  expect(await register(key)).toMatchObject({ customerId: null, tagIds: [tagId] })
})

test('a place for new devices needs the rights to its things, and things of another tenant are rejected', async () => {
  await expect(deploy(installer, { tagIds: [tagId] })).rejects.toMatchObject({ status: 403 })
  await expect(deploy(installer, { deviceGroupIds: [deviceGroupId] })).rejects.toMatchObject({ status: 403 })
  await expect(deploy(owner, { customerId: randomUUID() })).rejects.toMatchObject({ status: 400 })
  const writer = await addMember(server, tenantId, ['installer-key.write'])
  await expect(deploy(writer)).rejects.toMatchObject({ status: 403 })
  const nobody = await addMember(server, tenantId, [])
  await expect(deploy(nobody)).rejects.toMatchObject({ status: 403 })
  await expect(nobody.applianceDeployments.placements({ tenantId })).rejects.toMatchObject({ status: 403 })
})

test('a group is closed to a key whose creator may not fill it any more', async () => {
  const filler = await addMember(server, tenantId, [
    'agent.install',
    'installer-key.write',
    { permissionName: 'device-group.assign-devices', scopeKind: 'DeviceGroup', scopeId: deviceGroupId },
  ])
  const { key } = await deploy(filler, { deviceGroupIds: [deviceGroupId] })
  await register(key)
  const { id: principalId } = await filler.auth.me({})
  const { items } = await owner.permissionAssignments.list({ tenantId, query: { principalKind: 'User', principalId } })
  const right = items.find(
    ({ permissionName, scopeId }) => permissionName === 'device-group.assign-devices' && scopeId === deviceGroupId,
  )!
  await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: right.id } })
  await expect(register(key)).rejects.toMatchObject({ status: 403 })
})

test('the answer has a command and a script for each system that an agent is here for', async () => {
  const { commands, key, serverUrl } = await deploy(owner)
  for (const { runtime, command, silentCommand, script, scriptName } of commands) {
    expect(command).toContain(key.keySecret)
    expect(command).toContain(serverUrl)
    if (runtime.startsWith('win-')) {
      const encoded = silentCommand!.split(' ').at(-1)!
      expect(Buffer.from(encoded, 'base64').toString('utf16le')).toBe(command)
      expect(silentCommand!.length).toBeLessThan(8191)
    } else {
      expect(silentCommand).toBeNull()
      const folder = join(server.directory, 'scripts')
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, scriptName), script)
      expect(spawnSync('sh', ['-n', join(folder, scriptName)]).status).toBe(0)
    }
  }
  expect(commands.length).toBeGreaterThan(0)
})

test('a used-up key is listed with the ended keys, for readers of keys', async () => {
  const { key } = await owner.applianceDeployments.create({
    body: { tenantId, keyType: 'UsageBased', allowedUses: 1, placement: {} },
  })
  const ended = async (by: Member) => (await by.applianceInstallerKeys.ended({ tenantId })).items
  expect((await ended(owner)).map(({ id }) => id)).not.toContain(key.id)
  await register(key)
  expect((await owner.installerKeys.list({ tenantId })).items.map(({ id }) => id)).not.toContain(key.id)
  expect((await ended(installer))[0]).toMatchObject({ id: key.id, usageCount: 1, allowedUses: 1 })
  const reader = await addMember(server, tenantId, ['device.read'])
  await expect(ended(reader)).rejects.toMatchObject({ status: 403 })
})

test.each([undefined, '2020-01-01T00:00:00Z'])(
  'a command is not made with a key that ended at %j',
  async (expiration) => {
    const refused = owner.applianceDeployments.create({ body: { keyType: 'TimeBased', expiration } })
    await expect(refused).rejects.toMatchObject({
      status: 400,
      problem: { errors: { expiration: [expect.any(String)] } },
    })
  },
)
