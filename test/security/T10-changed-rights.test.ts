import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DevicePermission } from '../../shared/access.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import { enroll } from '../support/agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { until } from '../support/until.ts'
import { addMember, addTenantAccount } from '../support/people.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { integrator, startTestServer, useTestServer, type Member, type TestServer } from '../support/server.ts'

/** Creates a device and a member who loses a permission on it when `takeAway` is called. */
async function prepared(permissionName: DevicePermission) {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  const body = {
    principalKind: 'User',
    principalId: owner.user.id,
    permissionName,
    effect: 'Deny',
    scopeKind: 'Device',
    scopeId: agent.id,
  } as const
  const takeAway = () => owner.permissionAssignments.create({ tenantId: owner.tenantId, body })
  return { server, owner, agent, takeAway }
}

test('a viewer that lost the right to a terminal gets no more output, and Forbidden. as answer', async () => {
  const { server, owner, agent, takeAway } = await prepared('device.terminal.use')
  const { SendTerminalOutputToViewer } = await agent.connect(server.url, { CreateTerminalSession: () => success })
  const viewer = await connectViewer(owner)
  const terminalId = randomUUID()
  await viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
  const say = (output: string) =>
    SendTerminalOutputToViewer(viewer.connection.connectionId!, {
      terminalId,
      output,
      outputKind: 0,
      timestamp: new Date().toISOString(),
    })
  await say('before')
  await takeAway()
  await say('after')
  const answer = await viewer.SendTerminalInput2({ deviceId: agent.id, input: { terminalId, input: 'ls' } })
  expect(answer.reason).toBe('Forbidden.')
  expect(viewer.outputs.map(({ output }) => output)).toEqual(['before'])
})

test('a viewer that lost the right to read a device gets no more of its events', async () => {
  const { server, owner, agent, takeAway } = await prepared('device.read')
  const viewer = await connectViewer(owner)
  await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [agent.id] })
  const { UpdateDeviceSigned } = await agent.connect(server.url)
  await expect.poll(() => viewer.devices.length).toBe(2)
  await takeAway()
  await UpdateDeviceSigned(agent.signed(agent.report()))
  await viewer.UnsubscribeFromDeviceHeartbeats2({ deviceIds: [] })
  expect(viewer.devices).toHaveLength(2)
  await expect(owner.devices.get({ params: { deviceId: agent.id } })).rejects.toMatchObject({ status: 404 })
})

