import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Transaction } from 'sequelize'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createApp, type ApplianceServer, type Dependencies } from '../../server/app.ts'
import type { Clock } from '../../server/ground/clock.ts'
import { loadConfig } from '../../server/settings/config.ts'
import { openConnection, type SqlValue } from '../../server/engines/database/connection.ts'
import { openDatabase, type Database } from '../../server/engines/database/database.ts'
import { migrations } from '../../server/engines/database/migrations/index.ts'
import { bindModels, type Models } from '../../server/call/models.ts'
import { writeEmptyDatabase } from './empty-database.ts'
import { createTestLog, type TestLog } from './log.ts'
import { freeUdpPort } from '../../tools/simulate/free-port.ts'
import { makeDatabase, readIn, runIn, type ReadRows, type TestDatabase } from './postgres.ts'
import { type account, register, registerOwner, signInTo, Visitor, type Member } from './visitor.ts'

/** Tests of a server mostly need its visitors, too. */
export * from './visitor.ts'

export interface TestServer {
  /** All addresses, beginning with `url`. */
  urls: string[]
  /** Setup code for the first account, needed by remote visitors. */
  setupCode: string | null
  /** Certificate of the server's authority, where an address is https. */
  authorityPem: string | null
  /** Keys without prefix; changes apply at the next start. */
  settings: Record<string, string>
  url: string
  directory: string
  log: TestLog
  visitor(): Visitor
  /** Registers and signs in the first user; further users with `changes`, where registration remains open. */
  owner(changes?: Partial<typeof account>): Promise<Member>
  /**
   * Registers another user with an organization of its own, where registration remains open (`openToAll`): tests that
   * need one for themselves share a server this way, which takes a tenth of the time.
   */
  newcomer(): Promise<Member>
  /** Signs in to an existing account. */
  signIn(changes?: Partial<typeof account>): Promise<Member>
  /** Writes rows with the database of the running server, whose mirrors follow: for changes that no route makes. */
  write<T>(work: (models: Models, transaction: Transaction) => Promise<T>): Promise<T>
  /** Stops, passes the database to `work`, and starts again: for changes that the server finds at its start. */
  whileStopped(work: (database: Database, models: Models) => Promise<unknown>): Promise<void>
  /** Stops, runs `work`, and starts again. */
  asleep(work: () => Promise<unknown>): Promise<void>
  /** Its database, where tests use PostgreSQL. */
  readonly database: TestDatabase | undefined
  /** Changes a stored row under the running server, like an administrator with an SQLite shell. */
  changeRow(table: string, id: string, assignment: string, key?: string): Promise<void>
  /** Reads committed rows beside the running server. */
  rows<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]>
  /** Passes a function that reads committed rows, over one connection beside the running server. */
  reading<T>(work: (rows: ReadRows) => Promise<T>): Promise<T>
  /** Names of mirror entries that differ from the database. */
  differences(): Promise<string[]>
  /** Restarts on the same data and the same port. */
  restart(): Promise<void>
  /**
   * Stops the server and deletes its data. Fails when a mirror differs from the database, or the log contains an
   * unclaimed error.
   */
  stop(): Promise<void>
}

export interface TestServerOptions {
  /** Keys without prefix: `{ AppOptions__EnablePublicRegistration: 'true' }`. */
  settings?: Record<string, string>
  clock?: Clock
  /** Addresses to listen on, separated by `;`; with https, this process trusts the server's authority from then on. */
  listenOn?: string
  /** Replacements for parts of the machine. */
  machine?: Pick<
    Dependencies,
    'readInterfaces' | 'multicastPort' | 'checkout' | 'logFile' | 'releaseKeys' | 'updateHost'
  >
  /** Server whose database and secrets this one shares; it stops later. */
  beside?: TestServer
  /** Further PEM authorities that this process trusts. */
  trusted?: string[]
}

/** Settings with which everybody may register. */
export const openToAll = { AppOptions__EnablePublicRegistration: 'true' }

/** Tests are not announced to the real network. */
const quietPort = await freeUdpPort()

interface Started {
  server: ApplianceServer
  url: string
  urls: string[]
  setupCode: string | null
  authorityPem: string | null
}

