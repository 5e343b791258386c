import { AsyncLocalStorage } from 'node:async_hooks'
import { networkInterfaces } from 'node:os'
import { noteDevice } from './events/from-fleet.ts'
import type { DeviceState } from './fleet/device-state.ts'
import { noteDeviceForAlerts } from './alerts/note-device.ts'
import { createAnnouncer } from './network/announcer.ts'
import { finishReplacement, isReplacementPlanned } from './backup/replacement.ts'
import { systemCall, type App } from './call/call.ts'
import { systemClock, type Clock } from './ground/clock.ts'
import type { Config } from './settings/config.ts'
import { postgresOf } from './call/postgres.ts'
import { rightsGate } from './call/running-work.ts'
import { StoredSettings } from './settings/stored-settings.ts'
import { openDatabase, type Database } from './engines/database/database.ts'
import { openLogs } from './open-logs.ts'
import { createFolder, lockFolder } from './engines/database/folder.ts'
import { createHubServers, type HubServers } from './surface/hubs.ts'
import type { JoinedServers } from './surface/cluster/join.ts'
import { isElsewhere, looksAfter } from './fleet/shared-connections.ts'
import { installation } from './engines/process/installation.ts'
import { identityProvidersOf } from './providers/providers.ts'
import { Listeners } from './network/listeners.ts'
import type { Log, RootLog } from './ground/log.ts'
import type { LogFile } from './engines/process/log-file.ts'
import { scratchDirectoryOf } from './engines/flow/scratch-file.ts'
import { transferLimit } from './files/transfer-limit.ts'
import { Mailer } from './people/mailer.ts'
import { openAgentPackages } from './agents/open-packages.ts'
import { lazyTls, identityStore } from './network/lazy-tls.ts'
import { createLive } from './call/live.ts'
import { openMirrors } from './call/mirrors/index.ts'
import { StreamBridge } from './engines/flow/stream-bridge.ts'
import { diskBudget, memoryBudget, resizeDiskBudget } from './engines/flow/transfer-budgets.ts'
import { ServedNetwork, type ReadInterfaces } from './network/served-network.ts'
import { Setup } from './identity/setup.ts'
import { migrations } from './engines/database/migrations/index.ts'
import { bindModels, schema } from './call/models.ts'
import { isSecondFactorMissing } from './people/unfinished-account.ts'
import { closeInterruptedRecordings } from './recordings/interrupted.ts'
import { moveGuests } from './remote/terminals/guests.ts'
import { Relay } from './engines/relay/relay.ts'
import type { RestoreOnly } from './backup/restore-only.ts'
import { openKeyProtection } from './engines/secrets/key-protection.ts'
import { openSecretStore } from './engines/secrets/open.ts'
import { hasMasterKey, openSealer, requireMasterKey, type Sealer } from './engines/secrets/sealer.ts'
import { withNewestBackup } from './backup/backup-folder.ts'
import { isSealedBy, readHead } from './audit/chain.ts'
import { StartError } from './ground/start-error.ts'
import { bootstrap } from './identity/bootstrap.ts'
import { readAuthorities } from './settings/authorities.ts'
import { readStoredSettings } from './settings/server-settings.ts'
import { releaseKeyStore } from './agents/release-key-store.ts'
import { isUntouched } from './identity/registration.ts'
import { endConnection } from './agents/two-machines.ts'
import { closeInterruptedBatches } from './batches/batches.ts'
import { startOfRun } from './health/server-runs.ts'
import { onlyServer, SharedServers, type Servers } from './health/servers.ts'
import { pushDevice, pushRemoval } from './devices/push-devices.ts'
import { ReleaseKeys } from './engines/tls/release-keys.ts'
import { ConnectionLimits, readMachine } from './engines/http/web/connection-limits.ts'
import { addressMatcher } from './engines/http/web/remote-address.ts'
import { SocketGate } from './engines/http/web/sockets.ts'
import { trustedProxies } from './settings/trusted-proxies.ts'
import { InputBudget } from './engines/flow/input-budget.ts'
import type { Telemetry } from './surface/telemetry/telemetry.ts'
import type { UpdateHost } from './updates/program-host.ts'
import { settleRuns } from './updates/runs.ts'

