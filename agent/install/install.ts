import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Options } from '../base/arguments.ts'
import { textOf, UserError } from '../base/errors.ts'
import { createFactsReader, machineName } from '../device/facts.ts'
import { makePrivateFolder, refusePreparedFolder } from '../platform/folders.ts'
import { platform } from '../platform/index.ts'
import type { Paths } from '../base/paths.ts'
import { pathsFor } from '../platform/paths.ts'
import { printable } from '../base/plain-text.ts'
import { ensureRegistered } from '../link/registration.ts'
import { describeDevice } from '../device/reporter.ts'
import { loadSettings, type Settings } from '../trust/settings.ts'
import { readState, runningPid, type AgentState } from '../device/state.ts'
import { expectedServer } from '../trust/enrollment.ts'
import { readEncounter } from '../trust/encounters.ts'
import { describeServer } from '../trust/problems.ts'
import { agentVersion } from '../base/version.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import { background } from './background.ts'
import { foreignAgent } from './foreign-agent.ts'
import { availableManagers } from './managers.ts'
import type { ServiceManager, ServiceSpec } from '../platform/service-manager.ts'
import { commandForPeople, serviceSpec } from './service.ts'
import {
  installedBundle,
  ownVersion,
  removeOtherVersions,
  saveInstalledBundle,
  switchTo,
  versionBefore,
} from './versions.ts'

/** Timeout in ms for the agent to start: on a busy device whose virus scanner reads a new program, 10 s are too few. */
const startTimeoutMs = 45_000
/** Timeout in ms for the started agent to come online. Updates and MSI packages are rolled back after the timeout. */
const onlineTimeoutMs = 45_000

const print = (line: string) => process.stdout.write(`${printable(line)}\n`)

/**
 * Stops agents under other service managers. Keeps the background process of an update: `best` restarts that process
 * itself.
 */
async function stopOthers(spec: ServiceSpec, [best, ...others]: [ServiceManager, ...ServiceManager[]]) {
  const isOwn = await best.isInstalled(spec)
  for (const manager of others) {
    if ((await manager.isInstalled(spec)) && !(isOwn && manager === background)) {
      await manager.stop(spec)
    }
  }
}

function lastLogLine({ logFolder }: Paths) {
  try {
    return readFileSync(join(logFolder, 'LogFile.log'), 'utf8').trimEnd().split('\n').at(-1) ?? ''
  } catch {
    return ''
  }
}

/** Polls the state file of the started agent until it is no longer "connecting", or the agent has ended for good. */
async function waitForAnswer(manager: ServiceManager, paths: Paths, pidBefore: number | undefined) {
  const readNew = (): AgentState | undefined => {
    const state = readState(paths)
    return state?.pid === pidBefore ? undefined : state
  }
  let until = Date.now() + startTimeoutMs
  let state = readNew()
  while (Date.now() < until && (!state || state.state === 'connecting') && !manager.hasEnded?.()) {
    await new Promise((done) => setTimeout(done, 100))
    const isStarted = state !== undefined
    state = readNew()
    if (state && !isStarted) {
      until = Date.now() + onlineTimeoutMs
    }
  }
  return state?.state === 'connecting' && manager.hasEnded?.() ? undefined : state
}

function problemOf(state: AgentState | undefined, paths: Paths): string | undefined {
  if (!state) {
    return `The agent did not start. Last line of its log: ${lastLogLine(paths) || '(none)'}`
  }
  if (state.state === 'refused') {
    return `The agent is running, but ${state.serverUri} rejects this device: ${state.detail}`
  }
  return state.state === 'connecting'
    ? `The agent is running and keeps retrying, but is not online yet. ${state.detail}`
    : undefined
}

/**
 * Starts a version (without one: this program) and waits until the agent is online. Returns the problem, or undefined.
 */
async function bringOnline(manager: ServiceManager, spec: ServiceSpec): Promise<string | undefined> {
  const { version, paths } = spec
  const pidBefore = runningPid(paths)
  if (version !== undefined && platform.program.isLinked) {
    switchTo(paths, version)
  }
  const folder = manager.privateFolder?.(paths)
  if (folder !== undefined) {
    makePrivateFolder(folder)
  }
  await manager.install(spec)
  saveInstalledBundle(paths, version)
  return problemOf(await waitForAnswer(manager, paths, pidBefore), paths)
}

/**
 * Starts this program's version. A failed update is rolled back and throws; a failed installation stays in place and
 * keeps retrying. Returns why the agent is not online.
 */
