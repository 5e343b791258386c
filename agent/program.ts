import { parseCommandLine, usage, type Command, type Options } from './config.ts'
import { install, status, uninstall } from './install/install.ts'
import { run } from './run.ts'
import { UserError } from './settings.ts'
import { agentVersion } from './version.ts'

const programs: Record<Command, (options: Options) => Promise<void>> = { run, install, uninstall, status }

/** Runs the command line and returns the exit status: 0 success, 1 failure, 2 wrong options. */
async function statusOf(args: readonly string[]): Promise<number> {
  const line = parseCommandLine(args)
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
    await programs[line.command](line.options)
    return 0
  } catch (error) {
    const isExpected = error instanceof UserError
    process.stderr.write(`Error: ${isExpected ? error.message : String((error as Error).stack)}\n`)
    return 1
  }
}

/** The agent: carries out the command line and ends the process. */
export async function main(args: readonly string[]): Promise<void> {
  process.exit(await statusOf(args))
}
