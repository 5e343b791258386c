import type { IncomingMessage } from 'node:http'
import type { ApplianceServer, RunningServer } from './surface/appliance-server.ts'
import { createAuthenticator } from './credentials/authenticate.ts'
import { systemCall, type App } from './call/call.ts'
import type { Config } from './settings/config.ts'
import { trustedProxies } from './settings/trusted-proxies.ts'
import { mountHubs } from './surface/hubs.ts'
import { mountRelay } from './remote/relay.ts'
import { createHttpApp } from './engines/http/web/app.ts'
import { remoteAddressReader } from './engines/http/web/remote-address.ts'
import { isEncrypted } from './engines/http/web/request.ts'
import { createOrigins } from './engines/http/web/origins.ts'
import { HttpsServer } from './engines/http/web/https-server.ts'
import { PacedRequests } from './engines/http/web/paced-requests.ts'
import { redirectTo } from './engines/http/web/redirect.ts'
import { RunningHandlers } from './engines/http/web/running-handlers.ts'
import { StuckReaders } from './engines/http/web/stuck-readers.ts'
import { listenForUpgrades } from './engines/http/web/upgrade.ts'
import { answerControl } from './surface/control-answers.ts'
import { openControlChannel } from './engines/process/control-channel.ts'
import { installation } from './engines/process/installation.ts'
import { answerCancellations } from './batches/batches.ts'
import { jobsOfEach, sharedJobs, startJobs } from './jobs.ts'
import { isLoopbackHost } from './ground/machine.ts'
import { createServer } from './server-lifecycle.ts'
import { closeInterrupted, type OnStop, type Opened, type Dependencies } from './open-app.ts'
import { main, type HostDefaults } from './program.ts'
import { openApiDocuments } from './surface/documents.ts'
import { createDeviceAccess } from './remote/device-access.ts'
import { followServers } from './surface/follow-servers.ts'
import { createRouteHost } from './surface/route-host.ts'
import { createIdentityEndpoint } from './network/server-identity.ts'
import { trustProbe } from './network/trust-probe.ts'
import { routeGroupsFor } from './surface/routes.ts'
import { requestLog } from './surface/request-log.ts'
import { healthChecks } from './health/health-endpoint.ts'
import { beginRun, endRun, noteSleep } from './health/server-runs.ts'
import { pushServerStats } from './health/server-stats.ts'
import { callableOrigins } from './network/addresses.ts'
import { useStoredCertificate } from './network/certificate.ts'
import { startNetwork } from './network/serving.ts'
import { startNotifications } from './notifications/deliveries.ts'
import { createUnsubscribe } from './notifications/unsubscribe.ts'
import { endForbiddenSessions } from './remote/session-lifecycle.ts'
import { needsFirstAccount } from './identity/registration.ts'
import { startTwoMachines } from './agents/two-machines.ts'
import { startPresence } from './devices/load-recording.ts'
import { pushRightsChanges } from './rights/pushed-changes.ts'
import { followTrial } from './updates/trial.ts'
import { followRestores, refuseWithoutData } from './backup/restore-only.ts'
import { startAlerts } from './alerts/start-alerts.ts'
import { startWebhooks } from './events/webhook-deliveries.ts'
import { StartError } from './ground/start-error.ts'
import { createMetricsEndpoint, isScraped } from './surface/telemetry/endpoint.ts'

const originsOf = ({ config, listeners, setup }: App, trustedOrigins: readonly string[]) =>
  createOrigins({
    publicUrl: config.branding.publicUrl,
    allowedHosts: config.allowedHosts,
    listening: () => listeners.addresses,
    ownNames: () => listeners.names,
    isUnclaimed: () => setup.isUnclaimed,
    trustedOrigins,
  })

/** Throws for requests that are not answered, whatever their path. */
const guardOf = (app: App, origins: ReturnType<typeof originsOf>) => (request: IncomingMessage) => {
  if (app.restoreOnly) {
    refuseWithoutData(request)
  }
  if (app.setup.isUnclaimed) {
    origins.checkHost(request)
  } else {
    origins.checkReadable(request)
  }
}