/** Dependencies from the host process; tests replace single members. */
export interface Dependencies {
  log: RootLog
  clock?: Clock
  /** Store of the master key; `auto` prefers the keychain. */
  secretStore?: 'auto' | 'keychain' | 'file'
  /** Source folder of this server, whose scripts build agents. */
  checkout?: string
  /** Reads the network interfaces of this machine. */
  readInterfaces?: ReadInterfaces
  /** UDP port of announcements. */
  multicastPort?: number
  /** Stops this server and starts it again; undefined where the host cannot. */
  restart?: () => void
  /** File that the log is written to, for its readers on the Server page. */
  logFile?: LogFile | undefined
  /** Folder in which a service with its own account announces itself to the windows of this computer. */
  announceIn?: string | undefined
  /** How this copy of the program can be replaced. */
  updateHost?: UpdateHost
  /** Whether a server that cannot open its data keeps running, to offer a restore; otherwise its start fails. */
  offersRestore?: boolean
  /** Public keys of releases; by default the keys in the program. */
  releaseKeys?: readonly string[]
}

/** Dependencies, with the telemetry that follows the components. */
type Observed = Dependencies & { telemetry?: Telemetry | undefined; restoreOnly?: RestoreOnly }

/** The server before a restart may still be shutting down, which takes at most 8 s. */
const restoreWaitMs = 15_000

/** Stops one component of the server. */
export type Stop = () => Promise<void> | void
/** Registers a component to stop, in order of its start. */
export type OnStop = (stop: Stop) => void

/** Components opened before anything is served. */
export interface Opened {
  app: App
  relay: Relay
  hubServers: HubServers
  unprovedInput: InputBudget
  /** Joins this server with others of the same database, if the settings say so. */
  joined: JoinedServers | undefined
  telemetry: Telemetry | undefined
  differences(): Promise<string[]>
}

/** Carries out a restore that was planned by the page, or interrupted. */
async function finishRestore(directory: string, log: Log): Promise<void> {
  if (!isReplacementPlanned(directory)) {
    return
  }
  await createFolder(directory)
  const { unlock } = await lockFolder(directory, log, restoreWaitMs)
  try {
    const aside = await finishReplacement(directory)
    log.warn({ aside }, 'Files of the data folder were replaced, as planned before this start.')
  } finally {
    await unlock()
  }
}

/** The other servers of the database, if the settings join several. */
const openServers = async (config: Config, deps: Parameters<typeof SharedServers.open>[0]): Promise<Servers> =>
  config.cluster.redisUrl === undefined ? onlyServer : SharedServers.open(deps, config.cluster.nodeUrl ?? '')

const joinHint =
  'Run "secrets share FILE" on a server that uses the database, and "secrets join FILE" here with an empty data folder.'

interface StoreDependencies extends Observed {
  clock: Clock
  database: Database
}

/** Opens the models, the secrets, and the audit log that they seal. */
async function openStores(config: Config, { database, clock, log, ...deps }: StoreDependencies, onStop: OnStop) {
  const secretStore = await openSecretStore({
    directory: config.dataDirectory,
    preference: deps.secretStore ?? 'auto',
    protection: await openKeyProtection(config.keyProtectionOptions),
    log,
  })
  const models = bindModels(database.sequelize)
  // With existing data, a new master key would hide the loss of the old key.
  const { User, TlsIdentity, ReleaseKey } = models
  const counts = await Promise.all([User.count(), TlsIdentity.count(), ReleaseKey.count()])
  const head = await readHead(database)
  const isShared = config.cluster.redisUrl !== undefined
  const mayCreate = counts.every((count) => count === 0) && !(isShared && head)
  if (isShared && !mayCreate && !(await hasMasterKey(secretStore))) {
    throw new StartError(
      `The data folder ${config.dataDirectory} does not have the secrets of this database. ${joinHint}`,
    )
  }
  const sealer = await openSealer(secretStore, { mayCreate })
  if (isShared && head && !isSealedBy(sealer, head)) {
    throw new StartError(`The data folder ${config.dataDirectory} has other secrets than this database. ${joinHint}`)
  }
  // Throws with another master key: the first use may be much later.
  await identityStore({ database, models, sealer }).load()
  const servers = await openServers(config, { database, clock, log, models, version: installation.version })
  onStop(() => servers.close())
  const logs = await openLogs(
    { directory: config.dataDirectory, database, models, sealer, servers, clock, log },
    onStop,
  )
  return { models, secretStore, sealer, servers, ...logs }
}

/** Opens the foundation of the service. An error about damaged data names the newest backup and how to restore it. */
export const openApp = (given: Config, deps: Observed, onStop: OnStop): Promise<Opened> =>
  open(given, deps, onStop).catch(async (error: unknown) => {
    throw await withNewestBackup(error, given.dataDirectory)
  })

