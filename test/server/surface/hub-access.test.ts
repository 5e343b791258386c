import { describe, expect, test } from 'vitest'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { enroll, type AgentConnection } from '../../support/agent.ts'
import { connectViewer, type Viewer } from '../../support/hub-client.ts'
import { addMember, type Grant } from '../../support/people.ts'
import { useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const terminalId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const forbidden = failure('Forbidden.')
const output = { terminalId, output: 'hello', outputKind: 0, timestamp: '2026-01-01T00:00:00Z' } as const

/** Creates a user with these rights in the tenant, and a device whose agent answers. */
async function prepared(grants: readonly Grant[]) {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enroll(owner)
  const member = await addMember(server, owner.tenantId, grants)
  const connection = await agent.connect(server.url, {
    CreateTerminalSession: () => ({ ...success, isPty: true, shell: '/bin/bash' }),
    ReceiveTerminalInput: () => success,
  })
  return { server, agent, connection, member, deviceId: agent.id, viewer: await connectViewer(member) }
}

const terminalCalls = (viewer: Viewer, deviceId: string) =>
  Promise.all([
    viewer.CreateTerminalSession(deviceId, terminalId),
    viewer.CreateTerminalSession2({ deviceId, terminalId }),
    viewer.SendTerminalInput(deviceId, { terminalId, input: 'ls' }),
    viewer.SendTerminalInput2({ deviceId, input: { terminalId, input: 'ls' } }),
    viewer.CloseTerminalSession2({ deviceId, terminalId }),
  ])

describe('a device permission on a hub method needs no other permission', () => {
  test('a user with terminals but without device.read uses a terminal, and gets no other data of the device', async () => {
    const { connection, member, viewer, deviceId } = await prepared(['device.terminal.use', 'device.alias.write'])
    expect((await terminalCalls(viewer, deviceId)).map(({ isSuccess }) => isSuccess)).toEqual(Array(5).fill(true))
    await viewer.CreateTerminalSession2({ deviceId, terminalId })
    await connection.SendTerminalOutputToViewer(viewer.connection.connectionId ?? '', output)
    await until(() => viewer.outputs.length === 1)
    expect(await viewer.RefreshDeviceInfo2({ deviceId })).toEqual(forbidden)
    expect(await viewer.SubscribeToDeviceHeartbeats([deviceId])).toEqual({
      ...success,
      skippedDeviceIds: [deviceId],
    })
    await connection.connection.stop()
    expect(viewer.devices).toEqual([])
    const params = { deviceId }
    await expect(member.devices.get({ params })).rejects.toMatchObject({ status: 404 })
    await expect(member.devices.setAlias({ params, body: { alias: 'Cellar' } })).rejects.toMatchObject({ status: 404 })
  })

  test('who may read devices but not use terminals is refused here, and finds the device over HTTP', async () => {
    const { member, viewer, deviceId } = await prepared(['device.read'])
    expect(await terminalCalls(viewer, deviceId)).toEqual(Array(5).fill(forbidden))
    expect(await viewer.RefreshDeviceInfo2({ deviceId })).toEqual(success)
    const params = { deviceId }
    expect(await member.devices.get({ params })).toMatchObject({ id: deviceId })
    await expect(member.devices.setAlias({ params, body: { alias: 'Cellar' } })).rejects.toMatchObject({ status: 403 })
  })
})

describe('a method for agents', () => {
  const expectRefusal = (connection: AgentConnection) =>
    expect(connection.SendTerminalOutputToViewer('nobody', output)).rejects.toThrow(
      "Failed to invoke 'SendTerminalOutputToViewer' because user is unauthorized",
    )

  test('fails before the first valid update', async () => {
    const { server, agent } = await prepared([])
    await expectRefusal(await agent.open(server.url))
  })

  test('fails on a connection whose device speaks through a later one', async () => {
    const { server, agent, connection } = await prepared([])
    const later = await agent.connect(server.url)
    await expectRefusal(connection)
    await later.SendTerminalOutputToViewer('nobody', output)
  })
})

test('with detailed errors, an argument of another type is named in the words of other servers, and the log has the reason', async () => {
  const server = await useTestServer({ settings: { AppOptions__EnableSignalrDetailedErrors: 'true' } })
  const { connection } = await connectViewer(await server.owner())
  await expect(connection.invoke('StartDeviceAccessActivity', 'no id')).rejects.toThrow(
    "Failed to invoke 'StartDeviceAccessActivity' due to an error on the server. InvalidDataException: Error binding arguments. Make sure that the types of the provided values match the types of the hub method being invoked.",
  )
  const rejected = server.log.lines.find(({ message }) => message === 'A hub invocation was rejected.')
  const cause = expect.objectContaining({ message: expect.stringContaining('Invalid GUID') as unknown }) as unknown
  expect(rejected?.fields).toMatchObject({ err: { cause: { cause } } })
})