/** Opens the addresses of the configuration. Throws a `StartError` for one that cannot be served. */
async function openConfiguredListeners(app: App): Promise<void> {
  for (const address of app.config.urls) {
    const opened = await app.listeners.open(address, { isFixed: true })
    if (opened.problem !== null) {
      throw new StartError(`${opened.problem} Choose another with Service_PORT or Service_Urls.`)
    }
    if (address.scheme === 'http' && !isLoopbackHost(address.host)) {
      app.log.warn(
        { url: opened.url },
        'This address is served without TLS: anyone on the network path can read the traffic, change what agents run, and take passwords. Use https in Service_Urls.',
      )
    }
  }
}

/** Starts the work that one of several servers does for all; returns a function that stops it. */
async function startSharedWork(app: App): Promise<() => Promise<void>> {
  const stopAlerts = await startAlerts(app)
  const stops = [startJobs(app, sharedJobs), startWebhooks(app), startNotifications(app), stopAlerts]
  return async () => {
    for (const stop of stops.toReversed()) {
      await stop()
    }
  }
}

/** Closes what other servers have left open that ended without notice. */
async function closeEnded(app: App, ended: readonly string[]): Promise<void> {
  app.log.warn({ ended }, 'A server of this database ended without notice. Closing what it has left open.')
  await app.audit.endSessionsOf(ended)
  await closeInterrupted(app)
}

/** Starts what goes on beside requests. */
async function startWork(app: App, onStop: OnStop): Promise<void> {
  onStop(pushServerStats(app))
  onStop(endForbiddenSessions(app))
  onStop(pushRightsChanges(app))
  onStop(app.restoreOnly ? followRestores(app, app.restoreOnly) : startJobs(app, jobsOfEach))
  onStop(() => app.batchFiles.close())
  answerCancellations(app)
  onStop(() => void (app.batches.isStopping = true))
  if (!app.restoreOnly) {
    onStop(await app.servers.start({ work: () => startSharedWork(app), closeEnded: (ended) => closeEnded(app, ended) }))
  }
  onStop(followTrial(app))
  onStop(() => app.updateProgress.stop())
  onStop(() => app.events.close())
}

/** Begins what runs as long as the server, before anybody can connect. */
async function beginLive(app: App, onStop: OnStop): Promise<void> {
  onStop(app.eventLoop.start(app.clock))
  onStop(app.clockWatch.start(app.clock, (sleep) => noteSleep(app, sleep)))
  await beginRun(app)
  onStop(() => endRun(app))
  onStop(() => app.recorders.close())
  await startTwoMachines(app)
  onStop(await startPresence(app))
  onStop(
    await openControlChannel({
      directory: app.config.dataDirectory,
      answer: (message) => answerControl(app, message),
    }),
  )
}

