import { createSocket } from 'node:dgram'
import { expect, onTestFinished, test } from 'vitest'
import { broadcastAddress, magicPacket, wake } from '../../../agent/capabilities/wake.ts'
import { until } from '../../support/until.ts'
import { collectingLog } from '../support.ts'

async function listener() {
  const packets: string[] = []
  const socket = createSocket('udp4').on('message', (message) => void packets.push(message.toString('hex')))
  await new Promise<void>((resolve) => socket.bind(0, resolve))
  onTestFinished(() => void socket.close())
  return { packets, port: socket.address().port }
}

test('each address gets a packet, and invalid MAC addresses are skipped', async () => {
  const { packets, port } = await listener()
  const log = collectingLog()
  const given = ['0A1B2C3D4E5F', 'aa:bb:cc:dd:ee:ff', 'AA-BB', '', 'ZZZZZZZZZZZZ', '0A1B2C3D4E5F00']
  await wake(given, { log, addresses: ['127.0.0.1'], port })
  await until(() => packets.length === 2)
  expect(packets.toSorted()).toEqual([
    'ff'.repeat(6) + '0a1b2c3d4e5f'.repeat(16),
    'ff'.repeat(6) + 'aabbccddeeff'.repeat(16),
  ])
})

test('a broadcast on the loopback network arrives', async () => {
  const { packets, port } = await listener()
  await wake(['0A1B2C3D4E5F'], { log: collectingLog(), addresses: ['127.255.255.255'], port })
  await until(() => packets.length === 1)
})

test('an unreachable network does not prevent packets to the others', async () => {
  const { packets, port } = await listener()
  const log = collectingLog()
  await wake(['0A1B2C3D4E5F'], { log, addresses: ['no address', '127.0.0.1'], port })
  await until(() => packets.length === 1)
  expect(log.lines.join()).toContain('A network could not be reached')
})

test.each([
  ['192.168.1.20', '255.255.255.0', '192.168.1.255'],
  ['10.3.129.4', '255.255.128.0', '10.3.255.255'],
  ['172.16.5.6', '255.255.255.252', '172.16.5.7'],
  ['8.8.8.8', '255.255.255.255', '8.8.8.8'],
])('the broadcast address of %s/%s is %s', (address, netmask, expected) => {
  expect(broadcastAddress(address, netmask)).toBe(expected)
})

test('a packet has 102 bytes', () => {
  expect(magicPacket('000000000001')?.length).toBe(102)
})
