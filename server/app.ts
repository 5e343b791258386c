import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { createAnnouncer } from './announcing/announcer.ts'
import { createAuthenticator } from './auth/authenticate.ts'
import { systemCall, type App } from './call.ts'
import { systemClock, type Clock } from './clock.ts'
import type { Config } from './config.ts'
import { openDatabase } from './database.ts'
import { createHubServers, mountHubs, type HubServers } from './hubs/create.ts'
import { mountRelay } from './hubs/relay.ts'
import { createHttpApp } from './http/web/app.ts'
import { socketLimits } from './http/web/connection-limits.ts'
import { addressMatcher, remoteAddressReader } from './http/web/request.ts'
import { createSite } from './http/web/site.ts'
import { createSocketGate } from './http/web/sockets.ts'
import { StuckReaders } from './http/web/stuck-readers.ts'
import { listenForUpgrades } from './http/web/upgrade.ts'
import { installation } from './installation.ts'
import { startJobs } from './jobs/index.ts'
import { listen, stopListening } from './listen.ts'
import type { Log } from './log.ts'
import { scratchDirectoryOf } from './memory/scratch-file.ts'
import { Mailer } from './mailer.ts'
import { AgentRelease } from './memory/agent-release.ts'
import { openMemory } from './memory/index.ts'
import { ServedNetwork, type ReadInterfaces } from './memory/served-network.ts'
import { migrations } from './migrations/index.ts'
import { bindModels } from './models/index.ts'
import { Relay } from './relay/relay.ts'
import { openApiDocuments } from './routes/documents.ts'
import { createDeviceAccess } from './routes/device-access.ts'
import { createHost } from './routes/host.ts'
import { routeGroupsFor } from './routes/index.ts'
import { requestLog } from './request-log.ts'
import { openSecretStore } from './secrets/open.ts'
import { openSealer } from './secrets/sealer.ts'
import { bootstrap } from './services/appliance/bootstrap.ts'
import { createHealth } from './services/appliance/health.ts'
import { pushServerStats } from './services/appliance/server-stats.ts'
import { useStoredCertificate } from './services/network/certificate.ts'
import { startNetwork } from './services/network/serving.ts'
import { endForbiddenSessions } from './services/remote/sessions.ts'
import { needsFirstAccount } from './services/people/registration.ts'
import { startPresence } from './services/devices/presence.ts'
import { closeInterruptedBatches } from './services/devices/batches.ts'
import { pushDevice } from './services/devices/heartbeats.ts'

/** What the host process provides; tests replace single parts. */
export interface Ports {
  log: Log
  clock?: Clock
  /** Where the master key may be kept; `auto` prefers the keychain. */
  secretStore?: 'auto' | 'keychain' | 'file'
  /** The network cards of this machine. */
  readInterfaces?: ReadInterfaces
  /** UDP port of announcements. */
  multicastPort?: number
}

export interface RunningServer {
  /** Addresses that are served. */
  urls: string[]
  /** Whether nobody has registered yet: the first who comes may. */
  needsFirstAccount: boolean
  secretStore: App['secretStore']
}

/** The whole service, in the process of its host. */
export interface ApplianceServer {
  /** Resolves once it serves; throws a `StartError` whose text says what to do. */
  start(): Promise<RunningServer>
  /** Stops in the reverse order; resolves when everything has ended, or the time limit has. */
  stop(): Promise<void>
  /** Names of entries in memory that differ from the database; empty unless there is a fault. */
  differences(): Promise<string[]>
}

/** After so long the parts that have not stopped are left behind. */
const stopLimitMs = 8_000

type Stop = () => Promise<void> | void

function downloadsDirectoryOf(config: Config): string {
  const usual = resolve('downloads')
  return config.downloadsDirectory ?? (existsSync(usual) ? usual : installation.builtDownloadsDirectory)
}

interface Opened {
  app: App
  relay: Relay
  hubServers: HubServers
  differences(): Promise<string[]>
}

