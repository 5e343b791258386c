import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../tools/processes.mjs'
import { installerKey } from '../support/agent.ts'
import { Network, hostsProblem, type Host } from '../support/network-hosts.ts'
import { registerOwner, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'
import { Appliance } from './appliance.ts'

describe.skipIf(hostsProblem)(
  `over plain HTTP between hosts${hostsProblem ? ` (skipped: ${hostsProblem})` : ''}`,
  () => {
    let network: Network
    let device: Host
    let appliance: Appliance
    let owner: Member
    const program = [process.execPath, join(root, 'dist/agent/main.js')]

    beforeAll(async () => {
      network = await Network.create()
      const office = await network.host('office', '10.77.0.10/24')
      device = await network.host('workshop', '10.77.0.20/24')
      appliance = await Appliance.on(network, office)
      await appliance.start({ Urls: 'http://0.0.0.0:5120' })
      owner = await registerOwner(appliance.url)
    }, 60_000)

    afterAll(() => network.stop())

    const isOnline = async () => (await owner.devices.list({})).some((one) => one.isOnline && one.name === 'workshop')

    test(
      'an agent registers from another host, and reconnects after its cable was out',
      { timeout: 60_000 },
      async () => {
        const { id, keySecret } = await installerKey(owner)
        const options = ['-s', 'http://10.77.0.10:5120', '-t', owner.tenantId, '-ki', id, '-ks', keySecret]
        const first = device.start([...program, 'run', ...options])
        await until(isOnline)
        first.signal('SIGTERM')
        expect(await first.ended).toMatchObject({ status: 0 })
        device.cut()
        const second = device.start([...program, 'run'])
        await until(() => second.output().includes('Cannot reach'))
        device.restore()
        await until(isOnline)
      },
    )
  },
)
