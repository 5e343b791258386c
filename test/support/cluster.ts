import { join } from 'node:path'
import { joinSecrets, shareSecrets } from '../../server/backup/share-secrets.ts'
import { createLog } from '../../server/ground/log.ts'
import { inPath } from '../../tools/chromium.mjs'
import { freeTcpPort } from '../../tools/simulate/free-port.ts'
import { hasRedis, startRedis } from '../../tools/simulate/redis.ts'
import { startBalancer } from './balancer.ts'
import { makeDatabase, postgresPrograms, startPostgres, usePostgres } from './postgres.ts'
import { startServerProcess, temporaryFolder, type AtEnd, type ServerProcess } from './server-process.ts'

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
  /** Starts a server that was stopped or killed again, with the same data folder and address. */
  start(): Promise<void>
  /** Stops and continues the process, as a machine does that hangs. */
  freeze(): void
  thaw(): void
}

/** Starts servers of one new database, with Redis and a balancer that sends each request to the next server. */
export async function startCluster(atEnd: AtEnd, { servers: number = 2, settings = {} } = {}) {
  const postgres = await startPostgres(postgresPrograms()!)
  atEnd(() => postgres.remove())
  const redis = await startRedis()
  atEnd(() => redis.remove())
  const usual = usePostgres(postgres.port)
  const database = (await makeDatabase())!
  usual()
  const folder = await temporaryFolder(atEnd)
  const balancerPort = await freeTcpPort()
  const url = `http://127.0.0.1:${balancerPort}`
  const shared = {
    ...database.settings,
    Cluster__RedisUrl: redis.url,
    Branding__PublicUrl: url,
    AppOptions__KnownProxies__0: '127.0.0.1',
    ...settings,
  }
  const log = createLog({ default: 'None' })
  const startOne = async (index: number): Promise<ClusterServer> => {
    const directory = join(folder, `server-${index}`)
    if (index > 0) {
      const file = join(folder, `secrets-${index}`)
      const typed = await shareSecrets(join(folder, 'server-0'), file, { log, now: Date.now() })
      await joinSecrets(directory, file, { typed, secretStore: 'file', log, now: Date.now() })
    }
    const own = `http://127.0.0.1:${await freeTcpPort()}`
    const start = () => startServerProcess(directory, { ...shared, Urls: own, Cluster__NodeUrl: own }, {}, atEnd)
    const server: ClusterServer = {
      url: own,
      directory,
      process: await start(),
      async start() {
        server.process = await start()
      },
      freeze: () => void process.kill(server.process.pid, 'SIGSTOP'),
      thaw: () => void process.kill(server.process.pid, 'SIGCONT'),
    }
    return server
  }
  const first = await startOne(0)
  const others = await Promise.all(Array.from({ length: number - 1 }, (_, index) => startOne(index + 1)))
  const servers = [first, ...others]
  await startBalancer(
    servers.map((server) => server.url),
    balancerPort,
    atEnd,
  )
  return { url, servers, first, second: servers[1]!, redis, postgres, database, startOne }
}

export type TestCluster = Awaited<ReturnType<typeof startCluster>>
