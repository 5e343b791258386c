import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { resolve } from 'node:path'
import { AgentRelease } from './services/agents/release.ts'
import { apiKeys } from './auth/api-keys.ts'
import { Accounts } from './memory/accounts.ts'
import { createAuthenticator } from './auth/authenticate.ts'
import { HeldKeys } from './memory/held-keys.ts'
import { personalAccessTokens } from './auth/personal-access-tokens.ts'
import { Sessions } from './memory/sessions.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { App } from './context.ts'
import { openDatabase } from './database.ts'
import { createHubs } from './hubs/create.ts'
import { createHttpApp } from './http/web/app.ts'
import { addressMatcher, remoteAddressReader } from './http/web/request.ts'
import { createSite } from './http/web/site.ts'
import { createSocketGate } from './http/web/sockets.ts'
import { listenForUpgrades } from './http/web/upgrade.ts'
import { installation } from './installation.ts'
import { startJobs } from './jobs/index.ts'
import { listen, stopListening } from './listen.ts'
import type { Log } from './log.ts'
import { migrations } from './migrations/index.ts'
import { bindModels } from './models/index.ts'
import { Rules } from './memory/rules.ts'
import { createDevicePresenter } from './presenters/device.ts'
import { openApiDocuments } from './routes/documents.ts'
import { createDeviceAccess } from './routes/device-access.ts'
import { createHost } from './routes/host.ts'
import { routeGroupsFor } from './routes/index.ts'
import { openSecretStore } from './secrets/open.ts'
import { openSealer } from './secrets/sealer.ts'
import { bootstrap } from './services/appliance/bootstrap.ts'
import { DeviceTags } from './services/devices/device-tags.ts'
import { DeviceUpdates } from './services/agents/updates.ts'
import { Fleet } from './memory/fleet/fleet.ts'
import { createHealth } from './services/appliance/health.ts'
import { HeartbeatSubscriptions } from './memory/heartbeats.ts'
import { ServerStats } from './services/appliance/server-stats.ts'
import { Mailer } from './services/appliance/mailer.ts'
import { SignIns } from './services/people/sign-in.ts'
import { StreamBridge } from './services/remote/stream-bridge.ts'
import { OpenTerminals } from './memory/terminals.ts'

/** What the host process provides; tests replace single parts. */
export interface Ports {
  log: Log
  clock?: Clock
  /** Where the master key may be kept; `auto` prefers the keychain. */
  secretStore?: 'auto' | 'keychain' | 'file'
}

export interface RunningServer {
  /** Addresses that are served. */
  urls: string[]
}

/** The whole service, in one process with whoever starts it. */
export interface ApplianceServer {
  /** Resolves once it serves; throws a `StartError` whose text says what to do. */
  start(): Promise<RunningServer>
  /** Stops in the reverse order; resolves when everything has ended, or the time limit has. */
  stop(): Promise<void>
}

/** After so long the parts that have not stopped are left behind. */
const stopLimitMs = 8_000

type Stop = () => Promise<void> | void

function downloadsDirectoryOf(config: Config): string {
  const usual = resolve('downloads')
  return config.downloadsDirectory ?? (existsSync(usual) ? usual : installation.builtDownloadsDirectory)
}

/** Opens what the service stands on: database, secrets, and what is held in memory. */
async function openApp(config: Config, ports: Ports, onStop: (stop: Stop) => void): Promise<App> {
  const { log, clock = systemClock } = ports
  const { version } = installation
  const database = await openDatabase({ directory: config.dataDirectory, migrations, log, appVersion: version })
  onStop(() => database.close())
  const secretStore = await openSecretStore({
    directory: config.dataDirectory,
    preference: ports.secretStore ?? 'auto',
    log,
  })
  const agentRelease = new AgentRelease(downloadsDirectoryOf(config), config.branding)
  onStop(await agentRelease.watch(clock))
  const models = bindModels(database.sequelize)
  const base = {
    config,
    version,
    startedAt: clock.now(),
    secretStore: secretStore.kind,
    // Over existing data a new master key would hide that the old one is lost.
    sealer: await openSealer(secretStore, { mayCreate: (await models.User.count()) === 0 }),
    clock,
    log,
    database,
    models,
    rules: new Rules(database),
    fleet: new Fleet(database, clock),
    mail: new Mailer({ config, log }),
    streams: new StreamBridge(),
    agentRelease,
    presentDevice: createDevicePresenter(agentRelease),
  }
  // The rest holds on to the app itself, and the hubs are opened last.
  const app = base as typeof base & Omit<App, keyof typeof base>
  app.accounts = new Accounts(database, async (userId, keptSession) => {
    await app.sessions.end(userId, ({ tokenHash }) => tokenHash !== keptSession)
    app.hubs.viewer.disconnect(
      ({ id, credential }) =>
        id === userId && !('session' in credential && credential.session.tokenHash === keptSession),
    )
  })
  app.sessions = new Sessions(app, ({ tokenHash }) =>
    app.hubs.viewer.disconnect(
      ({ credential }) => 'session' in credential && credential.session.tokenHash === tokenHash,
    ),
  )
  const cutKeys = (ids: ReadonlySet<string>) =>
    app.hubs.viewer.disconnect(({ credential }) => 'id' in credential && ids.has(credential.id))
  app.apiKeys = new HeldKeys(app, apiKeys, cutKeys)
  app.personalAccessTokens = new HeldKeys(app, personalAccessTokens, cutKeys)
  app.heartbeats = new HeartbeatSubscriptions(app)
  app.terminals = new OpenTerminals(app)
  app.stats = new ServerStats(app)
  app.updates = new DeviceUpdates(app)
  app.deviceTags = new DeviceTags(app)
  app.signIns = new SignIns(app)
  await bootstrap(app)
  await Promise.all([app.rules.load(), app.accounts.load(), app.fleet.load()])
  onStop(() => app.mail.close())
  onStop(await app.sessions.load())
  onStop(await app.apiKeys.load())
  onStop(await app.personalAccessTokens.load())
  return app
}

