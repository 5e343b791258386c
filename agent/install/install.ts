import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { environment, type Options } from '../base/config.ts'
import { UserError } from '../base/errors.ts'
import { createFactsReader } from '../device/facts.ts'
import { refusePreparedFolder } from '../base/folders.ts'
import { pathsFor, type Paths } from '../base/paths.ts'
import { printable } from '../base/plain-text.ts'
import { ensureRegistered } from '../link/registration.ts'
import { describeDevice } from '../device/reporter.ts'
import { loadSettings, type Settings } from '../base/settings.ts'
import { readState, runningPid, type AgentState } from '../device/state.ts'
import { expectedServer } from '../trust/binding.ts'
import { readEncounter } from '../trust/encounters.ts'
import { describeServer } from '../trust/problems.ts'
import { agentVersion, programFile } from '../base/version.ts'
import { background } from './background.ts'
import { launchd } from './launchd.ts'
import { foreignAgent } from './foreign-agent.ts'
import { openrc } from './openrc.ts'
import { programArguments, serviceSpec, shellCommand, type ServiceManager, type ServiceSpec } from './service.ts'
import { systemd } from './systemd.ts'
import { windowsService } from './windows-service.ts'

/** Timeout for the agent to come online: with an installer key a person waits; an update is rolled back on timeout. */
const onlineTimeoutMs = ({ installerKeyId }: Options) => (installerKeyId ? 10_000 : 45_000)

const print = (line: string) => process.stdout.write(`${printable(line)}\n`)

/** Available service managers, best first; a background process is always possible. */
async function availableManagers(): Promise<[ServiceManager, ...ServiceManager[]]> {
  const native = [systemd, openrc, launchd, windowsService]
  const available = await Promise.all(native.map((manager) => manager.isAvailable()))
  const [best, ...others] = native.filter((_, index) => available[index])
  return best ? [best, ...others, background] : [background]
}

async function stopRunning(spec: ServiceSpec, managers: readonly ServiceManager[]) {
  for (const manager of managers) {
    if (await manager.isInstalled(spec)) {
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

/** Waits until the started agent reports that the server accepted or rejected the device. */
async function waitForAnswer(paths: Paths, options: Options): Promise<AgentState | undefined> {
  const until = Date.now() + onlineTimeoutMs(options)
  let state = readState(paths)
  while (Date.now() < until && (!state || state.state === 'connecting')) {
    await new Promise((done) => setTimeout(done, 100))
    state = readState(paths)
  }
  return state
}

/** Registers the device, installs and starts the service, and prints whether the device is online. */
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
  const spec = serviceSpec(options, paths)
  const managers = await availableManagers()
  await stopRunning(spec, managers)
  const [manager] = managers
  await manager.install(spec)
  const state = await waitForAnswer(paths, options)
  print(`Started as ${manager.describe(spec)}. Log: ${join(paths.logFolder, 'LogFile.log')}`)
  if (manager.note) {
    print(manager.note(spec))
  }
  print(`To see how it is: ${shellCommand(programArguments('status', options))}`)
  print(`To remove the agent: ${shellCommand(spec.uninstall)}`)
  if (!state) {
    throw new UserError(`The agent did not start. Last line of its log: ${lastLogLine(paths) || '(none)'}`)
  }
  if (state.state === 'refused') {
    throw new UserError(`The agent runs, but ${state.serverUri} refuses this device: ${state.detail}`)
  }
  if (state.state === 'connecting') {
    throw new UserError(`The agent runs and keeps trying, but is not online yet. ${state.detail}`)
  }
  print(`Device ${state.deviceName} is online.`)
}

/** Removes the program if the installer put it there; a source tree is kept. */
function removeProgram({ programFolder }: Paths) {
  if (resolve(dirname(programFile())) !== resolve(programFolder)) {
    return
  }
  if (process.platform === 'win32') {
    // Running programs cannot be deleted on Windows, so a detached command deletes the folder after the exit. Absolute
    // paths, because Windows searches the current folder first.
    const system = join(environment.windows, 'System32')
    const remove = `${join(system, 'ping.exe')} -n 3 127.0.0.1 >nul & rmdir /s /q "${programFolder}"`
    spawn(join(system, 'cmd.exe'), ['/c', remove], {
      cwd: system,
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
      windowsVerbatimArguments: true,
    }).unref()
  } else {
    rmSync(programFolder, { recursive: true, force: true })
  }
}

/**
 * Stops the agent and removes service and program; keeps the settings, so that a later installation has the same device
 * id.
 */
export async function uninstall(options: Options): Promise<void> {
  const paths = pathsFor(options)
  refusePreparedFolder(paths.settingsFolder)
  const spec = serviceSpec(options, paths)
  let isFound = false
  for (const manager of await availableManagers()) {
    if (await manager.isInstalled(spec)) {
      isFound = true
      const name = manager.describe(spec)
      await manager.uninstall(spec)
      print(`Removed the ${name}.`)
    }
  }
  const foreign = isFound ? undefined : foreignAgent(options)
  if (foreign) {
    throw new UserError(foreign)
  }
  // Read before the removal: the words of the fingerprint are a file of the program.
  const settings = loadSettings(paths)
  const server = settings && expectedServer(settings.AppOptions)
  const belonging = server ? ` and that it belongs to ${await describeServer(server)}` : ''
  removeProgram(paths)
  print(isFound ? 'The agent is uninstalled.' : 'No agent was installed or running here.')
  if (settings) {
    print(
      `Its settings stay in ${paths.settingsFolder}; delete that folder to forget the identity of this device${belonging}.`,
    )
  }
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
        `Nothing was sent to it${isTold ? '; your server knows' : ''}.`,
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

/** Describes the server that this device is enrolled with. */
async function describeTrust(known: Settings['AppOptions']): Promise<string> {
  const server = expectedServer(known)
  if (server) {
    return `It belongs to ${await describeServer(server)} and speaks to no other, wherever that is.`
  }
  return new URL(known.ServerUri).protocol === 'https:'
    ? 'It believes any server there whose certificate this system believes.'
    : 'It believes whoever has that address, and nothing is encrypted: install it again with a command that has --server-pin.'
}
