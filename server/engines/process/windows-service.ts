import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
// The bundle has a `createRequire` of its own.
import { createRequire as requireFrom } from 'node:module'
import { win32 } from 'node:path'
import type { Koffi } from '../../../shared/windows/calls.ts'
import { quoteArgument } from '../../../shared/windows/command-line.ts'
import { administrators, folderSecurity } from '../../../shared/windows/folder-security.ts'
import { answerServiceManager } from '../../../shared/windows/service-process.ts'
import { WindowsServices, type ServiceDefinition } from '../../../shared/windows/services.ts'
import { StartError } from '../../ground/start-error.ts'
import type { ServiceManager, ServiceSpec, Step } from './os-service.ts'

const name = 'Farhand'
/** Virtual account of the service: no password, no rights but those given to it. */
const account = `NT SERVICE\\${name}`
/** Longer than the server takes to end in order after its drain. */
const stopHintMs = 15_000

/** Security identifier of a service's virtual account, which Windows derives from the name. */
export function serviceSid(service: string): string {
  const hash = createHash('sha1').update(Buffer.from(service.toUpperCase(), 'utf16le')).digest()
  return ['S-1-5-80', ...[0, 4, 8, 12, 16].map((at) => hash.readUInt32LE(at))].join('-')
}

/** Loads the package that calls Windows; other systems do not have it. */
const loadKoffi = () => requireFrom(import.meta.url)('koffi') as Koffi
const services = () => new WindowsServices(loadKoffi(), StartError)

/**
 * Answers the service control manager, which has started this process and ends it by the signal that other systems send.
 * Such a process ends by `process.exit` alone.
 */
export const becomeService = (): Promise<unknown> => answerServiceManager(loadKoffi(), { stopHintMs })

/**
 * Throws if somebody else made a folder or an entry in it, or may write there: owners and explicit entries of a folder
 * stay when its permissions are set (T36).
 */
function refusePrepared(folder: string): void {
  const { problemAlong, entryProblem } = folderSecurity(loadKoffi(), StartError)
  const trusted = [...administrators, serviceSid(name)]
  const problems = function* () {
    yield problemAlong(folder, trusted)
    for (const entry of existsSync(folder) ? readdirSync(folder) : []) {
      yield entryProblem(win32.join(folder, entry), trusted)
    }
  }
  const problem = problems().find((each) => each !== undefined)
  if (problem !== undefined) {
    throw new StartError(
      `The service was not installed: ${problem}. Check what is in it, move it away, and install the service again.`,
    )
  }
}

/** Definition of the service. Windows starts it again after a crash, at most five times in ten minutes. */
export const serviceDefinition = ({ command, environment }: ServiceSpec): ServiceDefinition => ({
  name,
  displayName: 'Farhand server',
  description: 'Remote device management server of Farhand.',
  // Microsoft documents no variables of a service. Electron starts nothing if a word with a colon is followed by others,
  // unless the word begins with a dash.
  commandLine: [
    ...command,
    '--as-service',
    ...Object.entries(environment).map(([variable, value]) => `--env=${variable}=${value}`),
  ]
    .map(quoteArgument)
    .join(' '),
  account,
  isDelayed: true,
  restartDelayMs: 5_000,
  maxRestarts: 5,
  quietSeconds: 600,
})

/** Windows service under a virtual account. */
export function windowsService(folders: {
  windows: string
  programData: string
  programFiles: string
}): ServiceManager {
  const system32 = (file: string) => win32.join(folders.windows, 'System32', file)
  // Below Program Files, where only administrators can create folders and everybody else can read.
  const windowFolder = win32.join(folders.programFiles, 'Farhand Service')
  const icacls = (...args: string[]): Step => ({ run: [system32('icacls.exe'), ...args, '/q'] })
  const grant = (folder: string, ...others: string[]) =>
    icacls(folder, '/inheritance:r', '/grant', '*S-1-5-32-544:(OI)(CI)F', '*S-1-5-18:(OI)(CI)F', ...others)
  /** Rights of the service, by its identifier: the account is there since the service is, and has no name before. */
  const ofService = (rights: string) => `*${serviceSid(name)}:(OI)(CI)${rights}`
  const unprepared = (folder: string): Step => ({
    purpose: `check that nobody else prepared ${folder}`,
    call: async () => refusePrepared(folder),
  })
  const stop: Step = { purpose: `stop the service ${name}`, call: () => services().stop(name) }
  return {
    describe: `Windows service ${name}`,
    account,
    windowFolder,
    dataDirectory: win32.join(folders.programData, 'Farhand'),
    // Made with the service, and removed with it.
    definition: windowFolder,
    windowOptions: [],
    keepsOutput: false,
    hasUserServices: false,
    install: (spec) => [
      unprepared(windowFolder),
      unprepared(spec.dataDirectory),
      stop,
      { folder: windowFolder, mode: 0o755 },
      grant(windowFolder, '*S-1-5-32-545:(OI)(CI)RX', ofService('M')),
      { folder: spec.dataDirectory, mode: 0o700 },
      icacls(spec.dataDirectory, '/setowner', '*S-1-5-32-544'),
      icacls(spec.dataDirectory, '/reset'),
      grant(spec.dataDirectory, ofService('F')),
      // Again: somebody could have written there before the permissions were set.
      unprepared(spec.dataDirectory),
      // Windows would start a service that is defined at the next boot, on a refused folder, too.
      {
        purpose: `define the service ${name}, run as ${account}: ${serviceDefinition(spec).commandLine}`,
        call: () => services().define(serviceDefinition(spec)),
      },
      { purpose: `start the service ${name}`, call: () => services().start(name) },
    ],
    uninstall: () => [
      stop,
      { purpose: `remove the service ${name}`, call: () => services().remove(name) },
      { remove: windowFolder },
    ],
    status: [system32('sc.exe'), 'query', name],
  }
}