const trustedProxies = ({ enableNetworkTrust, knownProxies, knownNetworks, dockerGatewayIp }: Config['appOptions']) =>
  enableNetworkTrust ? 'all' : [...knownProxies, ...knownNetworks, ...(dockerGatewayIp ? [dockerGatewayIp] : [])]

/** Open sockets: of everybody, and of one address, behind which a whole office may sit. */
const socketLimits = { total: 20_000, perAddress: 4_000 }

/** Proxies, and whatever runs on this machine: other peers come through them. */
const isOurs = (proxies: readonly string[] | 'all') =>
  addressMatcher(proxies === 'all' ? 'all' : [...proxies, '127.0.0.0/8', '::1'])

/** Opens the ports, hubs first: an agent that comes in the first millisecond finds its hub. */
async function serve(app: App, onStop: (stop: Stop) => void): Promise<RunningServer> {
  const { config, log } = app
  const isStrict = config.environment === 'Testing'
  const trusted = trustedProxies(config.appOptions)
  const remoteAddressOf = remoteAddressReader(trusted)
  const corsOrigins = config.appOptions.enableCors ? config.appOptions.corsAllowedOrigins : []
  const site = createSite({
    publicUrl: config.branding.publicUrl,
    allowedHosts: config.allowedHosts,
    listenHosts: config.urls.map(({ host }) => host),
    trustedOrigins: corsOrigins,
  })
  const authenticate = createAuthenticator(app, { remoteAddressOf, site })
  const host = createHost(app, { isStrict, authenticate, remoteAddressOf, site })
  const hubs = createHubs(app, { isStrict, authenticate, remoteAddressOf, site })
  app.hubs = hubs.clients
  const endpoints = [...hubs.endpoints, createDeviceAccess(app, { authenticate, site })]
  const handler = createHttpApp({
    groups: routeGroupsFor(config),
    host,
    endpoints,
    rendererDirectory: installation.rendererDirectory,
    downloadsDirectory: app.agentRelease.directory,
    referenceDirectory: installation.referenceDirectory,
    documents: config.appOptions.enableReferenceUi ? openApiDocuments(app.version) : {},
    isHealthy: createHealth(app.database, app.clock),
    corsOrigins,
    ...(config.appOptions.useHttpLogging && {
      onRequest: (request, status, durationMs) =>
        log.info({ method: request.method, path: request.url?.split('?')[0], status, durationMs }, 'Request.'),
    }),
  })
  const limitSockets = createSocketGate({ ...socketLimits, isExempt: isOurs(trusted) })
  const prepare = (server: Server) => {
    limitSockets(server)
    listenForUpgrades(server, endpoints, log)
  }
  const urls: string[] = []
  for (const address of config.urls) {
    const { server, url } = await listen(address, handler, prepare)
    onStop(() => stopListening(server))
    urls.push(url)
  }
  onStop(() => hubs.close())
  onStop(app.stats.start())
  onStop(startJobs(app))
  return { urls }
}

/** Builds the service without starting anything. */
export function createApp(config: Config, ports: Ports): ApplianceServer {
  const { log, clock = systemClock } = ports
  const stops: Stop[] = []
  const onStop = (stop: Stop) => void stops.push(stop)
  const stopAll = async () => {
    for (const stop of stops.splice(0).toReversed()) {
      try {
        await stop()
      } catch (error) {
        log.error({ err: error }, 'A part of the server did not stop cleanly.')
      }
    }
  }
  return {
    async start() {
      try {
        const app = await openApp(config, ports, onStop)
        const running = await serve(app, onStop)
        log.info({ urls: running.urls, version: app.version, secretStore: app.secretStore }, 'The server is up.')
        return running
      } catch (error) {
        await stopAll()
        throw error
      }
    },
    async stop() {
      let cancel = () => {}
      const limit = new Promise<void>((done) => (cancel = clock.after(stopLimitMs, done)))
      await Promise.race([stopAll(), limit])
      cancel()
      log.info({}, 'The server has stopped.')
    },
  }
}

// What a host needs besides: the desktop shell imports this file and nothing deeper.
export { ConfigError, environment, loadConfig } from './config.ts'
export { createLog } from './log.ts'
export { StartError } from './start-error.ts'
