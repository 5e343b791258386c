import { createApp, type RunningServer } from './app.ts'
import { runCommand } from './commands.ts'
import { parseArguments } from './config/arguments.ts'
import { ConfigError } from './config/problem.ts'
import { printConfigTable } from './config/table.ts'
import { environment, loadConfig } from './config.ts'
import { greeting, terminalLog } from './console.ts'
import { endOnFatalErrors } from './fatal-errors.ts'
import { createLog } from './log.ts'
import { returnMemory } from './memory-return.ts'
import { openLogFile } from './log-file.ts'
import { StartError } from './start-error.ts'
import { Mutex } from '../shared/mutex.ts'
import { supervisedHost } from './supervised.ts'
import { surviveLostOutput } from '../shared/standard-streams.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Failures whose text includes the solution; others are printed with their stack. */
const forPeople = [ConfigError, StartError]

const usage = `Usage: node dist/server/main.js [options]
       node dist/server/main.js account COMMAND   the way back in; account --help explains it
       node dist/server/main.js backup [FILE]     write a backup; backup --help explains it, restore and recovery keys
       node dist/server/main.js doctor            health of the server that runs on the data folder, or of the folder; status 1 for a problem
       node dist/server/main.js service COMMAND   install, status or uninstall the service; service --help explains it
       node dist/server/main.js audit verify      check the audit log, also while the server runs; status 1 if it was changed
       node dist/server/main.js update COMMAND    newer versions and the way back; update --help explains it

  --config FILE   settings file (JSON)
  --headless      no window; this program never has one
  --stop-with-input   stop when standard input ends, for hosts that send no signals
  --help          this text

Settings come from a file and from the environment:
`

/** Prints where a server listens. */
function announce({ urls, ...running }: RunningServer, dataDirectory: string): void {
  for (const url of urls) {
    say(`Listening on ${url}`)
  }
  if (running.setupCode !== null) {
    say(`Setup code: ${running.setupCode} (to create the first account from another computer)`)
  }
  if (process.stdout.isTTY) {
    greeting(running, dataDirectory).forEach(say)
  }
}

/** Ends the process after a failed restart. */
function fail(error: unknown): never {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}

/** The message for people, else the stack. */
const explain = (error: unknown): string =>
  error instanceof Error && forPeople.some((kind) => error instanceof kind)
    ? error.message
    : String((error as Error).stack)

async function run(args: readonly string[]): Promise<void> {
  const { help, configFile, command, stopsWithInput } = parseArguments(args)
  if (help) {
    say(usage)
    say(printConfigTable())
    return
  }
  const load = () => loadConfig({ env: environment(), configFile })
  if (command) {
    process.exitCode = await runCommand(command, { say, loadConfig: load })
    return
  }
  const config = load()
  // Messages for people go to standard output, the log to a file or to standard error: JSON, unless that is a terminal.
  const { logLevel, directory: logDirectory, keptDays } = config.logging
  const logFile = logDirectory === undefined ? undefined : openLogFile(logDirectory, { keptDays })
  const onTerminal = process.stderr.isTTY && !logFile ? terminalLog((text) => process.stderr.write(text)) : undefined
  const log = createLog(logLevel, logFile ?? onTerminal ?? process.stderr)
  for (const warning of config.warnings) {
    log.warn({}, warning)
  }
  const supervised = supervisedHost()
  const changes = new Mutex()
  let isStopping = false
  const create = () => createApp(config, { log, logFile, restart, ...(supervised && { updateHost: supervised.host }) })
  const start = async () => {
    const running = await server.start()
    supervised?.listening(running.urls)
    announce(running, config.dataDirectory)
  }
  const restart = () =>
    void changes
      .run(async () => {
        await server.stop()
        if (!isStopping) {
          server = create()
          await start()
        }
      })
      .catch(fail)
  let server = create()
  endOnFatalErrors({
    log,
    dataDirectory: () => config.dataDirectory,
    stop: () => server.stop(),
    exit: () => process.exit(1),
  })
  const stop = (reason: string) => {
    if (isStopping) {
      return
    }
    isStopping = true
    log.info({ reason }, 'Stopping.')
    void changes.run(() => server.stop()).then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  supervised?.onEnd(stop)
  if (stopsWithInput) {
    process.stdin.on('end', () => stop('end of input')).resume()
  }
  try {
    await start()
    returnMemory()
  } finally {
    onTerminal?.release()
  }
}

/**
 * The headless server: reads settings, listens, and stops on a signal. A failed start prints a message and sets the
 * exit status.
 */
export async function main(args: readonly string[]): Promise<void> {
  surviveLostOutput(process.stdout, process.stderr)
  try {
    await run(args)
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  }
}