/** The real server on a real port with a real database in a temporary folder; usable once `start` has resolved. */
function prepareTestServer({
  settings = {},
  clock,
  listenOn = 'http://127.0.0.1:0',
  machine = {},
  beside,
  trusted = [],
}: TestServerOptions = {}): { server: TestServer; start: () => Promise<void> } {
  const directory = join(tmpdir(), `farhand-test-${randomUUID()}`)
  const log = createTestLog()
  /** Undefined before the start, and where tests use SQLite. */
  let postgres: TestDatabase | undefined
  const start = async (urls: string): Promise<Started> => {
    const own = { Urls: urls, DataDirectory: directory, Environment: 'Testing', ...postgres?.settings }
    const env = Object.entries({ ...own, ...settings })
    const config = loadConfig({ env: Object.fromEntries(env.map(([key, value]) => [`Service_${key}`, value])) })
    const server = createApp(config, {
      log,
      secretStore: 'file',
      multicastPort: quietPort,
      ...machine,
      ...(clock && { clock }),
    })
    const { urls: served, authorityPem, setupCode } = await server.start()
    if (authorityPem !== null) {
      setDefaultCACertificates([...getCACertificates('default'), authorityPem, ...trusted])
    }
    return { server, url: served[0]!, urls: served, authorityPem, setupCode }
  }
  let current: Started
  /** Set after direct writes to the file, which bypass the mirrors. */
  let hasForeignChange = false
  const server: TestServer = {
    settings,
    get url() {
      return current.url
    },
    get urls() {
      return current.urls
    },
    get setupCode() {
      return current.setupCode
    },
    get authorityPem() {
      return current.authorityPem
    },
    directory,
    get database() {
      return postgres
    },
    log,
    visitor: () => new Visitor(current.url),
    owner: (changes) => registerOwner(current.url, changes),
    newcomer: () => registerOwner(current.url, { email: `${randomUUID()}@example.org` }),
    signIn: (changes) => signInTo(current.url, changes),
    write(work) {
      const { database, models } = current.server.data()
      return database.write((transaction) => work(models, transaction))
    },
    async asleep(work) {
      await current.server.stop()
      await work()
      current = await start(current.urls.join(';'))
    },
    async whileStopped(work) {
      await current.server.stop()
      const options = { directory, migrations, log, appVersion: '0.0.0.0' }
      const database = await openDatabase({ ...options, postgres: postgres?.options })
      try {
        await work(database, bindModels(database.sequelize))
      } finally {
        await database.close()
      }
      current = await start(current.urls.join(';'))
    },
    async changeRow(table, id, assignment, key = 'id') {
      const sql = `UPDATE ${table} SET ${assignment} WHERE ${key} = ?`
      if (postgres) {
        // The server follows changes of other programs in this database.
        await runIn(postgres.options, sql, [id])
        return
      }
      hasForeignChange = true
      const connection = await openConnection(join(directory, 'farhand.db'), 'writer')
      try {
        await connection.all(sql, [id])
      } finally {
        await connection.close()
      }
    },
    rows: <Row>(sql: string, ...params: SqlValue[]) => server.reading((rows) => rows<Row>(sql, params)),
    async reading(work) {
      if (postgres) {
        return readIn(postgres.options, work)
      }
      const connection = await openConnection(join(directory, 'farhand.db'), 'reader')
      try {
        return await work((sql, params) => connection.all(sql, params))
      } finally {
        await connection.close()
      }
    },
    differences: () => current.server.differences(),
    async restart() {
      await current.server.stop()
      current = await start(current.urls.join(';'))
    },
    async stop() {
      const differences = hasForeignChange ? [] : await current.server.differences()
      await current.server.stop()
      await rm(directory, { recursive: true, force: true })
      if (!beside) {
        await postgres?.drop()
      }
      log.assertQuiet()
      if (differences.length > 0) {
        throw new Error(`Memory is not what the database says: ${differences.join(', ')}`)
      }
    },
  }
  return {
    server,
    async start() {
      await mkdir(directory, { mode: 0o700 })
      for (const name of beside ? ['secret-store.json', 'secrets.json'] : []) {
        await copyFile(join(beside!.directory, name), join(directory, name))
      }
      postgres = beside?.database ?? (await makeDatabase())
      if (!postgres) {
        await writeEmptyDatabase(directory)
      }
      current = await start(listenOn)
    },
  }
}

/** Starts a test server; the caller stops it. */
export async function startTestServer(options?: TestServerOptions): Promise<TestServer> {
  const { server, start } = prepareTestServer(options)
  await start()
  return server
}

/** Declares a test server for all tests of a file: started before the first, stopped after the last. */
export function serverForFile(options?: TestServerOptions): TestServer {
  const { server, start } = prepareTestServer(options)
  beforeAll(start)
  afterAll(() => server.stop())
  return server
}

/** Declares the first account of a server for all tests of a file: registered and signed in before the first. */
export function ownerForFile(server: TestServer, changes?: Partial<typeof account>): Member {
  const owner = new Visitor(server)
  beforeAll(() => register(owner, changes))
  // The remaining members are assigned before the first test.
  return owner as Member
}

/** Starts a test server for one test, stopped when the test ends. */
export async function useTestServer(options?: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options)
  onTestFinished(() => server.stop())
  return server
}