async function replaceVersion(manager: ServiceManager, spec: ServiceSpec, options: Options, version: string) {
  const { paths } = spec
  const before = manager.startedVersion ? await manager.startedVersion(spec) : versionBefore(paths)
  const isUpdate = !options.installerKeyId && before !== undefined && before !== version
  if (!isUpdate) {
    // Saved before the start: a first installation that is killed afterwards still gets updates.
    saveInstalledBundle(paths, version)
  }
  const bundleBefore = installedBundle(paths)
  const online = bringOnline(manager, spec)
  const problem = await (isUpdate ? online.catch(textOf) : online)
  if (problem === undefined) {
    removeOtherVersions(paths, version, before)
  } else if (isUpdate) {
    print(problem)
    writeFileAtomically(paths.bundleFile, bundleBefore)
    await bringOnline(manager, serviceSpec(options, paths, before))
    throw new UserError('The new agent did not come online, so the previous version was restored.')
  }
  return problem
}

/**
 * Registers the device, installs the agent as a service, and prints whether the agent is online. Throws `UserError`
 * unless online.
 */
export async function install(options: Options): Promise<void> {
  const paths = pathsFor(options)
  const readFacts = createFactsReader()
  const settings = await ensureRegistered(
    paths,
    options,
    async ({ AppOptions }) =>
      describeDevice({ deviceId: AppOptions.DeviceId, tenantId: AppOptions.TenantId }, await readFacts()),
    { always: true, say: print },
  )
  if (options.installerKeyId) {
    print(`Registered device ${settings.AppOptions.DeviceId} with ${settings.AppOptions.ServerUri}.`)
  }
  const version = ownVersion(paths)
  const spec = serviceSpec(options, paths, version)
  const managers = await availableManagers()
  const [manager] = managers
  await stopOthers(spec, managers)
  const problem = await (version === undefined
    ? bringOnline(manager, spec)
    : replaceVersion(manager, spec, options, version))
  print(`Started as ${manager.describe(spec)}. Log: ${join(paths.logFolder, 'LogFile.log')}`)
  if (manager.note) {
    print(manager.note(spec))
  }
  print(`To see its status: ${commandForPeople('status', options)}`)
  print(`To remove the agent: ${commandForPeople('uninstall', options)}`)
  if (problem !== undefined) {
    throw new UserError(problem)
  }
  print(`Device ${machineName()} is online.`)
}

/** Prints the installation and its state. Throws `UserError` unless online. */
export async function status(options: Options): Promise<void> {
  const paths = pathsFor(options)
  refusePreparedFolder(paths.settingsFolder)
  const settings = loadSettings(paths)
  print(`Farhand agent ${agentVersion}, settings in ${paths.settingsFolder}`)
  if (!settings) {
    throw new UserError(
      foreignAgent(options) ?? 'This device is not registered. Run "install" with the command from the Deploy page.',
    )
  }
  const { ServerUri, DeviceId } = settings.AppOptions
  const state = readState(paths)
  print(`Server ${state?.serverUri ?? ServerUri}, device id ${DeviceId}`)
  print(await describeTrust(settings.AppOptions))
  const spec = serviceSpec(options, paths)
  for (const manager of await availableManagers()) {
    if (await manager.isInstalled(spec)) {
      print(`Kept running as ${manager.describe(spec)}`)
      break
    }
  }
  const encounter = readEncounter(paths)
  if (encounter) {
    const { atMs, address, expected, seen, isTold } = encounter
    print(
      `${new Date(atMs).toISOString()}: another server answered at ${address}: expected ${expected}, seen ${seen}. ` +
        `Nothing was sent to it${isTold ? '; your server was notified' : ''}.`,
    )
  }
  if (!state) {
    throw new UserError(
      runningPid(paths) ? 'The agent is starting.' : 'The agent is not running. Start it with "run" or "install".',
    )
  }
  const since = `since ${new Date(state.sinceMs).toISOString()}`
  if (state.state !== 'online') {
    throw new UserError(`Not online ${since}: ${state.detail || 'connecting'}`)
  }
  print(`Online as ${state.deviceName} ${since}.`)
}

async function describeTrust(known: Settings['AppOptions']): Promise<string> {
  const server = expectedServer(known)
  if (server) {
    return `Enrolled with ${await describeServer(server)} and connects to no other server.`
  }
  return new URL(known.ServerUri).protocol === 'https:'
    ? 'Unpinned: trusts any server at that address whose certificate this system trusts.'
    : 'Unpinned and not encrypted: trusts any server at that address. Install it again with a command that has --server-pin.'
}