/** Opens the ports after mounting the hubs, so that an agent that connects at once finds its hub. */
async function serve(opened: Opened, onStop: OnStop): Promise<RunningServer> {
  const { app, relay, hubServers, unprovedInput, joined, telemetry } = opened
  const { config, log } = app
  await beginLive(app, onStop)
  const isStrict = config.environment === 'Testing'
  const directAddressOf = remoteAddressReader(trustedProxies(config.appOptions))
  const remoteAddressOf = joined?.remoteAddressOf(directAddressOf) ?? directAddressOf
  const corsOrigins = config.appOptions.enableCors ? config.appOptions.corsAllowedOrigins : []
  const origins = originsOf(app, corsOrigins)
  const authenticate = createAuthenticator(app, { remoteAddressOf, origins })
  const answers = new RunningHandlers()
  const callers = { authenticate, remoteAddressOf, origins }
  const host = createRouteHost(app, { ...callers, isStrict, unprovedInput, answers, elsewhere: joined?.elsewhere })
  const endpoints = [
    ...mountHubs(app, hubServers, {
      ...callers,
      isStrict,
      observer: telemetry?.calls,
      viewerLinks: joined?.viewerLinks(app),
    }),
    mountRelay(app, relay, callers),
    createDeviceAccess(app, { authenticate, origins }),
    createIdentityEndpoint(app, { origins }),
    createUnsubscribe(app, { origins, remoteAddressOf }),
    trustProbe,
    ...(telemetry && isScraped(config.metrics)
      ? [createMetricsEndpoint(config.metrics, { telemetry, log, checkHost: (request) => origins.checkHost(request) })]
      : []),
  ]
  const groups = routeGroupsFor(app)
  const handler = createHttpApp({
    groups,
    host,
    endpoints: app.restoreOnly ? [] : endpoints,
    rendererDirectory: installation.rendererDirectory,
    downloads: app.agentRelease,
    referenceDirectory: installation.referenceDirectory,
    documents: config.appOptions.enableReferenceUi ? openApiDocuments(app.version) : {},
    health: healthChecks(app, () => joined?.takesRequests === false),
    corsOrigins,
    // The page that checks whether this browser trusts the certificate must call the address.
    callable: { '/trust': () => callableOrigins(app) },
    mayInsistOnTls: (request) =>
      isEncrypted(request) && app.listeners.isCertifiedElsewhere((request.headers.host ?? '').replace(/:\d+$/, '')),
    guard: guardOf(app, origins),
    ...(config.appOptions.useHttpLogging && { onRequest: requestLog(log.child({ category: 'Requests' })) }),
    ...(telemetry && { observer: telemetry.requests }),
  })
  const stuckReaders = new StuckReaders(app.clock)
  onStop(stuckReaders.stop)
  const pacedRequests = new PacedRequests(unprovedInput, remoteAddressOf)
  const forwarding = joined?.forwarding(app, groups, authenticate)
  const upgraded = forwarding?.endpoints(endpoints) ?? endpoints
  app.listeners.answer({
    handler: forwarding?.around(handler) ?? handler,
    prepare(server) {
      app.sockets.guard(server)
      stuckReaders.watch(server)
      pacedRequests.watch(server)
      if (server instanceof HttpsServer) {
        pacedRequests.watch(server.plain)
      }
      listenForUpgrades(server, {
        endpoints: app.restoreOnly ? [] : upgraded,
        log,
        detach: (socket) => pacedRequests.detach(socket),
      })
    },
    onPlain: redirectTo((request) => origins.secureOriginFor(request)),
  })
  onStop(() => answers.settled(app.clock))
  onStop(() => app.listeners.stop())
  await useStoredCertificate(app)
  await openConfiguredListeners(app)
  onStop(await startNetwork(app))
  onStop(await followServers(app))
  onStop((await joined?.join()) ?? (() => {}))
  onStop(() => hubServers.close())
  onStop(() => relay.close())
  // Agents whose connection ends would connect again at once, tens of thousands of them.
  onStop(() => app.listeners.stopAccepting())
  await startWork(app, onStop)
  return running(app)
}

async function running(app: App): Promise<RunningServer> {
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

/** Builds the service without starting anything. */
export const createApp = (config: Config, deps: Dependencies): ApplianceServer => createServer(config, deps, serve)

export const runProgram = (args: readonly string[], host?: HostDefaults): Promise<boolean> =>
  main(args, createApp, host)

// Other exports for hosts: the desktop shell imports only this file.
export { isCommandName } from './settings/arguments.ts'
export { announcedService } from './network/window-address.ts'
export { systemService } from './surface/service.command.ts'
export { holdsData, moveDataFolder } from './backup/move-folder.ts'
export type { ApplianceServer, RunningServer } from './surface/appliance-server.ts'
export { askAddresses, askServedCertificate, askRescue } from './surface/control-answers.ts'
export { environment, loadConfig } from './settings/config.ts'
export { ConfigError } from './settings/config-error.ts'
export { endOnFatalErrors } from './engines/process/fatal-errors.ts'
export { createLog, type Log } from './ground/log.ts'
export { openLogFile } from './engines/process/log-file.ts'
export type { Dependencies } from './open-app.ts'
export type { RescueAccount, RescueAnswer, RescueRequest } from './identity/rescue.ts'
export { StartError } from './ground/start-error.ts'
export { systemClock } from './ground/clock.ts'
export {
  currentVersion,
  forgetPrevious,
  previousVersion,
  readJournal,
  switchTo,
  versionFolder,
  writeFlushed,
  type Home,
} from './engines/process/program-home.ts'
export { debianProgram, isDebianPackage } from './updates/debian-program.ts'
export { placedProgram, placeFlag, placeProgram, versionOfPath } from './updates/placed-program.ts'
export type { ProgramKind } from './updates/program-kind.ts'
export type { UpdateHost } from './updates/program-host.ts'
export { Keeper } from './updates/keeper.ts'
export { isSettledMessage, type ServerMessage } from './updates/supervision.ts'
