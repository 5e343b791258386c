import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingForCluster, startCluster, type ClusterServer, type TestCluster } from '../support/cluster.ts'
import { connectViewer } from '../support/hub-client.ts'
import { isNight } from '../support/night.ts'
import { runIn } from '../support/postgres.ts'
import { startRealDevice, type RealDevice } from '../support/real-device.ts'
import { registerOwner, signInTo, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const timeout = 240_000
/** Time in which the devices of a dead server are on others. */
const movedMs = 30_000

// Waits for leases and for processes that start: in npm run test:scale, and at night.
describe.skipIf(missingForCluster || !isNight)('a real agent behind a balancer', { timeout }, () => {
  const ends: (() => void | Promise<void>)[] = []
  let cluster: TestCluster
  let device: RealDevice
  beforeAll(async () => {
    cluster = await startCluster((work) => void ends.push(work))
    await registerOwner(cluster.first.url)
    device = await startRealDevice(await signInTo(cluster.url))
    ends.push(() => device.stop())
  }, timeout)
  afterAll(async () => {
    for (const end of ends.toReversed()) {
      await end()
    }
  })

  const stored = <Row>(sql: string) => runIn<Row>(cluster.database.options, sql, [])

  /** The server that holds the device, and the other one. */
  async function placed(): Promise<{ holder: ClusterServer; other: ClusterServer; connectionId: string }> {
    const [row] = await until(async () => {
      const rows = await stored<{ connectionId: string }>("SELECT connectionId FROM devices WHERE connectionId <> ''")
      return rows.length > 0 ? rows : undefined
    })
    const { connectionId } = row!
    const id = connectionId.slice(connectionId.lastIndexOf('.') + 1)
    const [server] = await stored<{ address: string }>(`SELECT address FROM servers WHERE id = '${id}'`)
    const isFirst = server!.address === cluster.first.url
    const [holder, other] = isFirst ? [cluster.first, cluster.second] : [cluster.second, cluster.first]
    return { holder, other, connectionId }
  }

  /** Opens a terminal, or comes back to one, and runs a command in it. */
  async function runs(member: Member, terminalId: string, input: string, expected: string) {
    const viewer = await connectViewer(member)
    const deviceId = device.id
    const isAttach = input === ''
    if (!isAttach) {
      expect(await viewer.CreateTerminalSession2({ deviceId, terminalId })).toMatchObject({ isSuccess: true })
    }
    await viewer.SendTerminalInput2({ deviceId, input: { terminalId, input, isAttach } })
    await until(() =>
      viewer.outputs
        .map(({ output }) => output)
        .join('')
        .includes(expected),
    )
    return viewer
  }

  const movedFrom = async (connectionId: string) => {
    const start = performance.now()
    const now = await until(async () => {
      const place = await placed()
      return place.connectionId === connectionId ? undefined : place
    })
    expect(performance.now() - start).toBeLessThan(movedMs)
    return now
  }

  test('the server of the agent is killed: a viewer at another server is told, and finds its terminal again', async () => {
    const { holder, other, connectionId } = await placed()
    const member = await signInTo(other.url)
    const terminalId = randomUUID()
    const viewer = await runs(member, terminalId, 'echo be$((20+1))fore', 'be21fore')
    await holder.process.kill()
    await viewer.closed
    expect((await movedFrom(connectionId)).holder).toBe(other)
    await runs(member, terminalId, '', 'be21fore')
    await holder.start()
  })

  test('a server that stood still for longer than its lease does not speak for the device that moved on', async () => {
    const { holder, other, connectionId } = await placed()
    holder.freeze()
    const moved = await movedFrom(connectionId)
    expect(moved.holder).toBe(other)
    await until(() => other.process.lines.some((line) => line.includes('A server of the cluster is gone')))
    holder.thaw()
    const thawed = await until(() => signInTo(holder.url).catch(() => undefined))
    await until(async () => {
      const seen = await thawed.devices.get({ params: { deviceId: device.id } }).catch(() => undefined)
      return seen?.connectionId === moved.connectionId
    })
    await runs(thawed, randomUUID(), 'echo af$((20+1))ter', 'af21ter')
    expect((await placed()).connectionId).toBe(moved.connectionId)
  })

  test('servers go on without Redis, and agree again after it', async () => {
    const { other, connectionId } = await placed()
    await cluster.redis.stop()
    const member = await signInTo(other.url)
    await until(() => other.process.lines.some((line) => line.includes('Redis does not answer')))
    await runs(member, randomUUID(), 'echo wi$((20+1))thout', 'wi21thout')
    await cluster.redis.start()
    expect((await placed()).connectionId).toBe(connectionId)
    await runs(member, randomUUID(), 'echo ag$((20+1))ain', 'ag21ain')
  })
})
