import { expect, test } from 'vitest'
import { enroll, TestAgent } from '../support/agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)

interface Told {
  dtoType: string | number
  payload: string
}

async function machine(device: TestAgent, facts: { name: string; macAddresses: string[] }) {
  const messages: Told[] = []
  const report = async () => void (await agent.UpdateDeviceSigned(device.signed(device.report(facts))))
  const agent = await device.open(server.url, {
    RefreshDeviceInfo: () => void report().catch(() => undefined),
    ReceiveDto: (message) => {
      messages.push(message as Told)
      return null
    },
  })
  await report()
  return { ...agent, messages }
}

const original = { name: 'office', macAddresses: ['020000000001'] }
const copy = { name: 'copy-of-office', macAddresses: ['020000000002'] }

/** Returns a device of which one machine was chosen, and the key that the other machine, a thief's, is sent. */
async function rejectedMachine() {
  const device = await enroll(owner)
  const params = { deviceId: device.id }
  const machines = [await machine(device, original), await machine(device, copy)]
  const found = () => owner.applianceDevices.absence({ params }).then((absence) => absence.machines)
  await until(async () => (await found()).length === 2)
  await Promise.all(machines.map(({ connection }) => connection.stop()))
  const machineId = (await found()).find(({ name }) => name === 'office')!.id
  await owner.applianceDevices.keepMachine({ params, body: { machineId } })
  const thief = await machine(device, copy)
  await until(() => thief.messages.length > 0)
  const { installerKeyId, installerKeySecret } = JSON.parse(
    Buffer.from(thief.messages[0]!.payload, 'base64').toString(),
  ) as { installerKeyId: string; installerKeySecret: string }
  return { device, key: { id: installerKeyId, keySecret: installerKeySecret } }
}

test('T47: the key for the machine that was not chosen does not register the device that the other one stays', async () => {
  const { device, key } = await rejectedMachine()
  const keptKey = async () =>
    (await server.rows<{ publicKey: string }>('SELECT publicKey FROM devices WHERE id = ?', device.id))[0]!.publicKey
  const before = await keptKey()
  const again = new TestAgent(owner.tenantId, device.id)
  await again.register(server.visitor(), key).catch(() => {})
  expect(await keptKey()).toBe(before)
})

test('T47: the key for the machine that was not chosen registers no other known device', async () => {
  const other = await enroll(owner)
  const { key } = await rejectedMachine()
  const again = new TestAgent(owner.tenantId, other.id)
  await expect(again.register(server.visitor(), key)).rejects.toMatchObject({ status: 403 })
})
