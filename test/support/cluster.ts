import { join } from 'node:path'
import { serverIn } from '../../server/engines/cluster/server-in.ts'
import { inPath } from '../../tools/chromium.mjs'
import { freePort } from '../../tools/simulate/free-port.ts'
import { hasRedis, startRedis } from '../../tools/simulate/redis.ts'
import { copySecrets } from '../../tools/simulate/share-secrets.ts'
import { startBalancer, type Balancer } from './balancer.ts'
import { makeDatabase, postgresPrograms, runIn, startPostgres, usePostgres } from './postgres.ts'
import { serverProgram } from './built-programs.ts'
import { startServerProcess, temporaryFolder, type AtEnd, type ServerProcess } from './server-process.ts'
import { until } from './until.ts'

/** Why several servers cannot be started here; undefined where they can. */
export const missingForCluster =
  postgresPrograms() === undefined
    ? 'postgresql is not installed'
    : !hasRedis
      ? 'redis-server is not installed'
      : inPath('haproxy') === undefined
        ? 'haproxy is not installed'
        : undefined

export interface ClusterServer {
  /** Address of this server itself. */
  readonly url: string
  readonly directory: string
  /** The running process. */
  process: ServerProcess
  /** Starts a server that was stopped or killed again, with the same data folder and address, from `program` or as before. */
  start(program?: string): Promise<void>
  /** Stops and continues the process, as a machine does that hangs. */
  freeze(): void
  thaw(): void
}

/** Starts servers of one new database, with Redis and a balancer that sends each request to the next server. */
export async function startCluster(
  atEnd: AtEnd,
  { servers: number = 2, settings = {}, program = serverProgram, balancer = 'haproxy' as Balancer } = {},
) {
  const postgres = await startPostgres(postgresPrograms()!)
  atEnd(() => postgres.remove())
  const redis = await startRedis()
  atEnd(() => redis.remove())
  const usual = usePostgres(postgres.port)
  const database = (await makeDatabase())!
  usual()
  const folder = await temporaryFolder(atEnd)
  const balancerPort = await freePort()
  const url = `http://127.0.0.1:${balancerPort}`
  const shared = {
    ...database.settings,
    Cluster__RedisUrl: redis.url,
    Branding__PublicUrl: url,
    AppOptions__KnownProxies__0: '127.0.0.1',
    ...settings,
  }
  const startOne = async (index: number): Promise<ClusterServer> => {
    const directory = join(folder, `server-${index}`)
    if (index > 0) {
      await copySecrets(join(folder, 'server-0'), directory)
    }
    const own = `http://127.0.0.1:${await freePort()}`
    const urls = { Urls: own, Cluster__NodeUrl: own }
    const start = (from: string) => startServerProcess(directory, { ...shared, ...urls }, {}, atEnd, { program: from })
    let newest = program
    const server: ClusterServer = {
      url: own,
      directory,
      process: await start(newest),
      async start(from = newest) {
        newest = from
        server.process = await start(from)
      },
      freeze: () => void process.kill(server.process.pid, 'SIGSTOP'),
      thaw: () => void process.kill(server.process.pid, 'SIGCONT'),
    }
    return server
  }
  const first = await startOne(0)
  const others = await Promise.all(Array.from({ length: number - 1 }, (_, index) => startOne(index + 1)))
  const servers = [first, ...others]
  const seenBy = ({ process: { lines } }: ClusterServer) =>
    lines.filter((line) => line.includes('A server of the cluster is there')).length
  await until(() => servers.every((server) => seenBy(server) >= number - 1))
  const urls = servers.map((server) => server.url)
  await startBalancer({ kind: balancer, urls, port: balancerPort }, atEnd)
  return { url, servers, first, second: servers[1]!, redis, postgres, database, startOne }
}

export type TestCluster = Awaited<ReturnType<typeof startCluster>>

/** The server that holds a device, another one, and the connection; waits until a server holds it. */
export async function placeOf({ database, servers }: TestCluster, deviceId: string) {
  const stored = <Row>(sql: string) => runIn<Row>(database.options, sql, [])
  return until(async () => {
    const [device] = await stored<{ connectionId: string }>(`SELECT connectionId FROM devices WHERE id = '${deviceId}'`)
    const connectionId = device?.connectionId ?? ''
    const [row] = await stored<{ address: string }>(
      `SELECT address FROM servers WHERE id = '${serverIn(connectionId)}'`,
    )
    const holder = servers.find(({ url }) => url === row?.address)
    const other = servers.find(({ url }) => url !== row?.address)
    return holder && other && { holder, other, connectionId }
  })
}
