import { quoteForPowerShell } from '../../shared/power-shell.ts'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withEnvironment, type Command, type Options } from '../base/config.ts'
import { pathsFor, type Paths } from '../base/paths.ts'
import { UserError } from '../base/errors.ts'
import { programFile } from '../base/version.ts'
import { commandFile, ownVersion } from './versions.ts'

/** Service definition, independent of the service manager. */
export interface ServiceSpec {
  instanceId: string | undefined
  /** Program and arguments of the `run` command. */
  run: readonly [string, ...string[]]
  /** Program and arguments of the `uninstall` command. */
  uninstall: readonly [string, ...string[]]
  /** Folder of the installed version that starts; undefined for a program that no installer unpacked. */
  version?: string | undefined
  paths: Paths
}

/** Service manager of an operating system. */
export interface ServiceManager {
  /** Description for people, such as "systemd service farhand.agent.service". */
  describe(spec: ServiceSpec): string
  /** Whether this system has the service manager and the user may use it. */
  isAvailable(): Promise<boolean>
  isInstalled(spec: ServiceSpec): boolean | Promise<boolean>
  /**
   * Registers and restarts the service; can be repeated. An installation killed at any point leaves a definition that
   * starts the agent. Throws `UserError`.
   */
  install(spec: ServiceSpec): Promise<void>
  /**
   * Folder of the version that the definition starts. Only for managers whose definitions name that folder and not the
   * link `current`.
   */
  startedVersion?(spec: ServiceSpec): Promise<string | undefined>
  /** Ends the running agent; the registration stays. */
  stop(spec: ServiceSpec): Promise<void>
  uninstall(spec: ServiceSpec): Promise<void>
  /** Note for the person after an installation with this manager. */
  note?(spec: ServiceSpec): string
}

const optionsFor = (command: Command, { instanceId, dataDir }: Options) => [
  command,
  ...(instanceId ? ['--instance-id', instanceId] : []),
  ...(dataDir ? ['--data-dir', dataDir] : []),
]

/** Program and script that start a version; without a version, this program. */
function entryOf({ programFolder }: Paths, version: string | undefined): [string, string] {
  if (version === undefined) {
    return [process.execPath, programFile()]
  }
  return process.platform === 'win32'
    ? [join(version, 'node.exe'), join(version, 'main.js')]
    : [join(programFolder, 'node'), join(programFolder, 'main.js')]
}

/** Command line that runs another command of this program. */
export function programArguments(command: Command, options: Options): [string, ...string[]] {
  const paths = pathsFor(options)
  return [...entryOf(paths, ownVersion(paths)), ...optionsFor(command, options)]
}

/** Command line to show to people; updates do not change its paths. */
export function commandForPeople(command: Command, options: Options): string {
  const paths = pathsFor(options)
  const isNamed = process.platform === 'win32' && ownVersion(paths) !== undefined
  return shellCommand(
    isNamed
      ? [join(paths.programFolder, commandFile), ...optionsFor(command, options)]
      : programArguments(command, options),
  )
}

/** Service definition of a version; without a version, of this program. */
export function serviceSpec(options: Options, paths: Paths, version?: string): ServiceSpec {
  const entry = entryOf(paths, version)
  return {
    instanceId: options.instanceId,
    run: [...entry, ...optionsFor('run', options), '--as-service'],
    uninstall: [...entry, ...optionsFor('uninstall', options)],
    version,
    paths,
  }
}

const isPlain = (text: string) => /^[\w@%+=:,./-]+$/.test(text)

/** Quotes a word for `sh`. */
export const quoteForShell = (text: string): string => (isPlain(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Command line to paste into a shell; on Windows into PowerShell. */
export const shellCommand = (args: readonly string[], system: NodeJS.Platform = process.platform): string =>
  system === 'win32'
    ? `& ${args.map((text) => (isPlain(text) ? text : quoteForPowerShell(text))).join(' ')}`
    : args.map(quoteForShell).join(' ')

const execute = promisify(execFile)

/** Runs a system program; a failure becomes a `UserError` with the program's name and output. */
export const runOrExplain = (file: string, ...args: string[]): Promise<string> => runWith({}, file, ...args)

/** Works like `runOrExplain`, with variables added to the program's environment. */
export async function runWith(variables: Record<string, string>, file: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute(file, args, {
      timeout: 60_000,
      windowsHide: true,
      env: withEnvironment(variables),
    })
    return stdout
  } catch (error) {
    const { stderr, stdout, message } = error as Error & { stderr?: string; stdout?: string }
    const output = (stderr || stdout || message).trim()
    throw new UserError(`"${[file, ...args].join(' ')}" failed: ${output}`)
  }
}

/** Runs a program whose failure is ignored. */
export const tryRun = (file: string, ...args: string[]): Promise<boolean> =>
  runOrExplain(file, ...args).then(
    () => true,
    () => false,
  )
