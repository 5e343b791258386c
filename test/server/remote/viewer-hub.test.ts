import { HttpTransportType } from '@microsoft/signalr'
import { describe, expect, test } from 'vitest'
import { enroll, installerKey, TestAgent } from '../../support/agent.ts'
import { buildAssignment } from '../../support/factories.ts'
import { connectViewer, type Viewer } from '../../support/hub-client.ts'
import { some } from '../../support/night.ts'
import { ownerForFile, serverForFile, useTestServer, type Member, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const unknownId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const success = { isSuccess: true, reason: null, errorCode: null }
const forbidden = { isSuccess: false, reason: 'Forbidden.', errorCode: null }

async function enrollMany(owner: Member, count: number): Promise<TestAgent[]> {
  const key = await installerKey(owner)
  const agents = Array.from({ length: count }, () => new TestAgent(owner.tenantId))
  await Promise.all(agents.map((agent) => agent.register(owner, key)))
  return agents
}

/** Denies a user a permission on a device. */
const deny = (
  server: TestServer,
  member: Member,
  permissionName: 'device.terminal.use' | 'device.read',
  id: string,
) => {
  const row = buildAssignment({
    principalId: member.user.id,
    permissionName,
    effect: 'Deny',
    scopeKind: 'Device',
    scopeId: id,
  })
  return server.write((models, transaction) => models.PermissionAssignment.create(row, { transaction }))
}

const input = { terminalId: unknownId, input: 'ls' }

/**
 * Calls of every method that needs a right on a device: new forms return the reason of a failure, obsolete void forms
 * nothing.
 */
const callsOn = (viewer: Viewer, deviceId: string) => ({
  'device.terminal.use': [
    viewer.CreateTerminalSession(deviceId, unknownId),
    viewer.CreateTerminalSession2({ deviceId, terminalId: unknownId }),
    viewer.SendTerminalInput(deviceId, input),
    viewer.SendTerminalInput2({ deviceId, input }),
    viewer.CloseTerminalSession2({ deviceId, terminalId: unknownId }),
  ],
  'device.read': [viewer.RefreshDeviceInfo2({ deviceId })],
  void: [viewer.CloseTerminalSession(deviceId, unknownId), viewer.RefreshDeviceInfo(deviceId)],
})

describe('rights', () => {
  test.each(some(['foreign', 'unknown'], 2))(
    'every method answers Forbidden. for a device that is %s',
    async (kind) => {
      const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
      const [owner, stranger] = [await server.owner(), await server.owner({ email: 'grace@example.org' })]
      const viewer = await connectViewer(stranger)
      const calls = callsOn(viewer, kind === 'unknown' ? unknownId : (await enroll(owner)).id)
      const answers = await Promise.all([...calls['device.terminal.use'], ...calls['device.read']])
      expect(answers).toEqual(answers.map(() => forbidden))
      expect(await Promise.all(calls.void)).toEqual([null, null])
    },
  )

  test('are checked one by one: without the terminal right a refresh still works', async () => {
    const agent = await enroll(owner)
    await deny(server, owner, 'device.terminal.use', agent.id)
    await agent.connect(server.url)
    const calls = callsOn(await connectViewer(owner), agent.id)
    expect(await Promise.all(calls['device.terminal.use'])).toEqual(calls['device.terminal.use'].map(() => forbidden))
    expect(await Promise.all(calls['device.read'])).toEqual([success])
  })
})

describe('heartbeat subscriptions', () => {
  test('bring the present state and every report of the devices asked for, and no others', async () => {
    const [followed, other] = await enrollMany(owner, 2)
    const viewer = await connectViewer(owner)
    expect(await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [followed!.id, followed!.id, unknownId] })).toEqual({
      ...success,
      skippedDeviceIds: [unknownId],
    })
    await other!.connect(server.url)
    const connection = await followed!.connect(server.url)
    await connection.UpdateDeviceSigned(followed!.signed(followed!.report({ name: 'renamed' })))
    await connection.connection.stop()
    await until(() => viewer.devices.length === 4)
    expect(
      viewer.devices.map(({ id, name, isOnline, connectionId }) => [id, name, isOnline, connectionId === '']),
    ).toEqual([
      [followed!.id, followed!.report().name, false, true],
      [followed!.id, followed!.report().name, true, false],
      [followed!.id, 'renamed', true, false],
      [followed!.id, 'renamed', false, true],
    ])
  })

  test('add up over calls of at most a hundred devices, and can be removed one by one', async () => {
    const agents = await enrollMany(owner, 3)
    const [first, second, third] = agents.map(({ id }) => id) as [string, string, string]
    const viewer = await connectViewer(owner)
    const many = Array.from({ length: 101 }, () => first)
    expect(await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: many })).toEqual({
      ...success,
      isSuccess: false,
      reason: 'Too many device IDs (101). Subscribe at most 100 devices per call.',
    })
    expect(await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).toEqual(success)
    expect(await viewer.SubscribeToDeviceHeartbeats([first])).toEqual(success)
    expect(await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [second, third] })).toEqual(success)
    expect(await viewer.UnsubscribeFromDeviceHeartbeats2({ deviceIds: [second, unknownId] })).toEqual(success)
    expect(await viewer.UnsubscribeFromDeviceHeartbeats([unknownId])).toBeNull()
    await Promise.all(agents.map((agent) => agent.connect(server.url)))
    const online = () => viewer.devices.filter(({ isOnline }) => isOnline)
    await until(() => online().length === 2)
    expect(
      online()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([first, third].toSorted())
  })

  test('say that no device went offline when the server stops in order', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const agents = await enrollMany(owner, 3)
    await Promise.all(agents.map((agent) => agent.connect(server.url)))
    const viewer = await connectViewer(owner)
    await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: agents.map(({ id }) => id) })
    await server.whileStopped(() => viewer.closed)
    expect(viewer.devices.map(({ isOnline }) => isOnline)).toEqual([true, true, true])
  })

  test('name the devices that may not be read, and skip them', async () => {
    const [hidden, readable] = await enrollMany(owner, 2)
    await deny(server, owner, 'device.read', hidden!.id)
    const viewer = await connectViewer(owner)
    expect(await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [hidden!.id, readable!.id] })).toEqual({
      ...success,
      skippedDeviceIds: [hidden!.id],
    })
    await hidden!.connect(server.url)
    await readable!.connect(server.url)
    await until(() => viewer.devices.length > 1)
    expect(viewer.devices.map(({ id }) => id)).toEqual([readable!.id, readable!.id])
  })
})

