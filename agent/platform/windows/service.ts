import { dirname, join, relative } from 'node:path/win32'
import { environment } from '../../base/environment.ts'
import { quoteArgument } from '../../../shared/windows/command-line.ts'
import { type ServiceDefinition, WindowsServices } from '../../../shared/windows/services.ts'
import { events, registerEventSource, writeEvent } from './event-log.ts'
import { agentVersion } from '../../base/version.ts'
import { writeFileAtomically } from '../../base/write-file.ts'
import { runOrExplain } from '../../base/run-tool.ts'
import type { ServiceManager, ServiceSpec } from '../service-manager.ts'
import { listUnderApps, removeFromApps } from './apps.ts'
import { forbidSafeMode } from './safe-mode.ts'
import { UserError } from '../../base/errors.ts'
import { nativeFunctions } from '../../base/native-functions.ts'

/** Services of this device; its functions reject with a `UserError`. */
export const services = nativeFunctions((koffi) => new WindowsServices(koffi, UserError))

/** Command for people, at a stable path; it names a version. */
export const commandFile = 'Farhand.Agent.cmd'

/** SID of the Users group: the process of a desktop runs as its user and must be able to read the program. */
const everyUser = '*S-1-5-32-545'

export const serviceName = ({ instanceId }: { instanceId?: string | undefined }): string =>
  `Farhand.Agent${instanceId ? ` (${instanceId})` : ''}`

/**
 * Definition of the service: Node itself answers the service control manager (service-process.ts). The command line is
 * the only place that names the version, and Windows replaces it in one step.
 */
export const serviceDefinition = (spec: ServiceSpec): ServiceDefinition => ({
  name: serviceName(spec),
  displayName: serviceName(spec),
  description: 'Keeps this device reachable for its Farhand server.',
  commandLine: spec.run.map(quoteArgument).join(' '),
  restartDelayMs: 5_000,
  quietSeconds: 60,
})

/** Writes the command file at a path that updates do not change. */
function writeCommandFile({ version, paths: { programFolder } }: ServiceSpec) {
  if (version !== undefined) {
    const at = (name: string) => `"%~dp0${relative(programFolder, join(version, name))}"`
    writeFileAtomically(join(programFolder, commandFile), `@${at('node.exe')} ${at('main.js')} %*\r\n`)
  }
}

/** Lets users read the program: the process of a desktop runs as its user. */
const openToReaders = (folder: string) =>
  runOrExplain(
    join(environment.windows, 'System32', 'icacls.exe'),
    folder,
    '/grant',
    `${everyUser}:(OI)(CI)RX`,
    '/t',
    '/q',
  )

export const windowsService: ServiceManager = {
  describe: (spec) => `Windows service ${serviceName(spec)}`,
  isAvailable: async () => true,
  isInstalled: async (spec) => (await services()).has(serviceName(spec)),
  async startedVersion(spec) {
    const [, program] = /^"?([^"]+)/.exec((await (await services()).commandLineOf(serviceName(spec))) ?? '') ?? []
    return program === undefined ? undefined : dirname(program)
  },
  privateFolder: ({ programFolder }) => programFolder,
  async install(spec) {
    const { programFolder } = spec.paths
    await openToReaders(programFolder)
    const manager = await services()
    await manager.define(serviceDefinition(spec))
    writeCommandFile(spec)
    await manager.stop(serviceName(spec))
    await manager.start(serviceName(spec))
    await listUnderApps(spec)
    await registerEventSource()
    await writeEvent(
      events.installed,
      `Version ${agentVersion} of the Farhand agent was installed in ${programFolder} as the service "${serviceName(spec)}".`,
    )
  },
  stop: async (spec) => (await services()).stop(serviceName(spec)),
  async uninstall(spec) {
    const manager = await services()
    await manager.stop(serviceName(spec))
    await manager.remove(serviceName(spec))
    await removeFromApps(spec)
    await forbidSafeMode(serviceName(spec))
    await writeEvent(events.uninstalled, `The Farhand agent with the service "${serviceName(spec)}" was uninstalled.`)
  },
}
