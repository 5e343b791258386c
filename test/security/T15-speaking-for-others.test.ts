import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { success } from '../../shared/dtos/hub-result.ts'
import { installerKey, TestAgent } from '../support/agent.ts'
import { connectViewer } from '../support/hub-client.ts'
import { useTestServer } from '../support/server.ts'

const outputFor = (terminalId: string) => ({
  terminalId,
  output: 'psst',
  outputKind: 0 as const,
  timestamp: new Date().toISOString(),
})

async function twoDevices() {
  const server = await useTestServer()
  const owner = await server.owner()
  const key = await installerKey(owner)
  const [first, second] = [new TestAgent(owner.tenantId), new TestAgent(owner.tenantId)]
  await Promise.all([first.register(owner, key), second.register(owner, key)])
  return { server, owner, first, second }
}

test('a connection acts for the device of its first valid update, and for no other', async () => {
  const { server, owner, first, second } = await twoDevices()
  const connection = await first.connect(server.url)
  expect((await connection.UpdateDeviceSigned(second.signed(second.report()))).reason).toBe(
    'This connection speaks for another device.',
  )
  expect((await connection.UpdateDeviceSigned(first.signed(first.report()))).isSuccess).toBe(true)
  expect((await owner.devices.get({ params: { deviceId: second.id } })).isOnline).toBe(false)
})

test('a first update that is rejected binds its connection to no device', async () => {
  const { server, first, second } = await twoDevices()
  const { UpdateDeviceSigned } = await first.open(server.url)
  const foreign = first.signed(first.report({ tenantId: randomUUID() }))
  expect(await UpdateDeviceSigned(foreign)).toMatchObject({ isSuccess: false, reason: 'Invalid tenant ID.' })
  expect((await UpdateDeviceSigned(second.signed(second.report()))).isSuccess).toBe(true)
  expect((await UpdateDeviceSigned(first.signed(first.report()))).isSuccess).toBe(false)
})

test('two simultaneous first updates do not make a connection act for both devices', async () => {
  const { server, owner, first, second } = await twoDevices()
  const { UpdateDeviceSigned, connection } = await first.open(server.url)
  const answers = await Promise.all([
    UpdateDeviceSigned(first.signed(first.report())),
    UpdateDeviceSigned(second.signed(second.report())),
  ])
  expect(answers.map(({ isSuccess }) => isSuccess)).toEqual([true, false])
  await connection.stop()
  await expect.poll(async () => (await owner.devices.list({})).filter(({ isOnline }) => isOnline)).toEqual([])
})

test('terminal output reaches only a viewer with a terminal on that very device', async () => {
  const { server, owner, first, second } = await twoDevices()
  const handlers = { CreateTerminalSession: () => success }
  const [mine, other] = [await first.connect(server.url, handlers), await second.connect(server.url, handlers)]
  const [viewer, bystander] = [await connectViewer(owner), await connectViewer(owner)]
  const terminalId = randomUUID()
  await viewer.CreateTerminalSession2({ deviceId: first.id, terminalId })
  const viewerId = viewer.connection.connectionId!
  await other.SendTerminalOutputToViewer(viewerId, outputFor(terminalId))
  await mine.SendTerminalOutputToViewer(bystander.connection.connectionId!, outputFor(terminalId))
  await mine.SendTerminalOutputToViewer('no-such-connection', outputFor(terminalId))
  await mine.SendTerminalOutputToViewer(viewerId, { ...outputFor(terminalId), output: 'hello' })
  await expect.poll(() => viewer.outputs.map(({ output }) => output)).toEqual(['hello'])
  expect(bystander.outputs).toEqual([])
})

test('a connection that is not or no longer verified may send no output', async () => {
  const { server, first } = await twoDevices()
  const unproved = await first.open(server.url)
  await expect(unproved.SendTerminalOutputToViewer('x', outputFor(randomUUID()))).rejects.toThrow('unauthorized')
  const old = await first.connect(server.url)
  await first.connect(server.url)
  await expect(old.SendTerminalOutputToViewer('x', outputFor(randomUUID()))).rejects.toThrow('unauthorized')
})
