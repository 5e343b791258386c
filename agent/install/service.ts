import { quoteForPowerShell } from '../../shared/power-shell.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { withEnvironment, type Command, type Options } from '../base/config.ts'
import type { Paths } from '../base/paths.ts'
import { UserError } from '../base/errors.ts'
import { programFile } from '../base/version.ts'

/** Service definition, independent of the service manager. */
export interface ServiceSpec {
  instanceId: string | undefined
  /** Program and arguments of the `run` command. */
  run: readonly [string, ...string[]]
  /** Program and arguments of the `uninstall` command. */
  uninstall: readonly [string, ...string[]]
  paths: Paths
}

/** Service manager of an operating system. */
export interface ServiceManager {
  /** Description for people, such as "systemd service farhand.agent.service". */
  describe(spec: ServiceSpec): string
  /** Whether this system has the service manager and the user may use it. */
  isAvailable(): Promise<boolean>
  isInstalled(spec: ServiceSpec): boolean | Promise<boolean>
  /** Registers (again) and starts the service. Throws `UserError`. */
  install(spec: ServiceSpec): Promise<void>
  /** Stops the running agent; the registration stays. */
  stop(spec: ServiceSpec): Promise<void>
  uninstall(spec: ServiceSpec): Promise<void>
  /** Note for the person after an installation with this manager. */
  note?(spec: ServiceSpec): string
}

/** Command line of this program for another command. */
export function programArguments(command: Command, { instanceId, dataDir }: Options): [string, ...string[]] {
  return [
    process.execPath,
    programFile(),
    command,
    ...(instanceId ? ['--instance-id', instanceId] : []),
    ...(dataDir ? ['--data-dir', dataDir] : []),
  ]
}

export function serviceSpec(options: Options, paths: Paths): ServiceSpec {
  const [program, ...args] = programArguments('run', options)
  const uninstall = programArguments('uninstall', options)
  return { instanceId: options.instanceId, run: [program, ...args, '--as-service'], uninstall, paths }
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
    const said = (stderr || stdout || message).trim()
    throw new UserError(`"${[file, ...args].join(' ')}" failed: ${said}`)
  }
}

/** Runs a program whose failure is ignored. */
export const tryRun = (file: string, ...args: string[]): Promise<boolean> =>
  runOrExplain(file, ...args).then(
    () => true,
    () => false,
  )
