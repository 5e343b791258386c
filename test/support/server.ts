import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createApp, type ApplianceServer, type Dependencies } from '../../server/app.ts'
import type { Clock } from '../../server/clock.ts'
import { loadConfig } from '../../server/config.ts'
import { openConnection } from '../../server/database/connection.ts'
import { openDatabase, type Database } from '../../server/database.ts'
import { migrations } from '../../server/migrations/index.ts'
import { bindModels, type Models } from '../../server/models/index.ts'
import { api } from '../../shared/api/index.ts'
import { createClients, type Clients, type Fetch } from '../../shared/contract/client.ts'
import type { CurrentUserDto } from '../../shared/dtos/user.ts'
import { claimFragment, pageKeyHeader } from '../../shared/page-key.ts'
import { createTestLog, type TestLog } from './log.ts'
import { freeUdpPort } from './ports.ts'

export const account = { email: 'ada@example.org', password: 'Correct-Horse-7', organizationName: 'Analytical Engines' }

const allGroups = { ...api.v1, ...api.internal, ...api.identity, ...api.agent, ...api.appliance }

/** A typed client for every route group, under its name in `api`. */
const clientsOver = (fetch: Fetch, headers: Record<string, string> = {}) =>
  createClients(allGroups, { baseUrl: '', fetch, headers })

/** A program with credentials in headers, such as `{ 'x-api-key': key }`. */
export const integrator = (url: string, headers: Record<string, string>) =>
  clientsOver((path, init) => fetch(url + path, init), headers)

// The clients are members of each visitor, which a class cannot say by itself.
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging
export interface Visitor extends Clients<typeof allGroups> {}

/**
 * Turns in which the end of an idle connection is seen. A test that has kept this process from running for seconds, with
 * files or with another program, would ask on one that the server has just closed.
 */
async function seeEndedConnections(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const proofPath = '/api/appliance/v1/session/proof'

/** A browser in miniature: sends its own origin and keeps cookies. */
export class Visitor {
  readonly #place: string | { readonly url: string }
  /** Cookie of the session. */
  cookie: string | undefined
  /** Key that our own page sends; undefined for a program, whose session its cookie alone opens. */
  pageKey: string | undefined
  /** By which the server knows the browser again. */
  browserCookie: string | undefined
  /** Proves with this password, as the page does, when a request asks for it; undefined leaves the refusal alone. */
  provesWith: string | undefined

  /** @param place Address, or a server whose address is read when it is needed. */
  constructor(place: string | { readonly url: string }) {
    this.#place = place
    Object.assign(this, clientsOver(this.fetch))
  }

  get url(): string {
    return typeof this.#place === 'string' ? this.#place : this.#place.url
  }

  /** Opens a link with a logon token as a browser does, whose page then claims the session. */
  async openLink(link: string, init: RequestInit = {}): Promise<Response> {
    const response = await this.fetch(link, {
      redirect: 'manual',
      ...init,
      headers: { accept: 'text/html', ...init.headers },
    })
    const [, claim] = (response.headers.get('location') ?? '').split(claimFragment)
    if (claim !== undefined) {
      this.pageKey = randomBytes(32).toString('base64url')
      await this.applianceSession.claim({ body: { claim } })
    }
    return response
  }

  /** Headers of a request that is made beside the clients. */
  get headers(): Record<string, string> {
    const key: Record<string, string> = this.pageKey === undefined ? {} : { [pageKeyHeader]: this.pageKey }
    return { cookie: this.cookie ?? '', origin: this.url, ...key }
  }

  fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (this.pageKey !== undefined) {
      headers.set(pageKeyHeader, this.pageKey)
    }
    if (!headers.has('origin')) {
      headers.set('origin', this.url)
    }
    const cookies = [this.cookie, this.browserCookie].filter((pair) => pair !== undefined)
    if (cookies.length > 0 && !headers.has('cookie')) {
      headers.set('cookie', cookies.join('; '))
    }
    await seeEndedConnections()
    const response = await fetch(path.startsWith('http') ? path : this.url + path, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      if (pair.includes('.Farhand.Browser')) {
        this.browserCookie = pair
      } else {
        this.cookie = line.includes('Max-Age=0') ? undefined : pair
      }
    }
    return (await this.#isProved(path, response)) ? this.fetch(path, init) : response
  }

  /** Whether a refused request is worth repeating, because its user has proved who they are. */
  async #isProved(path: string, response: Response): Promise<boolean> {
    const isAsked = response.status === 403 && (await response.clone().text()).includes('reauthentication-required')
    if (!isAsked || this.provesWith === undefined || path === proofPath) {
      return false
    }
    const proof = await this.fetch(proofPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: this.provesWith }),
    })
    return proof.ok
  }
}

