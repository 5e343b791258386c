import type { IncomingMessage } from 'node:http'
import type { ApplianceServer, RunningServer } from './appliance-server.ts'
import { createAuthenticator } from './auth/authenticate.ts'
import { systemCall, type App } from './call.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { clientError } from './errors.ts'
import { mountHubs } from './hubs/create.ts'
import { mountRelay } from './hubs/relay.ts'
import { createHttpApp } from './http/web/app.ts'
import { socketLimits } from './http/web/connection-limits.ts'
import { addressMatcher, isEncrypted, remoteAddressReader } from './http/web/request.ts'
import { createSite } from './http/web/site.ts'
import { HttpsServer } from './http/web/https-server.ts'
import { PacedRequests } from './http/web/paced-requests.ts'
import { redirectTo } from './http/web/redirect.ts'
import { createSocketGate } from './http/web/sockets.ts'
import { RunningAnswers } from './http/web/running-answers.ts'
import { StuckReaders } from './http/web/stuck-readers.ts'
import { listenForUpgrades } from './http/web/upgrade.ts'
import { answerControl } from './control-answers.ts'
import { openControlChannel } from './control/control-channel.ts'
import { installation } from './installation.ts'
import { startJobs } from './jobs/index.ts'
import { isLoopbackHost } from './machine.ts'
import { openApp, type OnStop, type Opened, type Dependencies, type Stop } from './open-app.ts'
import { main, type HostDefaults } from './program.ts'
import { standsLink } from './policies/link.ts'
import { openApiDocuments } from './routes/documents.ts'
import { createDeviceAccess } from './routes/device-access.ts'
import { createHost } from './routes/host.ts'
import { createIdentityEndpoint } from './routes/server-identity.ts'
import { trustProbe } from './routes/trust-probe.ts'
import { routeGroupsFor } from './routes/index.ts'
import { requestLog } from './request-log.ts'
import { createHealth } from './services/appliance/health.ts'
import { beginRun, endRun, noteSleep } from './services/appliance/server-runs.ts'
import { pushServerStats } from './services/appliance/server-stats.ts'
import { callableOrigins } from './services/network/addresses.ts'
import { useStoredCertificate } from './services/network/certificate.ts'
import { announceToWindows } from './window-address.ts'
import { startNetwork } from './services/network/serving.ts'
import { endForbiddenSessions } from './services/agent-calls/remote-sessions.ts'
import { needsFirstAccount } from './services/people/registration.ts'
import { rescue } from './services/people/rescue.ts'
import { restoreTwoMachines } from './services/agents/two-machines.ts'
import { startPresence } from './services/devices/presence.ts'
import { pushRightsChanges } from './services/rights/pushed-changes.ts'
import { followTrial } from './services/updates/trial.ts'
import { followRestores, mayStayWithoutData, refuseWithoutData, withoutData } from './restore-only.ts'
import { DataError, StartError } from './start-error.ts'
import { createMetricsEndpoint, isScraped } from './telemetry/endpoint.ts'
import { startTelemetry } from './telemetry/start.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

/** Time limit of a shutdown; components that have not stopped by then are abandoned. */
const stopLimitMs = 8_000

/** Time limit for sending what telemetry has queued, after everything else has stopped. */
const flushLimitMs = 1_500

const trustedProxies = ({ enableNetworkTrust, knownProxies, knownNetworks, dockerGatewayIp }: Config['appOptions']) =>
  enableNetworkTrust ? 'all' : [...knownProxies, ...knownNetworks, ...(dockerGatewayIp ? [dockerGatewayIp] : [])]

const siteOf = ({ config, listeners, setup }: App, trustedOrigins: readonly string[]) =>
  createSite({
    publicUrl: config.branding.publicUrl,
    allowedHosts: config.allowedHosts,
    listening: () => listeners.addresses,
    ownNames: () => listeners.names,
    isUnclaimed: () => setup.isUnclaimed,
    trustedOrigins,
  })

/** Throws for requests that are not answered, whatever their path. */
const guardOf = (app: App, site: ReturnType<typeof siteOf>) => (request: IncomingMessage) => {
  if (app.restoreOnly) {
    refuseWithoutData(request)
  }
  if (app.setup.isUnclaimed) {
    site.checkHost(request)
  } else {
    site.checkReadable(request)
  }
}

/** Opens the addresses of the configuration. Throws a `StartError` for one that cannot be served. */
async function openConfiguredListeners(app: App): Promise<void> {
  for (const address of app.config.urls) {
    const opened = await app.listeners.open(address, { isFixed: true })
    if (opened.problem !== null) {
      throw new StartError(`${opened.problem} Correct Service_Urls, or remove what blocks this address.`)
    }
    if (address.scheme === 'http' && !isLoopbackHost(address.host)) {
      app.log.warn(
        { url: opened.url },
        'This address is served without TLS: anyone on the network path can read the traffic, change what agents run, and take passwords. Use https in Service_Urls.',
      )
    }
  }
}

