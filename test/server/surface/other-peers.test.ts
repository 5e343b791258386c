/** Behavior that agents and viewer libraries of other makes rely on. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { failureOf, success } from '../../../shared/dtos/hub-result.ts'
import { zeroId } from '../../../shared/contract/fields.ts'
import { enroll, TestAgent } from '../../support/agent.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { addMember } from '../../support/people.ts'
import { OtherAgent } from '../../support/other-agent.ts'
import { ownerForFile, serverForFile, useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

test.each<Record<string, string>>([{}, { AppOptions__AllowAgentsToSelfBootstrap: 'true' }])(
  'agents without a device id get an error that names the setting, and no device is created, with %j',
  async (settings) => {
    const server = await useTestServer({ settings })
    const owner = await server.owner()
    const refusal = failureOf(
      'The device id is all zeros. Set AppOptions:DeviceId in the settings of the agent to a new GUID, then restart the agent.',
    )
    for (const agent of [new TestAgent(owner.tenantId, zeroId), new TestAgent(owner.tenantId, zeroId)]) {
      const connection = await agent.open(server.url)
      expect(await connection.UpdateDeviceSigned(agent.signed(agent.report()))).toEqual(refusal)
      expect(await connection.UpdateDevice(agent.report())).toEqual(refusal)
    }
    expect(await owner.devices.list({})).toEqual([])
  },
)

test('an agent that names the creator of a terminal for ever reaches the other viewers of its owner', async () => {
  const agent = await OtherAgent.connect(owner)
  agent.namesCreator = true
  const creator = await connectViewer(owner)
  const input = (text: string) => ({ deviceId: agent.id, input: { terminalId, input: text } })
  const terminalId = randomUUID()
  expect(await creator.CreateTerminalSession2({ deviceId: agent.id, terminalId })).toEqual(success)
  await creator.connection.stop()

  const [second, third] = [await connectViewer(owner), await connectViewer(owner)]
  for (const viewer of [second, third, second]) {
    const before = viewer.outputs.length
    expect(await viewer.SendTerminalInput2(input('dir'))).toEqual(success)
    await until(() => viewer.outputs.length >= before + 2)
  }
  expect(second.outputs.map(({ output }) => output)).toContain('ran dir\n')

  const picking = await connectViewer(owner)
  const attach = { terminalId, input: '', isRaw: true, isAttach: true }
  expect(await picking.SendTerminalInput2({ deviceId: agent.id, input: attach })).toEqual(success)
  await second.SendTerminalInput2(input('pwd'))
  await until(() => picking.outputs.length === 2)
  expect(picking.outputs.map(({ output }) => output)).toEqual(['ran pwd\n', 'PS /> '])
})

test('a viewer of MessagePack sends messages to agents in both forms, their payload as bytes', async () => {
  const received: unknown[] = []
  const agent = await enroll(owner)
  await agent.connect(server.url, {
    ReceiveDto: (wrapper) => {
      received.push(wrapper)
      return null
    },
  })
  const { connection: viewer } = await connectViewer(owner, { protocol: 'messagepack' })
  const wrapper = { DtoType: 'ClipboardText', Payload: new Uint8Array([0, 1, 2]), SendTimestamp: 12 }
  const ok = { IsSuccess: true, Reason: null, ErrorCode: null }
  expect(await viewer.invoke('SendDtoToAgent', { DeviceId: agent.id, Wrapper: wrapper })).toEqual(ok)
  expect(await viewer.invoke('SendDtoToAgent', agent.id, wrapper)).toEqual(ok)
  await until(() => received.length === 2)
  expect(received).toEqual(Array(2).fill({ dtoType: 'ClipboardText', payload: 'AAEC', sendTimestamp: 12 }))
})

test('an agent of MessagePack gets a payload as bytes, and the addresses to wake as a list in a list', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const [agent, asleep] = [await enroll(owner), await enroll(owner)]
  const { connection, closed } = await asleep.connect(server.url)
  await connection.stop()
  await closed
  const binary = await agent.open(server.url, {}, { protocol: 'messagepack' })
  const received: unknown[] = []
  binary.connection.on('ReceiveDto', (wrapper) => void received.push(wrapper))
  binary.connection.on('InvokeWakeDevice', (dto) => void received.push(dto))
  await binary.connection.invoke('UpdateDeviceSigned', agent.signed(agent.report()))
  const viewer = await connectViewer(owner)
  const wrapper = { dtoType: 'ClipboardText', payload: 'AAEC', sendTimestamp: 12 }
  expect(await viewer.SendDtoToAgent({ deviceId: agent.id, wrapper })).toEqual(success)
  await viewer.SendWakeDevice2({ deviceId: asleep.id, macAddresses: ['00:1A:2B:3C:4D:5E'] })
  await until(() => received.length === 2)
  const payload = Buffer.from([0, 1, 2])
  expect(received[0]).toMatchObject({ DtoType: 'ClipboardText', SendTimestamp: 12 })
  expect(payload.equals((received[0] as { Payload: Uint8Array }).Payload)).toBe(true)
  expect(received[1]).toEqual([['001A2B3C4D5E']])
})

test('a viewer of MessagePack gets a toast as a list of text and severity', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const technician = await addMember(server, owner.tenantId, ['device.read', 'device.terminal.use'])
  const agent = await enroll(owner)
  await agent.connect(server.url, { CreateTerminalSession: () => ({ ...success, isPty: true }) })
  const { connection: viewer } = await connectViewer(technician, { protocol: 'messagepack' })
  const toasts: unknown[] = []
  viewer.on('InvokeToast', (toast) => void toasts.push(toast))
  const opened = await viewer.invoke('CreateTerminalSession2', { DeviceId: agent.id, TerminalId: randomUUID() })
  expect(opened).toMatchObject({ IsSuccess: true })
  const { items } = await owner.applianceRemoteSessions.list({})
  await owner.applianceRemoteSessions.end({ params: { sessionId: items[0]!.id }, body: { reason: 'Maintenance.' } })
  await until(() => toasts.length === 1)
  expect(toasts).toEqual([[expect.stringContaining('ended the session: Maintenance.'), 'Warning']])
})
