import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serverNotReached } from '../../shared/dtos/hub-result.ts'
import { startRedis } from '../../tools/simulate/redis.ts'
import { copySecrets } from '../../tools/simulate/share-secrets.ts'
import { Appliance } from '../network/appliance.ts'
import { missingForCluster } from '../support/cluster.ts'
import { connectViewer } from '../support/hub-client.ts'
import { hostsProblem, Network, type Host } from '../support/network-hosts.ts'
import { isNight } from '../support/night.ts'
import { makeDatabase, postgresPrograms, startPostgres, usePostgres } from '../support/postgres.ts'
import { connectWorkDevice } from '../support/running-work.ts'
import { registerOwner, signInTo, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Address of no machine. */
const nobody = '02:00:00:00:00:99'
/** Time after the end of a lease in which each server has looked at it. */
const lookedMs = 6_000

/** Two servers, PostgreSQL and Redis, each on a machine of its own. */
class Machines {
  readonly network: Network
  readonly postgres: Host
  readonly redis: Host
  readonly one: Host
  readonly two: Host
  #cuts: (() => void)[] = []

  private constructor(network: Network, [postgres, redis, one, two]: readonly Host[]) {
    this.network = network
    this.postgres = postgres!
    this.redis = redis!
    this.one = one!
    this.two = two!
  }

  static async make(): Promise<Machines> {
    const network = await Network.create()
    const hosts: Host[] = []
    for (const [index, name] of ['postgres', 'redis', 'one', 'two'].entries()) {
      hosts.push(await network.host(name, `10.78.0.${index + 1}/24`))
    }
    return new Machines(network, hosts)
  }

  /** Lets packets between two machines vanish, in both directions. */
  cut(one: Host, other: Host): void {
    for (const [at, to] of [
      [one, other.address],
      [other, one.address],
    ] as const) {
      at.ip('neighbor', 'replace', to, 'lladdr', nobody, 'dev', 'eth0', 'nud', 'permanent')
      this.#cuts.push(() => void at.ip('neighbor', 'delete', to, 'dev', 'eth0'))
    }
  }

  heal(): void {
    this.#cuts.splice(0).forEach((heal) => heal())
  }
}

const isAnswered = (member: Member) =>
  member.auth.me({}).then(
    () => true,
    () => false,
  )
const isApart = async (member: Member) => (await member.applianceStatus.get({})).isApart
const addTag = ({ tags, tenantId }: Member) => tags.create({ tenantId, body: { name: randomUUID() } })
const knowsTag = async ({ tags, tenantId }: Member, { id }: { id: string }) =>
  (await tags.list({ tenantId, query: {} })).items.some((tag) => tag.id === id)

const problem = hostsProblem ?? missingForCluster

// Starts four machines and waits for leases: in npm run test:scale, and at night.
describe.skipIf(problem !== undefined || !isNight)('two servers on a network that is cut', { timeout: 180_000 }, () => {
  const ends: (() => unknown)[] = []
  let machines: Machines
  let redis: Awaited<ReturnType<typeof startRedis>>
  let servers: { one: Appliance; two: Appliance }
  let atOne: Member
  let atTwo: Member

  beforeAll(async () => {
    const postgres = await startPostgres(postgresPrograms()!)
    ends.push(() => postgres.remove())
    machines = await Machines.make()
    ends.push(() => machines.network.stop())
    const redisPath = join(machines.redis.folder, 'redis.sock')
    redis = await startRedis(['--unixsocket', redisPath])
    ends.push(() => redis.remove())
    await machines.network.openPort(machines.postgres, 5432, join(postgres.folder, `.s.PGSQL.${postgres.port}`))
    await machines.network.openPort(machines.redis, 6379, redisPath)
    const usual = usePostgres(postgres.port)
    const { settings } = (await makeDatabase())!
    usual()
    const start = async (host: Host) => {
      const appliance = await Appliance.on(machines.network, host)
      await appliance.start({
        ...settings,
        POSTGRES_HOST: machines.postgres.address,
        POSTGRES_PORT: '5432',
        POSTGRES_SSLMODE: 'disable',
        Cluster__RedisUrl: `redis://${machines.redis.address}:6379`,
        Cluster__NodeUrl: `http://${host.address}:5120`,
        Urls: 'http://0.0.0.0:5120',
      })
      return appliance
    }
    const one = await start(machines.one)
    await copySecrets(join(machines.one.folder, 'data'), join(machines.two.folder, 'data'))
    servers = { one, two: await start(machines.two) }
    atOne = await registerOwner(one.url)
    atTwo = await signInTo(servers.two.url)
    await until(() => one.output().includes('A server of the cluster is there'))
  }, 180_000)

  afterEach(async () => {
    machines.heal()
    await until(async () => (await isAnswered(atTwo)) && !(await isApart(atTwo)))
  })

  afterAll(async () => {
    for (const end of ends.toReversed()) {
      await end()
    }
  })

  test('cut off from Redis, a server says so, goes on with what is stored, and is not taken for dead', async () => {
    machines.cut(machines.two, machines.redis)
    await until(() => isApart(atTwo))
    expect(await isApart(atOne)).toBe(false)
    const [byOne, byTwo] = [await addTag(atOne), await addTag(atTwo)]
    await until(async () => (await knowsTag(atOne, byTwo)) && (await knowsTag(atTwo, byOne)))
    const leases = redis.command('KEYS', '*:leases')
    await until(() => {
      const ends = redis
        .command('ZRANGE', leases, '0', '-1', 'WITHSCORES')
        .split('\n')
        .filter((_, index) => index % 2)
      return ends.some((end) => Number(end) + lookedMs < Date.now())
    })
    expect(servers.one.output()).not.toContain('is gone')
  })

  test('cut off from PostgreSQL, a server answers 503 while the other goes on, and knows afterwards what it missed', async () => {
    machines.cut(machines.two, machines.postgres)
    await until(async () => (await fetch(`${servers.two.url}/health`)).status === 503)
    await expect(atTwo.auth.me({})).rejects.toMatchObject({ status: 503 })
    const meanwhile = await addTag(atOne)
    machines.heal()
    await until(() => isAnswered(atTwo))
    expect(await knowsTag(atTwo, meanwhile)).toBe(true)
  })

  test('cut off from each other, servers say that a device of the other is out of reach, and reach it afterwards', async () => {
    const { id: deviceId } = await connectWorkDevice(atTwo)
    const isOnline = async () => (await atOne.devices.get({ params: { deviceId } })).isOnline
    await until(isOnline)
    machines.cut(machines.one, machines.two)
    const viewer = await connectViewer(atOne)
    const open = () => viewer.CreateTerminalSession2({ deviceId, terminalId: randomUUID() })
    await expect(open()).rejects.toThrow(serverNotReached)
    expect(await isOnline()).toBe(true)
    machines.heal()
    await until(async () => (await open().catch(() => undefined))?.isSuccess)
    expect(servers.one.output()).not.toContain('is gone')
  })
})