/** Notes what became of a device. Called for each heartbeat. */
function followChange(app: App, before: DeviceState, after: DeviceState): void {
  // Every server knows which conditions hold: any of them may get the work of storing alerts.
  noteDeviceForAlerts(app, after)
  if (before.connectionId !== after.connectionId && app.cluster && isElsewhere(app.cluster, after.connectionId)) {
    moveGuests(app, after.id)
  }
  if (looksAfter(app, after.connectionId || before.connectionId)) {
    noteDevice(app.events, before, after, () => app.alertWatches.of(after.id).length > 0)
  }
}

/** Drops what is kept in memory of a deleted device, and tells its subscribers. */
function followRemoval(app: App, deviceId: string): void {
  app.histories.delete(deviceId)
  app.events.forget(deviceId)
  app.alertSignals.forgetDevice(deviceId)
  pushRemoval(app, deviceId)
}

/** Id of a database that a dump of it, restored elsewhere, does not have. */
const databaseIdSql = `SELECT CAST(system_identifier AS TEXT) || '/' ||
  (SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()) AS id FROM pg_control_system()`

/** Joins this server with others of its database. Servers alone do not load what that needs. */
async function joinServers(
  { cluster: { redisUrl, redisRootCert, nodeUrl, drainDelayMs } }: Config,
  { database, ...deps }: { id: string; database: Database; sealer: Sealer; clock: Clock; log: Log },
): Promise<JoinedServers | undefined> {
  if (redisUrl === undefined) {
    return undefined
  }
  const redisCa = readAuthorities(redisRootCert, 'Service_Cluster__RedisRootCert')
  const { JoinedServers: Joined } = await import('./surface/cluster/join.ts')
  const [row] = await database.all<{ id: string }>(databaseIdSql)
  const { version } = installation
  return new Joined({ redisUrl, redisCa, nodeUrl, drainDelayMs, version, databaseId: row?.id ?? '', ...deps })
}

/** Opens the database, in the data folder or on a database server, with what a restore has put there. */
async function openData(config: Config, { log, telemetry }: Observed): Promise<Database> {
  const { version } = installation
  const directory = config.dataDirectory
  await finishRestore(directory, log)
  const postgres = postgresOf(config)
  if (postgres) {
    const { importRestored } = await import('./backup/restored-database.ts')
    const lockWaitMs = restoreWaitMs
    await importRestored({ directory, postgres, migrations, appVersion: version, log, lockWaitMs })
  }
  return openDatabase({
    directory,
    migrations,
    schema,
    postgres,
    log: log.child({ category: 'Database' }),
    observer: telemetry?.writes,
    appVersion: version,
    identityQuery: 'SELECT 1 FROM tls_identity',
  })
}

/** Closes what servers that ended have left open: the start does so where no other server runs, else the server with the work. */
export async function closeInterrupted(app: App): Promise<void> {
  await closeInterruptedBatches(systemCall(app))
  await closeInterruptedRecordings(systemCall(app))
}

/** Closes what the last runs of servers left open. */
async function settle(app: App): Promise<void> {
  await settleRuns(app)
  if (app.servers.others.length === 0) {
    await closeInterrupted(app)
  }
}

/** Counts connections, as many as this machine and the settings allow. */
function limitSockets(appOptions: Config['appOptions'], clock: Clock, isServer: (address: string) => boolean) {
  const connectionLimits = new ConnectionLimits(readMachine(), appOptions)
  const isProxy = addressMatcher(trustedProxies(appOptions))
  const ofAddress = (address: string) => connectionLimits.ofSocket(address, isProxy(address) || isServer(address))
  return { connectionLimits, sockets: new SocketGate({ total: connectionLimits.total, ofAddress }, clock) }
}

interface HubDependencies {
  clock: Clock
  log: Log
  unprovedInput: InputBudget
  joined: JoinedServers | undefined
}

/** Opens the hubs, which accept no connections yet, and the limits of connections. */
function openHubs({ appOptions }: Config, { clock, log, unprovedInput, joined }: HubDependencies) {
  const isServer = (address: string) => joined?.isServer(address) === true
  const { connectionLimits, sockets } = limitSockets(appOptions, clock, isServer)
  const hubServers = createHubServers({
    clock,
    log: log.child({ category: 'Hubs' }),
    detailedErrors: appOptions.enableSignalrDetailedErrors,
    unprovedInput,
    maxConnectionsOf: (address) => connectionLimits.ofPeer(address),
    joined: joined?.hubs,
  })
  return { hubServers, connectionLimits, sockets }
}