/** Opens the ports after mounting the hubs, so that an agent that connects at once finds its hub. */
async function serve(opened: Opened, onStop: OnStop): Promise<RunningServer> {
  const { app, relay, hubServers, unprovedInput, telemetry } = opened
  const { config, log } = app
  onStop(app.eventLoop.start(app.clock))
  onStop(app.clockWatch.start(app.clock, (sleep) => noteSleep(app, sleep)))
  await beginRun(app)
  onStop(() => endRun(app))
  await restoreTwoMachines(app)
  onStop(await startPresence(app))
  onStop(
    await openControlChannel({
      directory: config.dataDirectory,
      answer: (message) => answerControl(app, message),
    }),
  )
  const isStrict = config.environment === 'Testing'
  const trusted = trustedProxies(config.appOptions)
  const remoteAddressOf = remoteAddressReader(trusted)
  const corsOrigins = config.appOptions.enableCors ? config.appOptions.corsAllowedOrigins : []
  const site = siteOf(app, corsOrigins)
  const authenticate = createAuthenticator(app, { remoteAddressOf, site, standsLink: (link) => standsLink(app, link) })
  const answers = new RunningAnswers()
  const host = createHost(app, { isStrict, authenticate, remoteAddressOf, site, unprovedInput, answers })
  const endpoints = [
    ...mountHubs(app, hubServers, { isStrict, authenticate, remoteAddressOf, site, observer: telemetry?.calls }),
    mountRelay(app, relay, { authenticate, remoteAddressOf, site }),
    createDeviceAccess(app, { authenticate, site }),
    createIdentityEndpoint(app, { site }),
    trustProbe,
    ...(telemetry && isScraped(config.metrics)
      ? [createMetricsEndpoint(config.metrics, { telemetry, log, checkHost: (request) => site.checkHost(request) })]
      : []),
  ]
  const handler = createHttpApp({
    groups: routeGroupsFor(app),
    host,
    endpoints: app.restoreOnly ? [] : endpoints,
    rendererDirectory: installation.rendererDirectory,
    downloads: app.agentRelease,
    referenceDirectory: installation.referenceDirectory,
    documents: config.appOptions.enableReferenceUi ? openApiDocuments(app.version) : {},
    health: { '/health': app.restoreOnly ? () => false : createHealth(app.database, app.clock), '/alive': () => true },
    corsOrigins,
    // The page that checks whether this browser trusts the certificate must call the address.
    callable: { '/trust': () => callableOrigins(app) },
    mayInsistOnTls: (request) =>
      isEncrypted(request) && app.listeners.isCertifiedElsewhere((request.headers.host ?? '').replace(/:\d+$/, '')),
    guard: guardOf(app, site),
    ...(config.appOptions.useHttpLogging && { onRequest: requestLog(log.child({ category: 'Requests' })) }),
    ...(telemetry && { observer: telemetry.requests }),
  })
  const limitSockets = createSocketGate(socketLimits(addressMatcher(trusted)))
  const stuckReaders = new StuckReaders(app.clock)
  onStop(stuckReaders.stop)
  const pacedRequests = new PacedRequests(unprovedInput)
  app.listeners.answer({
    handler,
    prepare(server) {
      limitSockets(server)
      stuckReaders.watch(server)
      pacedRequests.watch(server)
      if (server instanceof HttpsServer) {
        pacedRequests.watch(server.plain)
      }
      listenForUpgrades(server, {
        endpoints: app.restoreOnly ? [] : endpoints,
        log,
        detach: (socket) => pacedRequests.detach(socket),
      })
    },
    onPlain: redirectTo((request) => site.secureOriginFor(request)),
  })
  onStop(() => answers.settled(app.clock))
  onStop(() => app.listeners.stop())
  await useStoredCertificate(app)
  await openConfiguredListeners(app)
  onStop(await startNetwork(app))
  onStop(() => hubServers.close())
  onStop(() => relay.close())
  onStop(pushServerStats(app))
  onStop(endForbiddenSessions(app))
  onStop(pushRightsChanges(app))
  onStop(app.restoreOnly ? followRestores(app, app.restoreOnly) : startJobs(app))
  onStop(() => void (app.batches.isStopping = true))
  onStop(followTrial(app))
  onStop(() => app.updateProgress.stop())
  const listening = app.listeners.list()
  if (listening.some(({ host }) => !isLoopbackHost(host))) {
    // Making the identity of a new server blocks the event loop for 200 ms, and other machines ask for it.
    await app.tls()
  }
  return {
    urls: listening.map(({ url }) => url),
    setupCode: app.restoreOnly || (await needsFirstAccount(systemCall(app))) ? app.setup.code : null,
    problem: app.restoreOnly?.problem ?? null,
    secretStore: app.secretStore,
    authorityPem: listening.some(({ scheme }) => scheme === 'https') ? (await app.tls()).authorityPem : null,
    isOwnCertificate: async (pem) => (await app.tls()).isOver(pem),
  }
}