/** A visitor with an account. */
export type Member = Visitor & { tenantId: string; user: CurrentUserDto }

export interface TestServer {
  /** Every address, `url` the first. */
  urls: string[]
  /** What the first account needs from elsewhere. */
  setupCode: string | null
  /** Certificate of its authority, where an address is https. */
  authorityPem: string | null
  /** Keys without prefix; a change counts from the next start on. */
  settings: Record<string, string>
  url: string
  directory: string
  log: TestLog
  visitor(): Visitor
  /** The first user, registered and signed in; further ones with `changes`, where registration stays open. */
  owner(changes?: Partial<typeof account>): Promise<Member>
  /** A visitor signed in to an existing account. */
  signIn(changes?: Partial<typeof account>): Promise<Member>
  /** Stops, hands the database to `work`, and starts again: for what no route can do. */
  whileStopped(work: (database: Database, models: Models) => Promise<unknown>): Promise<void>
  /** Changes a stored row under the running server, as an administrator with an SQLite shell would. */
  changeRow(table: string, id: string, assignment: string): Promise<void>
  /** What is committed now, read beside the running server. */
  rows<Row>(sql: string, ...params: string[]): Promise<Row[]>
  /** Names of entries in memory that differ from the database. */
  differences(): Promise<string[]>
  /** Stops and starts again on the same data and the same port. */
  restart(): Promise<void>
  /**
   * Stops and removes the data. Fails when memory differs from the database, or the log holds an error that the test
   * did not claim.
   */
  stop(): Promise<void>
}

export interface TestServerOptions {
  /** Keys without prefix: `{ AppOptions__EnablePublicRegistration: 'true' }`. */
  settings?: Record<string, string>
  clock?: Clock
  /** Addresses to listen on, `;` between them; with https, this process trusts the authority from then on. */
  listenOn?: string
  /** Parts of the machine that a test plays. */
  machine?: Pick<Dependencies, 'readInterfaces' | 'multicastPort' | 'checkout'>
  /** Further authorities that this process trusts, PEM. */
  trusted?: string[]
}

async function register(visitor: Visitor, changes: Partial<typeof account> = {}): Promise<Member> {
  const body = { ...account, ...changes }
  const user = await visitor.applianceSession.register({ body })
  visitor.provesWith = body.password
  return Object.assign(visitor, { tenantId: user.tenantId, user })
}

/** Registers the first account of a server, wherever it runs. */
export const registerOwner = (url: string, changes?: Partial<typeof account>): Promise<Member> =>
  register(new Visitor(url), changes)

/** Signs in to an account of a server, wherever it runs. */
export async function signInTo(url: string, changes: Partial<typeof account> = {}): Promise<Member> {
  const visitor = new Visitor(url)
  const { email, password } = { ...account, ...changes }
  const { user } = await visitor.applianceSession.signIn({ body: { email, password } })
  if (!user) {
    throw new Error(`${email} was not signed in.`)
  }
  visitor.provesWith = password
  return Object.assign(visitor, { tenantId: user.tenantId, user })
}

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
  trusted = [],
}: TestServerOptions = {}): { server: TestServer; start: () => Promise<void> } {
  const directory = join(tmpdir(), `farhand-test-${randomUUID()}`)
  const log = createTestLog()
  const start = async (urls: string): Promise<Started> => {
    const env = Object.entries({ Urls: urls, DataDirectory: directory, Environment: 'Testing', ...settings })
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
  /** What others write into the file does not pass through the server's commits. */
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
    log,
    visitor: () => new Visitor(current.url),
    owner: (changes) => registerOwner(current.url, changes),
    signIn: (changes) => signInTo(current.url, changes),
    async whileStopped(work) {
      await current.server.stop()
      const database = await openDatabase({ directory, migrations, log, appVersion: '0.0.0.0' })
      try {
        await work(database, bindModels(database.sequelize))
      } finally {
        await database.close()
      }
      current = await start(current.urls.join(';'))
    },
    async changeRow(table, id, assignment) {
      hasForeignChange = true
      const connection = await openConnection(join(directory, 'farhand.db'), 'writer')
      try {
        await connection.all(`UPDATE ${table} SET ${assignment} WHERE id = ?`, [id])
      } finally {
        await connection.close()
      }
    },
    async rows<Row>(sql: string, ...params: string[]) {
      const connection = await openConnection(join(directory, 'farhand.db'), 'reader')
      try {
        return await connection.all<Row>(sql, params)
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
  // Its other members are there when the first test runs.
  return owner as Member
}

/** Starts a test server for one test, stopped when the test ends. */
export async function useTestServer(options?: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer(options)
  onTestFinished(() => server.stop())
  return server
}