describe('a removed right', () => {
  let server: TestServer
  let owner: Member
  let tenantId: string
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.owner()
    tenantId = owner.tenantId
  })
  afterAll(() => server.stop())

  type Grant = Omit<Parameters<Member['permissionAssignments']['create']>[0]['body'], 'permissionName'>
  const read = { permissionName: 'device.read' } as const
  const give = (grant: Grant) => owner.permissionAssignments.create({ tenantId, body: { ...read, ...grant } })
  const take = ({ id }: { id: string }) =>
    owner.permissionAssignments.delete({ tenantId, params: { assignmentId: id } })
  const user = ({ user: { id } }: Member) => ({ principalKind: 'User', principalId: id }) as const

  /** Creates a user with a group and an open page, and a device in a group, without any grants. */
  async function scene() {
    const member = await addMember(server, tenantId, [])
    const agent = await enroll(owner)
    const userGroupId = (await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })).id
    const deviceGroupId = (await owner.deviceGroups.create({ tenantId, body: { name: randomUUID() } })).id
    await owner.userGroups.addMembers({ tenantId, params: { userGroupId }, body: { userIds: [member.user.id] } })
    const devices = { tenantId, params: { deviceGroupId }, body: { deviceIds: [agent.id] } }
    await owner.deviceGroups.addMembers(devices)
    const viewer = await connectViewer(member)
    const { UpdateDeviceSigned } = await agent.connect(server.url)
    /** Reports whether the page and its cookie still work for a request, a hub call, and a push. */
    const may = async () => {
      const request = member.devices.get({ params: { deviceId: agent.id } }).then(
        () => true,
        () => false,
      )
      const listed = (await member.devices.list({})).some(({ id }) => id === agent.id)
      const call = (await viewer.RefreshDeviceInfo2({ deviceId: agent.id })).reason !== 'Forbidden.'
      const before = viewer.devices.length
      await UpdateDeviceSigned(agent.signed(agent.report()))
      await viewer.UnsubscribeFromDeviceHeartbeats2({ deviceIds: [] })
      return { request: await request, listed, call, push: viewer.devices.length > before }
    }
    const all = (value: boolean) => ({ request: value, listed: value, call: value, push: value })
    const subscribe = () => viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [agent.id] })
    return { member, viewer, agent, userGroupId, deviceGroupId, devices, may, all, subscribe }
  }
  type Scene = Awaited<ReturnType<typeof scene>>

  const ofGroup = ({ userGroupId }: Scene) => ({ principalKind: 'UserGroup', principalId: userGroupId }) as const
  const atTenant = { scopeKind: 'Tenant' } as const

  test.each<[string, (at: Scene) => Promise<() => Promise<unknown>>]>([
    [
      'by deleting its row',
      async ({ member }) => {
        const row = await give({ ...user(member), ...atTenant })
        return () => take(row)
      },
    ],
    [
      'by disabling its row',
      async ({ member }) => {
        const row = await give({ ...user(member), ...atTenant })
        const body = { ...read, ...atTenant, isEnabled: false }
        return () => owner.permissionAssignments.update({ tenantId, params: { assignmentId: row.id }, body })
      },
    ],
    [
      'by a deny on the device',
      async ({ member, agent }) => {
        await give({ ...user(member), ...atTenant })
        return () => give({ ...user(member), scopeKind: 'Device', scopeId: agent.id, effect: 'Deny' })
      },
    ],
    [
      'by a deny for a group of people',
      async (at) => {
        await give({ ...user(at.member), ...atTenant })
        return () => give({ ...ofGroup(at), ...atTenant, effect: 'Deny' })
      },
    ],
    [
      'by a deny for a group of people on a group of devices',
      async (at) => {
        await give({ ...user(at.member), ...atTenant })
        return () => give({ ...ofGroup(at), scopeKind: 'DeviceGroup', scopeId: at.deviceGroupId, effect: 'Deny' })
      },
    ],
    [
      'by deleting the row of a group',
      async (at) => {
        const row = await give({ ...ofGroup(at), ...atTenant })
        return () => take(row)
      },
    ],
    [
      'by leaving a group of people',
      async (at) => {
        await give({ ...ofGroup(at), ...atTenant })
        const { userGroupId, member } = at
        const body = { userIds: [member.user.id] }
        return () => owner.userGroups.removeMembers({ tenantId, params: { userGroupId }, body })
      },
    ],
    [
      'by deleting the group of people',
      async (at) => {
        await give({ ...ofGroup(at), ...atTenant })
        return () => owner.userGroups.delete({ tenantId, params: { userGroupId: at.userGroupId } })
      },
    ],
    [
      'by taking the device out of its group',
      async (at) => {
        await give({ ...user(at.member), scopeKind: 'DeviceGroup', scopeId: at.deviceGroupId })
        return () => owner.deviceGroups.removeMembers(at.devices)
      },
    ],
    [
      'by deleting the group of devices',
      async (at) => {
        await give({ ...user(at.member), scopeKind: 'DeviceGroup', scopeId: at.deviceGroupId })
        return () => owner.deviceGroups.delete({ tenantId, params: { deviceGroupId: at.deviceGroupId } })
      },
    ],
    [
      'by replacing all rows',
      async ({ member }) => {
        await give({ ...user(member), ...atTenant })
        const assignments = [{ permissionName: 'device.delete', ...atTenant }]
        return () => owner.permissionAssignments.replace({ tenantId, body: { ...user(member), assignments } })
      },
    ],
  ])('%s no longer counts for the next request, hub call and push, and its page is told', async (_, prepare) => {
    const at = await scene()
    expect(await at.may()).toEqual(at.all(false))
    const takeAway = await prepare(at)
    await at.subscribe()
    const before = await at.may()
    expect({ request: before.request, listed: before.listed, call: before.call }).toEqual({
      request: true,
      listed: true,
      call: true,
    })
    const told = at.viewer.rightsChanges.length
    await takeAway()
    expect(await at.may()).toEqual(at.all(false))
    expect(at.viewer.rightsChanges.length).toBeGreaterThan(told)
  })

  test('of somebody else, and a move that changes nothing, are not told; deleted devices are', async () => {
    const at = await scene()
    const row = await give({ ...user(at.member), ...atTenant })
    await at.subscribe()
    await at.may()
    const told = at.viewer.rightsChanges.length
    await give({ ...user(owner), scopeKind: 'Device', scopeId: at.agent.id })
    await owner.deviceGroups.removeMembers(at.devices)
    await at.may()
    expect(at.viewer.rightsChanges.length).toBe(told)
    await owner.devices.delete({ params: { deviceId: at.agent.id } })
    await until(() => at.viewer.rightsChanges.length > told)
    await take(row)
    await until(() => at.viewer.rightsChanges.length > told + 1)
  })

  test('of the token that added a member to a group is told to the member; of somebody else is not', async () => {
    const at = await scene()
    const somebody = await addMember(server, tenantId, [])
    const { id: userGroupId } = await owner.userGroups.create({ tenantId, body: { name: randomUUID() } })
    const token = await makeRestrictedToken(owner, [
      'tenant.user-groups.write',
      'user-group.assign-users',
      'device.read',
    ])
    const body = { userIds: [at.member.user.id] }
    await token.client.userGroups.addMembers({ tenantId, params: { userGroupId }, body })
    await give({ principalKind: 'UserGroup', principalId: userGroupId, ...atTenant })
    const row = await give({ ...user(somebody), scopeKind: 'Device', scopeId: at.agent.id })
    await at.may()
    const told = at.viewer.rightsChanges.length
    await take(row)
    await at.may()
    expect(at.viewer.rightsChanges.length).toBe(told)
    await token.lose('device.read')
    await until(() => at.viewer.rightsChanges.length > told)
  })

  test('no longer counts for tokens of the user and keys of the account', async () => {
    const member = await addMember(server, tenantId, ['personal-access-token.self.write'])
    const agent = await enroll(owner)
    const row = await give({ ...user(member), ...atTenant })
    const { plainTextToken } = await member.personalAccessTokens.create({ tenantId, body: { name: 'token' } })
    const limited = await member.personalAccessTokens.create({
      tenantId,
      body: { name: 'limited', scopes: [{ ...read, ...atTenant }] },
    })
    const program = await addTenantAccount(owner, [{ ...read, ...atTenant }])
    const rowOfProgram = (
      await owner.permissionAssignments.list({
        tenantId,
        query: { principalKind: 'ServiceAccount', principalId: program.id },
      })
    ).items[0]!
    const tokens = [plainTextToken, limited.plainTextToken].map((token) =>
      integrator(server.url, { 'x-personal-token': token }),
    )
    const statuses = () =>
      Promise.all(
        [...tokens, program].map((client) =>
          client.devices.get({ params: { deviceId: agent.id } }).then(
            () => 200,
            (error: { status: number }) => error.status,
          ),
        ),
      )
    expect(await statuses()).toEqual([200, 200, 200])
    await take(row)
    await take(rowOfProgram)
    expect(await statuses()).toEqual([404, 404, 404])
  })
})
