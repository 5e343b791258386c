import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../server/ground/clock.ts'
import { installerKey } from '../support/agent.ts'
import { Network, hostsProblem, type Host, type HostProgram } from '../support/network-hosts.ts'
import { isNight } from '../support/night.ts'
import { agentProgram } from '../support/built-programs.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const secondMs = 1_000
/** Silence after which the server ends a connection, and a second more. */
const silenceMs = 31 * secondMs
/** Time of the rule, and a second more. */
const ruleMs = 61 * secondMs

/** Leads from a port of a host to a Unix socket, which belongs to no network. */
const relay = `require('net').createServer((socket) => {
  const inside = require('net').connect(process.argv[1])
  socket.pipe(inside).pipe(socket)
  socket.on('error', () => inside.destroy()).on('close', () => inside.destroy())
  inside.on('error', () => socket.destroy()).on('close', () => socket.destroy())
}).listen(5120, () => console.log('open'))`

// Agents take half a minute to notice that their server is gone.
describe.runIf(isNight && !hostsProblem)(
  `an agent that falls silent${hostsProblem ? ` (skipped: ${hostsProblem})` : ''}`,
  () => {
    let network: Network
    let server: TestServer
    let door: Server
    let device: Host
    let agent: HostProgram
    let owner: Member
    /** Time that has passed for rules and connections beside the time that passes. */
    let skippedMs = 0

    beforeAll(async () => {
      const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skippedMs }
      server = await startTestServer({ clock, settings: { Branding__PublicUrl: 'http://10.78.0.10:5120' } })
      owner = await server.owner()
      network = await Network.create()
      const office = await network.host('office', '10.78.0.10/24')
      device = await network.host('workshop', '10.78.0.20/24')
      const path = join(network.folder, 'server.door')
      const port = Number(new URL(server.url).port)
      door = createServer((socket) => {
        const inside = connect(port, '127.0.0.1')
        socket.pipe(inside).pipe(socket)
        socket.on('error', () => inside.destroy()).on('close', () => inside.destroy())
        inside.on('error', () => socket.destroy()).on('close', () => socket.destroy())
      }).listen(path)
      await once(door, 'listening')
      const program = office.start([process.execPath, '-e', relay, path])
      await until(() => program.output().includes('open'))
      const { id, keySecret } = await installerKey(owner)
      const options = ['-s', 'http://10.78.0.10:5120', '-t', owner.tenantId, '-ki', id, '-ks', keySecret]
      agent = device.start([process.execPath, agentProgram, 'run', ...options])
      await owner.applianceAlerts.createRule({
        tenantId: owner.tenantId,
        body: {
          name: 'Silence',
          condition: { kind: 'device-offline', minutes: 1, includesPlanned: false },
          scope: { kind: 'everything', id: null },
          receivers: { kind: 'administrators', userIds: [] },
          isEnabled: true,
        },
      })
      await until(isOnline)
    }, 60_000)

    afterAll(async () => {
      await network?.stop()
      door?.close()
      await server?.stop()
    })

    const isOnline = async () => (await owner.devices.list({})).some((one) => one.isOnline)
    const open = async () => (await owner.applianceAlerts.list({ query: { state: 'open' } })).items

    test.each([
      ['whose cable is cut', () => device.cut(), () => device.restore()],
      ['that is put to sleep', () => agent.signal('SIGSTOP'), () => agent.signal('SIGCONT')],
    ])('%s is offline, is told of once, and is back by itself', async (_, silence, wake) => {
      silence()
      skippedMs += silenceMs
      await until(async () => !(await isOnline()))
      expect(await open()).toEqual([])
      skippedMs += ruleMs
      const [alert] = await until(async () => ((await open()).length > 0 ? open() : undefined))
      expect(alert).toMatchObject({ ruleName: 'Silence', title: 'workshop is offline', told: [owner.user.email] })
      await owner.applianceAlerts.acknowledge({ params: { alertId: alert!.id } })
      wake()
      await until(isOnline)
    })
  },
)
