import {
  blankCommand,
  desktopCommand,
  parseCommandLine,
  secureDesktopCommand,
  usage,
  type Command,
  type Options,
} from '../base/arguments.ts'
import { takeEnvironmentSecret } from '../base/environment.ts'
import { textOf } from '../base/errors.ts'
import { install, status } from '../install/install.ts'
import { uninstall } from '../install/uninstall.ts'
import { printable } from '../base/plain-text.ts'
import { platform } from '../platform/index.ts'
import { run } from '../run.ts'
import { surviveLostOutput } from '../../shared/standard-streams.ts'
import { agentVersion } from '../base/version.ts'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Discards the terminal's echo. */
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Reads the first line of standard input; prompts at a terminal, without echo. */
async function readSecret(question: string): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) {
    process.stderr.write(question)
  }
  const lines = createInterface({ input: stdin, output: nowhere(), terminal: stdin.isTTY })
  try {
    for await (const line of lines) {
      return line.trim()
    }
    return ''
  } finally {
    lines.close()
    if (stdin.isTTY) {
      process.stderr.write('\n')
    }
  }
}

const programs: Record<Command, (options: Options) => Promise<void>> = {
  run,
  install,
  uninstall,
  status,
  consent: async (options) => (await import('./consent.ts')).showConsent(options),
  visits: async (options) => (await import('./visits.ts')).showVisits(options),
  discover: async (options) => (await import('./discover.ts')).discover(options),
}

/** Reads the secret from standard input if the option is "-". */
async function withSecret(options: Options): Promise<Options> {
  return options.installerKeySecret === '-'
    ? { ...options, installerKeySecret: await readSecret('Secret of the installer key: ') }
    : options
}

/** Serves a desktop to the agent that started this process; returns if the parent is no agent. */
async function runDesktop(argument = '') {
  const agent = platform.desktops.channelToAgent(argument)
  if (agent) {
    // Loaded only in this process: a crash of the capture or the encoder must not end the agent.
    const { serveDesktop } = await import('../desktop/main.ts')
    await serveDesktop(await platform.desktops.connector(), agent)
  }
}

/** Runs the command line and returns the exit status: 0 success, 1 failure, 2 wrong options. */
async function statusOf(args: readonly string[]): Promise<number> {
  if (args[0] === desktopCommand) {
    await runDesktop(args[1])
  }
  if (args[0] === blankCommand && platform.desktops.keepBlank) {
    await platform.desktops.keepBlank()
    return 0
  }
  if (args[0] === secureDesktopCommand && platform.desktops.serveSecureDesktop) {
    await platform.desktops.serveSecureDesktop(args.slice(1))
    return 0
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
    const text = printable(textOf(error))
    process.stderr.write(`Error: ${text}\n`)
    if (line.command === 'install') {
      await platform.program.noteFailure?.(text)
    }
    return 1
  }
}

/** Entry point of the agent: runs the command line and ends the process. */
export async function main(args: readonly string[]): Promise<void> {
  surviveLostOutput(process.stdout, process.stderr)
  process.exit(await statusOf(args))
}
