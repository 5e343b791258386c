import type { ApplianceServer, RunningServer } from './surface/appliance-server.ts'
import { runCommand } from './commands.ts'
import { parseArguments, type Arguments } from './settings/arguments.ts'
import { ConfigError } from './settings/config-error.ts'
import { printConfigTable } from './settings/key-table.ts'
import { environment, loadConfig, type Config, type ConfigInput } from './settings/config.ts'
import { greeting, terminalLog } from './surface/terminal-log.ts'
import { endOnFatalErrors } from './engines/process/fatal-errors.ts'
import { installation } from './engines/process/installation.ts'
import { createLog } from './ground/log.ts'
import { printable } from './ground/printable.ts'
import { openLogFile } from './engines/process/log-file.ts'
import { becomeService } from './engines/process/windows-service.ts'
import type { Dependencies } from './open-app.ts'
import { StartError } from './ground/start-error.ts'
import { supervisedHost } from './updates/supervised.ts'
import { Mutex } from '../shared/mutex.ts'
import { surviveLostOutput } from '../shared/standard-streams.ts'

/** Defaults of the host of this program. */
export type HostDefaults = Pick<ConfigInput, 'defaults' | 'workingDirectory'>

/** Builds the server; passed in, because it is built above this file. */
type CreateApp = (config: Config, deps: Dependencies) => ApplianceServer

const say = (line: string) => process.stdout.write(`${line}\n`)

/** A signal after this time ends the drain: a process manager and the keeper each send one for the same stop. */
const secondSignalMs = 1_000

/** Failures whose text includes the solution; others are printed with their stack. */
const forPeople = [ConfigError, StartError]

const usage = `Usage: ${installation.program} [options]    runs the server
       ${installation.program} COMMAND      COMMAND --help explains it; ends with 0, or with 1 for a problem

  account         the way back in: accounts, passwords, second factors, administrators
  audit verify    checks the audit log
  backup          writes a backup, or checks that the newest one can be restored
  doctor          health of the server that runs on the data folder, or of the folder
  move-database   from the data folder to PostgreSQL, or back
  recovery-key    shows, makes or checks the key that opens backups
  restore         puts a backup in place of the data
  secrets         where the master key is, and secrets for a second server
  service         installs, shows or removes the service; "service status" ends with 3 while it does not run
  update          newer versions, and the way back

  --config FILE       settings file (JSON)
  --version           version of this program
  --headless          no window; this program never has one
  --announce FOLDER   tells windows of this computer in that folder how to reach the server; for services
  --env=NAME=VALUE    variable of the environment; for services of Windows
  --as-service        answers the service control manager of Windows, which starts this program
  --help              this text

Settings come from a file and from the environment:
`

/** Prints where a server listens. */
function announce({ urls, problem, ...running }: RunningServer, dataDirectory: string): void {
  if (problem !== null) {
    process.stderr.write(`${problem}\n`)
  }
  for (const url of urls) {
    say(problem === null ? `Listening on ${url}` : `Restore a backup on ${url}`)
  }
  if (running.setupCode !== null) {
    const purpose = problem === null ? 'create the first account' : 'restore a backup'
    say(`Setup code: ${running.setupCode} (to ${purpose} from another computer)`)
  }
  if (process.stdout.isTTY && problem === null) {
    greeting({ ...running, problem }, dataDirectory).forEach(say)
  }
}

/** Ends the process after a failed restart. */
function fail(error: unknown): never {
  process.stderr.write(printable(`${explain(error)}\n`))
  process.exit(1)
}

/** The message for people, else the stack. */
const explain = (error: unknown): string =>
  error instanceof Error && forPeople.some((kind) => error instanceof kind)
    ? error.message
    : String((error as Error).stack)

/** Runs the server until a signal. */
async function serve(
  config: Config,
  createApp: CreateApp,
  { announceIn }: Pick<Arguments, 'announceIn'>,
): Promise<void> {
  // Messages for people go to standard output, the log to a file or to standard error: JSON, unless that is a terminal.
  const { logLevel, directory: logDirectory } = config.logging
  const logFile = logDirectory === undefined ? undefined : openLogFile(logDirectory)
  const onTerminal = process.stderr.isTTY && !logFile ? terminalLog((text) => process.stderr.write(text)) : undefined
  const log = createLog(logLevel, logFile ?? onTerminal ?? process.stderr, {
    hasDatabaseDetails: config.appOptions.enableDatabaseDetailedErrors,
  })
  for (const warning of config.warnings) {
    log.warn({}, warning)
  }
  const supervised = supervisedHost()
  const changes = new Mutex()
  let stoppingSince: number | undefined
  const drain = new AbortController()
  const create = () =>
    createApp(config, {
      log,
      logFile,
      restart,
      announceIn,
      offersRestore: true,
      ...(supervised && { updateHost: supervised.host }),
    })
  const start = async () => {
    const running = await server.start()
    if (running.problem === null) {
      supervised?.listening(running.urls)
    }
    announce(running, config.dataDirectory)
  }
  const restart = () =>
    void changes
      .run(async () => {
        await server.stop(drain.signal)
        if (stoppingSince === undefined) {
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
  const stop = (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > secondSignalMs) {
        drain.abort()
      }
      return
    }
    stoppingSince = performance.now()
    log.info({ signal }, 'Stopping.')
    void changes.run(() => server.stop(drain.signal)).then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  supervised?.onEnd(stop)
  try {
    await start()
  } finally {
    onTerminal?.release()
  }
}

/** Returns whether the server runs; false after a command. */
async function run(args: readonly string[], createApp: CreateApp, defaults: HostDefaults): Promise<boolean> {
  const { help, version, configFile, command, env, asService, ...host } = parseArguments(args)
  if (help) {
    say(usage)
    say(printConfigTable())
    return false
  }
  if (version) {
    say(installation.version)
    return false
  }
  const load = () => loadConfig({ env: { ...environment(), ...env }, configFile, ...defaults })
  if (command) {
    process.exitCode = await runCommand(command, { say, loadConfig: load })
    return false
  }
  // A child of the keeper has a channel to it, and the keeper is the service.
  if (asService && !process.send) {
    await becomeService()
  }
  await serve(load(), createApp, host)
  return true
}

/**
 * The headless server: reads settings, listens, and stops on a signal. A failed start prints a message and sets the
 * exit status. Returns whether the server runs.
 */
export async function main(args: readonly string[], createApp: CreateApp, host: HostDefaults = {}): Promise<boolean> {
  surviveLostOutput(process.stdout, process.stderr)
  try {
    return await run(args, createApp, host)
  } catch (error) {
    process.stderr.write(printable(`${explain(error)}\n`))
    process.exitCode = 1
    if (args.includes('--as-service')) {
      // The thread that answers Windows would hold this process.
      process.exit()
    }
    return false
  }
}
