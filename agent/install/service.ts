import { quoteForPowerShell } from '../../shared/power-shell.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { withEnvironment, type Command, type Options } from '../base/config.ts'
import type { Paths } from '../base/paths.ts'
import { UserError } from '../base/errors.ts'
import { programFile } from '../base/version.ts'

/** What is to be kept running, for every service manager. */
export interface ServiceSpec {
  instanceId: string | undefined
  /** Program and arguments of `run`. */
  run: readonly [string, ...string[]]
  /** The same of `uninstall`. */
  uninstall: readonly [string, ...string[]]
  paths: Paths
}

/** One way of keeping the agent running. */
export interface ServiceManager {
  /** As people call it: "systemd service farhand.agent.service". */
  describe(spec: ServiceSpec): string
  /** Whether this system has it and the user may use it. */
  isAvailable(): Promise<boolean>
  isInstalled(spec: ServiceSpec): boolean | Promise<boolean>
  /** Registers (again) and starts. Throws `UserError`. */
  install(spec: ServiceSpec): Promise<void>
  /** Ends the running agent; the registration stays. */
  stop(spec: ServiceSpec): Promise<void>
  uninstall(spec: ServiceSpec): Promise<void>
  /** What the person should know after an installation this way. */
  note?(spec: ServiceSpec): string
}

/** The command line of this very program for another of its commands. */
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

/** One word of a command line of `sh`. */
export const quoteForShell = (text: string): string => (isPlain(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** A command line that can be pasted into a shell; on Windows that is PowerShell. */
export const shellCommand = (args: readonly string[], system: NodeJS.Platform = process.platform): string =>
  system === 'win32'
    ? `& ${args.map((text) => (isPlain(text) ? text : quoteForPowerShell(text))).join(' ')}`
    : args.map(quoteForShell).join(' ')

const execute = promisify(execFile)

/** Runs a program of the system; a failure becomes a `UserError` that says which one and what it said. */
export const runOrExplain = (file: string, ...args: string[]): Promise<string> => runWith({}, file, ...args)

/** The same with variables added to the program's environment. */
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

/** Runs a program whose failure changes nothing. */
export const tryRun = (file: string, ...args: string[]): Promise<boolean> =>
  runOrExplain(file, ...args).then(
    () => true,
    () => false,
  )
