import { join } from 'node:path'
import { databaseCpuSeconds, shareDatabase, startSharedPostgres } from '../simulate/database.ts'
import type { Account } from '../simulate/fleet.ts'
import { freePort } from '../simulate/free-port.ts'
import { cpuSecondsOf } from '../simulate/process-figures.ts'
import { startRedis } from '../simulate/redis.ts'
import { copySecrets } from '../simulate/share-secrets.ts'
import { startServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { firstAccount } from './stored.ts'

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
    servers.account = await firstAccount(servers.firstFolder, servers.#settings)
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

  /** CPU seconds so far of running servers, PostgreSQL and Redis. */
  async cpuSeconds(): Promise<number> {
    const pids = [...this.running.map((server) => server?.pid), this.#redis?.pid()]
    const each = await Promise.all(pids.map((pid) => cpuSecondsOf(pid)))
    return each.reduce((sum, seconds) => sum + seconds, await databaseCpuSeconds())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.running.map((_, index) => this.stopOne(index)))
    await this.#cleanup.disposeAsync()
  }
}