/** Explains a start that failed because nothing can be stored. */
function explained(error: unknown, { dataDirectory }: Config): unknown {
  if (error instanceof StartError || clientError(error)?.status !== 507) {
    return error
  }
  return new StartError(
    `The disk of the data folder ${dataDirectory} is full or cannot be written, so the server cannot start. ` +
      'Make room on that disk and start again; nothing was changed.',
    { cause: error },
  )
}

/** Starts a server without data, which offers to restore a backup. */
async function serveRestore(
  given: Config,
  deps: Dependencies,
  problem: string,
  onStop: OnStop,
): Promise<RunningServer> {
  const { config, remove } = await withoutData(given)
  onStop(remove)
  const restoreOnly = { directory: given.dataDirectory, problem }
  return serve(await openApp(config, { ...deps, secretStore: 'file', restoreOnly }, onStop), onStop)
}

/** Builds the service without starting anything. */
export function createApp(config: Config, deps: Dependencies): ApplianceServer {
  const { log, clock = systemClock } = deps
  const stops: Stop[] = []
  const onStop = (stop: Stop) => void stops.push(stop)
  let opened: Opened | undefined
  let telemetry: Telemetry | undefined
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
        telemetry = await startTelemetry(config, { log, version: installation.version })
        opened = await openApp(config, { ...deps, telemetry }, onStop)
        const { app } = opened
        telemetry?.watch(app, opened.hubServers)
        const running = await serve(opened, onStop)
        if (deps.announceIn !== undefined) {
          onStop(await announceToWindows(app, deps.announceIn))
        }
        log.info({ urls: running.urls, version: app.version, secretStore: app.secretStore }, 'The server is up.')
        return running
      } catch (error) {
        await stopAll()
        await telemetry?.stop(flushLimitMs)
        if (deps.offersRestore && error instanceof DataError && mayStayWithoutData(deps.updateHost)) {
          log.error({ err: error }, 'The data cannot be opened: this server offers to restore a backup.')
          return await serveRestore(config, deps, error.message, onStop).catch(async (problem: unknown) => {
            log.error({ err: problem }, 'The page that restores a backup could not be served.')
            await stopAll()
            throw error
          })
        }
        throw explained(error, config)
      }
    },
    async stop() {
      let cancel = () => {}
      const limit = new Promise<void>((done) => (cancel = clock.after(stopLimitMs, done)))
      await Promise.race([stopAll(), limit])
      cancel()
      log.info({}, 'The server has stopped.')
      await telemetry?.stop(flushLimitMs)
      telemetry = undefined
    },
    async rescue(request) {
      if (!opened) {
        throw new Error('The server is not running.')
      }
      return rescue(opened.app, request)
    },
    sessionCount: () => [...(opened?.app.remoteSessions ?? [])].length,
    differences: async () => (await opened?.differences()) ?? [],
  }
}

/** Runs the program of the server with its arguments: a command, or the server without a window. */
export const runProgram = (args: readonly string[], host?: HostDefaults): Promise<boolean> =>
  main(args, createApp, host)

// Other exports for hosts: the desktop shell imports only this file.
export { isCommandName } from './config/arguments.ts'
export { announcedService } from './window-address.ts'
export { systemService } from './commands/service.ts'
export { holdsData, moveDataFolder } from './backup/move-folder.ts'
export type { ApplianceServer, RunningServer } from './appliance-server.ts'
export { askAddresses, askServedCertificate, askRescue } from './control-answers.ts'
export { ConfigError, environment, loadConfig } from './config.ts'
export { endOnFatalErrors } from './fatal-errors.ts'
export { createLog, type Log } from './log.ts'
export { openLogFile } from './log-file.ts'
export type { Dependencies } from './open-app.ts'
export type { RescueAccount, RescueAnswer, RescueRequest } from './services/people/rescue.ts'
export { StartError } from './start-error.ts'
export { systemClock } from './clock.ts'
export {
  currentVersion,
  forgetPrevious,
  previousVersion,
  readJournal,
  switchTo,
  versionFolder,
  writeFlushed,
  type Home,
} from './updates/home.ts'
export { debianProgram, isDebianPackage } from './updates/debian-program.ts'
export { placedProgram, placeFlag, placeProgram, versionOfPath } from './updates/placed-program.ts'
export type { ProgramKind } from './updates/program-kind.ts'
export type { UpdateHost } from './updates/host.ts'
export { Keeper } from './updates/keeper.ts'
export { isSettledMessage, type ServerMessage } from './updates/supervision.ts'