/** Opens what the service stands on: database, secrets, what sends to clients, and what lives in memory. */
async function openApp(config: Config, ports: Ports, onStop: (stop: Stop) => void): Promise<Opened> {
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
  // Over existing data a new master key would hide that the old one is lost.
  const sealer = await openSealer(secretStore, { mayCreate: (await models.User.count()) === 0 })
  const mail = new Mailer({ config, log })
  onStop(() => mail.close())
  const { appOptions } = config
  const hubServers = createHubServers({ clock, log, detailedErrors: appOptions.enableSignalrDetailedErrors })
  const hubs = hubServers.clients
  const relay = new Relay({ clock, log })
  const clockSkewToleranceMs = appOptions.agentClockSkewToleranceMs
  const { memory, differences, stop } = await openMemory(
    { database, models, clock, log, clockSkewToleranceMs, scratchDirectory: scratchDirectoryOf(config) },
    {
      changed: (device) => pushDevice(app, device),
      connectionEnded: (connectionId) => hubs.agent.disconnect(connectionId),
      credentialsChanged: () => hubs.viewer.disconnect((principal) => !principal.isLive()),
    },
  )
  onStop(stop)
  const app: App = {
    ...memory,
    config,
    version,
    startedAt: clock.now(),
    secretStore: secretStore.kind,
    sealer,
    clock,
    log,
    database,
    models,
    mail,
    agentRelease,
    hubs,
    relay,
    network: new ServedNetwork(),
    announcer: createAnnouncer(log, ports.multicastPort === undefined ? {} : { port: ports.multicastPort }),
    readInterfaces: ports.readInterfaces ?? networkInterfaces,
  }
  await bootstrap(systemCall(app))
  await closeInterruptedBatches(systemCall(app))
  return { app, relay, hubServers, differences }
}

const trustedProxies = ({ enableNetworkTrust, knownProxies, knownNetworks, dockerGatewayIp }: Config['appOptions']) =>
  enableNetworkTrust ? 'all' : [...knownProxies, ...knownNetworks, ...(dockerGatewayIp ? [dockerGatewayIp] : [])]

/** Opens the ports after mounting the hubs, so that an agent that connects at once finds its hub. */
async function serve({ app, relay, hubServers }: Opened, onStop: (stop: Stop) => void): Promise<RunningServer> {
  const { config, log } = app
  onStop(await startPresence(app))
  const isStrict = config.environment === 'Testing'
  const trusted = trustedProxies(config.appOptions)
  const remoteAddressOf = remoteAddressReader(trusted)
  const corsOrigins = config.appOptions.enableCors ? config.appOptions.corsAllowedOrigins : []
  const site = createSite({
    publicUrl: config.branding.publicUrl,
    allowedHosts: config.allowedHosts,
    listenHosts: config.urls.map(({ host }) => host),
    trustedOrigins: corsOrigins,
    otherNames: () => app.network.names,
  })
  const authenticate = createAuthenticator(app, { remoteAddressOf, site })
  const host = createHost(app, { isStrict, authenticate, remoteAddressOf, site })
  const endpoints = [
    ...mountHubs(app, hubServers, { isStrict, authenticate, remoteAddressOf, site }),
    mountRelay(app, relay, { authenticate, remoteAddressOf, site }),
    createDeviceAccess(app, { authenticate, site }),
  ]
  const handler = createHttpApp({
    groups: routeGroupsFor(config),
    host,
    endpoints,
    rendererDirectory: installation.rendererDirectory,
    downloads: app.agentRelease,
    referenceDirectory: installation.referenceDirectory,
    documents: config.appOptions.enableReferenceUi ? openApiDocuments(app.version) : {},
    isHealthy: createHealth(app.database, app.clock),
    corsOrigins,
    ...(config.appOptions.useHttpLogging && { onRequest: requestLog(log) }),
  })
  const limitSockets = createSocketGate(socketLimits(addressMatcher(trusted)))
  const stuckReaders = new StuckReaders(app.clock)
  onStop(stuckReaders.stop)
  const prepare = (server: Server) => {
    limitSockets(server)
    stuckReaders.watch(server)
    listenForUpgrades(server, endpoints, log)
  }
  const urls: string[] = []
  for (const address of config.urls) {
    const { server, url } = await listen(address, handler, prepare)
    onStop(() => stopListening(server))
    urls.push(url)
  }
  await useStoredCertificate(app)
  onStop(await startNetwork(app))
  onStop(() => hubServers.close())
  onStop(() => relay.close())
  onStop(pushServerStats(app))
  onStop(endForbiddenSessions(app))
  onStop(startJobs(app))
  onStop(() => void (app.batches.isStopping = true))
  return { urls, needsFirstAccount: await needsFirstAccount(systemCall(app)), secretStore: app.secretStore }
}

/** Builds the service without starting anything. */
export function createApp(config: Config, ports: Ports): ApplianceServer {
  const { log, clock = systemClock } = ports
  const stops: Stop[] = []
  const onStop = (stop: Stop) => void stops.push(stop)
  let opened: Opened | undefined
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
        opened = await openApp(config, ports, onStop)
        const { app } = opened
        const running = await serve(opened, onStop)
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
    differences: async () => (await opened?.differences()) ?? [],
  }
}

// What a host needs besides: the desktop shell imports this file and nothing deeper.
export { ConfigError, environment, loadConfig } from './config.ts'
export { createLog } from './log.ts'
export { StartError } from './start-error.ts'