describe('refreshing a device', () => {
  test('makes its agent report; an offline agent is reported', async () => {
    const agent = await enroll(owner)
    const viewer = await connectViewer(owner)
    expect(await viewer.RefreshDeviceInfo2({ deviceId: agent.id })).toEqual({
      ...forbidden,
      reason: 'Device is not currently connected.',
    })
    let asked = 0
    await agent.connect(server.url, { RefreshDeviceInfo: () => void asked++ })
    await viewer.RefreshDeviceInfo(agent.id)
    await viewer.RefreshDeviceInfo2({ deviceId: agent.id })
    await until(() => asked === 2)
  })
})

describe('the wire', () => {
  test('MessagePack: members in PascalCase, enums by name, in both directions', async () => {
    const agent = await enroll(owner)
    const viewer = await connectViewer(owner, { protocol: 'messagepack' })
    const pushed: Record<string, unknown>[] = []
    viewer.connection.on('ReceiveDeviceUpdate', (device: Record<string, unknown>) => void pushed.push(device))
    expect(await viewer.connection.invoke('SubscribeToDeviceHeartbeats2', { DeviceIds: [agent.id] })).toEqual({
      IsSuccess: true,
      Reason: null,
      ErrorCode: null,
      SkippedDeviceIds: null,
    })
    await agent.connect(server.url)
    const device = await until(() => pushed[1])
    const { platform, drives } = agent.report()
    expect(device).toMatchObject({
      Id: agent.id,
      IsOnline: true,
      Platform: ['Unknown', 'Windows', 'Linux', 'MacOs'][platform as number],
      Drives: [{ DriveType: 'Fixed', FreeSpace: drives![0]!.freeSpace }],
      TagIds: [],
    })
    expect(device).not.toHaveProperty('id')
  })

  test.each(['ServerSentEvents', 'LongPolling'] as const)('the transport %s carries pushes too', async (name) => {
    const agent = await enroll(owner)
    const viewer = await connectViewer(owner, { transport: HttpTransportType[name] })
    await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [agent.id] })
    await agent.connect(server.url)
    await until(() => viewer.devices.length > 0)
  })

  test('an unknown method, missing or invalid arguments fail only the call', async () => {
    const viewer = await connectViewer(owner)
    const calls = [['Nothing'], ['RefreshDeviceInfo2'], ['RefreshDeviceInfo2', 'x'], ['RefreshDeviceInfo', 'x']]
    for (const [method = '', ...args] of calls) {
      await expect(viewer.connection.invoke(method, ...args)).rejects.toThrow(`'${method}'`)
    }
    expect(await viewer.SubscribeToDeviceHeartbeats2({ deviceIds: [] })).toEqual(success)
  })

  test('`me` shows whether the user has an open connection', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const isOnline = async () => (await owner.auth.me({})).isOnline
    expect(await isOnline()).toBe(false)
    const [one, two] = [await connectViewer(owner), await connectViewer(owner)]
    await one.connection.stop()
    expect(await isOnline()).toBe(true)
    await two.connection.stop()
    await until(async () => !(await isOnline()))
  })
})