/** Opens database, secrets, clients, mirrors and live state. */
async function open(given: Config, deps: Observed, onStop: OnStop): Promise<Opened> {
  const { log, clock = systemClock, telemetry } = deps
  const { version } = installation
  const storedSettings = new StoredSettings(given, () => resizeDiskBudget(transferDisk, transferLimit({ config })))
  const { config } = storedSettings
  const transferDisk = diskBudget(transferLimit({ config }), () => app.tenants.size)
  const database = await openData(config, deps)
  onStop(() => database.close())
  const { models, secretStore, sealer, servers, audit, events, places } = await openStores(
    config,
    { ...deps, clock, database },
    onStop,
  )
  const { agentRelease, agentBuilds } = await openAgentPackages(config, { ...deps, clock }, onStop)
  storedSettings.apply(await readStoredSettings({ models, sealer, log }))
  const mail = new Mailer({ config, log: log.child({ category: 'Mail' }), around: telemetry?.mail })
  onStop(() => mail.close())
  const { appOptions } = config
  const unprovedInput = new InputBudget()
  /** Leaves the async context of the write whose commit is followed: the end of a connection writes for itself. */
  const outsideOfWrites = AsyncLocalStorage.snapshot()
  const joined = await joinServers(config, { id: servers.id, database, sealer, clock, log })
  onStop(() => joined?.close())
  const { hubServers, connectionLimits, sockets } = openHubs(config, { clock, log, unprovedInput, joined })
  const hubs = hubServers.clients
  const relay = new Relay({ clock, log: log.child({ category: 'Relay' }), gate: rightsGate(database) })
  const live = createLive({ clock, log, config, tenants: () => app.tenants.size, visits: telemetry?.visits })
  const { mirrors, differences, stop } = await openMirrors(
    { database, models, clock, log, shared: joined?.connections(hubServers.agents) },
    {
      changed: (device) => pushDevice(app, device),
      removed: (deviceId) => followRemoval(app, deviceId),
      replaced: (before, after) => followChange(app, before, after),
      connectionEnded: (connectionId, displacedFrom) =>
        outsideOfWrites(() => endConnection(app, connectionId, displacedFrom)),
      credentialsChanged: () =>
        hubs.viewer.disconnect((principal) => !principal.isLive() || isSecondFactorMissing(app, principal)),
      permissionsChanged: () => live.runningWork.checkAll(),
    },
  )
  onStop(stop)
  places.of = (id) => mirrors.fleet.get(id)
  const tls = lazyTls({ config, clock, log, database, models, sealer }, onStop)
  const app: App = {
    ...mirrors,
    ...live,
    streams: new StreamBridge(clock, scratchDirectoryOf(config), transferDisk),
    transferMemory: memoryBudget(() => app.tenants.size),
    transferDisk,
    config,
    storedSettings,
    logFile: deps.logFile,
    restart: deps.restart,
    version,
    startedAt: await startOfRun({ models, clock, servers }),
    secretStore: secretStore.kind,
    checkSecretStore: () => requireMasterKey(secretStore),
    sealer,
    servers,
    cluster: joined?.cluster,
    remoteBytes: joined?.remoteBytes,
    audit,
    events,
    clock,
    log,
    database,
    models,
    mail,
    identityProviders: identityProvidersOf(appOptions, () => clock.now()),
    agentRelease,
    agentBuilds,
    hubs,
    relay: joined?.relay(relay) ?? relay,
    sockets,
    connectionLimits,
    tls,
    releaseKeys: new ReleaseKeys(releaseKeyStore({ database, models, sealer })),
    setup: new Setup(
      deps.restoreOnly !== undefined ||
        (!appOptions.disableFirstUserSelfRegistration && (await isUntouched({ models }))),
      mirrors.accounts,
      { isOfPerson: deps.announceIn === undefined, shared: joined?.setupSecret },
    ),
    listeners: new Listeners({ clock, log: log.child({ category: 'Listening' }), tls }),
    network: new ServedNetwork(),
    announcer: createAnnouncer(log, deps.multicastPort === undefined ? {} : { port: deps.multicastPort }),
    readInterfaces: deps.readInterfaces ?? networkInterfaces,
    // An update copies the data folder before it, and with PostgreSQL the data is elsewhere.
    updateHost: database.kind === 'postgres' ? undefined : deps.updateHost,
    restoreOnly: deps.restoreOnly,
    releaseTrust: deps.releaseKeys ?? installation.releaseKeys,
  }
  joined?.opened(app)
  // A server that offers a restore has no accounts: with one, nobody could restore.
  if (!deps.restoreOnly) {
    await bootstrap(systemCall(app))
  }
  await settle(app)
  return { app, relay, hubServers, unprovedInput, joined, telemetry, differences }
}
