import {
  desktopCommand,
  ownDesktop,
  parseCommandLine,
  takeEnvironmentSecret,
  usage,
  type Command,
  type Options,
} from './config.ts'
import { parentSocket } from './desktop/json-lines.ts'
import { textOf } from './errors.ts'
import { install, status, uninstall } from './install/install.ts'
import { run } from './run.ts'
import { readSecret } from './secret-input.ts'
import { agentVersion } from './version.ts'

const programs: Record<Command, (options: Options) => Promise<void>> = { run, install, uninstall, status }

/** A secret of "-" is read from standard input. */
async function withSecret(options: Options): Promise<Options> {
  return options.installerKeySecret === '-'
    ? { ...options, installerKeySecret: await readSecret('Secret of the installer key: ') }
    : options
}

/** Runs the command line and returns the exit status: 0 success, 1 failure, 2 wrong options. */
async function statusOf(args: readonly string[]): Promise<number> {
  const { display, authorityFile } = ownDesktop
  const agent = args[0] === desktopCommand ? parentSocket() : undefined
  if (agent && display !== undefined) {
    // Loaded there alone: a crash of what reads and encodes pictures must not take the agent along.
    const { serveDesktop } = await import('./desktop/main.ts')
    await serveDesktop({ display, ...(authorityFile !== undefined && { authorityFile }) }, agent)
  }
  const line = parseCommandLine(args, takeEnvironmentSecret())
  if ('problems' in line) {
    process.stderr.write(`${line.problems.map((problem) => `Error: ${problem}.`).join('\n')}\nTry --help.\n`)
    return 2
  }
  if (line.command === 'help') {
    process.stdout.write(usage)
    return 0
  }
  if (line.command === 'version') {
    process.stdout.write(`${agentVersion}\n`)
    return 0
  }
  try {
    await programs[line.command](await withSecret(line.options))
    return 0
  } catch (error) {
    process.stderr.write(`Error: ${textOf(error)}\n`)
    return 1
  }
}

/** The agent: carries out the command line and ends the process. */
export async function main(args: readonly string[]): Promise<void> {
  process.exit(await statusOf(args))
}
