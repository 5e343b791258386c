import { cpus } from 'node:os'
import { join } from 'node:path'
import { databaseCpuSeconds, shareDatabase, startSharedPostgres } from '../simulate/database.ts'
import { openAccount, type Account } from '../simulate/fleet.ts'
import { freePort } from '../simulate/free-port.ts'
import { cpuSecondsOf } from '../simulate/process-figures.ts'
import { startRedis } from '../simulate/redis.ts'
import { copySecrets } from '../simulate/share-secrets.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import type { Figures } from './measure.ts'

/** CPU seconds so far: of each server, of what they share, and of all processors while they had nothing to do. */
interface Spent {
  servers: number[]
  database: number
  redis: number
  idle: number
}

/** A server on its own, or several of one PostgreSQL that Redis joins. */
export class Servers implements AsyncDisposable {
  /** Running servers, at the places of their addresses; undefined for one that was stopped. */
  readonly running: (ServerProcess | undefined)[] = []
  readonly urls: string[] = []
  account!: Account
  readonly #settings: Record<string, string>
  readonly #folders: string[] = []
  readonly #cleanup = new AsyncDisposableStack()
  #redis: Awaited<ReturnType<typeof startRedis>> | undefined

  private constructor(settings: Record<string, string>) {
    this.#settings = settings
  }

  /** Prepares `count` servers, with the first account and none of them running. */
  static async prepare(count: number, settings: Record<string, string>): Promise<Servers> {
    const servers = new Servers({ ...settings })
    const folder = await temporaryFolder()
    servers.#cleanup.use(folder)
    if (count > 1) {
      servers.#cleanup.defer(await startSharedPostgres())
      const redis = await startRedis()
      servers.#cleanup.defer(() => redis.remove())
      servers.#redis = redis
      servers.#settings['Service_Cluster__RedisUrl'] = redis.url
    }
    for (let index = 0; index < count; index++) {
      servers.#folders.push(join(folder.path, `server-${index}`))
      servers.urls.push(`http://127.0.0.1:${await freePort()}`)
    }
    const first = await servers.startOne(0)
    servers.account = await openAccount(first.url)
    await servers.stopOne(0)
    for (const other of servers.#folders.slice(1)) {
      shareDatabase(servers.firstFolder, other)
      await copySecrets(servers.firstFolder, other)
    }
    return servers
  }

  get firstFolder(): string {
    return this.#folders[0]!
  }

  async start(): Promise<void> {
    for (const index of this.#folders.keys()) {
      await this.startOne(index)
    }
  }

  async startOne(index: number): Promise<ServerProcess> {
    const url = this.urls[index]!
    const server = await startServer(this.#folders[index]!, { ...this.#settings, Service_Urls: url })
    this.running[index] = server
    return server
  }

  async stopOne(index: number): Promise<void> {
    await this.running[index]?.stop()
    this.running[index] = undefined
  }

  /** Memory of the largest server. */
  async memoryMb(): Promise<number> {
    return Math.max(...(await Promise.all(this.running.map(async (server) => (await server?.memoryMb()) ?? 0))))
  }

  async spent(): Promise<Spent> {
    return {
      servers: await Promise.all(this.running.map((server) => cpuSecondsOf(server?.pid))),
      database: await databaseCpuSeconds(),
      redis: this.#redis ? await cpuSecondsOf(this.#redis.pid()) : 0,
      idle: cpus().reduce((sum, { times }) => sum + times.idle / 1000, 0),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.running.map((_, index) => this.stopOne(index)))
    await this.#cleanup.disposeAsync()
  }
}

const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0)

/** CPU seconds of servers and of what they share. */
export const secondsBetween = (before: Spent, after: Spent): number =>
  sum(after.servers) + after.database + after.redis - sum(before.servers) - before.database - before.redis

/** Shares of one processor; of all processors for `idlePercentOfMachine`. */
export function sharesBetween(before: Spent, after: Spent, seconds: number): Figures {
  const percent = (value: number) => (value * 100) / seconds
  const each = after.servers.map((value, index) => percent(value - before.servers[index]!))
  return {
    cpuPercentOfOneCore: percent(secondsBetween(before, after)),
    ...(each.length > 1 && {
      busiestServerPercent: Math.max(...each),
      databasePercent: percent(after.database - before.database),
      redisPercent: percent(after.redis - before.redis),
    }),
    idlePercentOfMachine: percent(after.idle - before.idle) / cpus().length,
  }
}
