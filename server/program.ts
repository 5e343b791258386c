import { connect } from 'node:net'
import { accountCommand } from './account-command.ts'
import type { ApplianceServer } from './appliance-server.ts'
import { parseArguments } from './config/arguments.ts'
import { ConfigError } from './config/problem.ts'
import { printConfigTable } from './config/table.ts'
import { environment, loadConfig, type Config, type ConfigInput } from './config.ts'
import { greeting, terminalLog } from './console.ts'
import { doctorCommand } from './doctor-command.ts'
import { endOnFatalErrors } from './fatal-errors.ts'
import { createLog, type Log } from './log.ts'
import { openLogFile } from './log-file.ts'
import type { Dependencies } from './open-app.ts'
import { verifyAuditLog } from './verify-audit-log.ts'
import { serviceCommand } from './service-command.ts'
import { StartError } from './start-error.ts'
import { surviveLostOutput } from '../shared/standard-streams.ts'

/** Defaults of the host of this program. */
export type HostDefaults = Pick<ConfigInput, 'defaults' | 'workingDirectory'>

/** Builds the server; passed in, because it is built above this file. */
type CreateApp = (config: Config, deps: Dependencies) => ApplianceServer

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Failures whose text includes the solution; others are printed with their stack. */
const forPeople = [ConfigError, StartError]

const usage = `Usage: node dist/server/main.js [options]
       node dist/server/main.js account COMMAND   the way back in; account --help explains it
       node dist/server/main.js doctor            health of the server that runs on the data folder, or of the folder; status 1 for a problem
       node dist/server/main.js service COMMAND   install, status or uninstall the service; service --help explains it
       node dist/server/main.js audit verify      check the audit log, also while the server runs; status 1 if it was changed

  --config FILE   settings file (JSON)
  --headless      no window; this program never has one
  --stop-with PIPE    stop when this pipe or socket of the host closes; for hosts that send no signals
  --help          this text

Settings come from a file and from the environment:
`

/** Calls `stop` when a socket of the host closes that was open before. */
function stopWithSocket(path: string, log: Log, stop: () => void): void {
  let isOpen = false
  const socket = connect(path, () => (isOpen = true))
  socket.on('error', (error) =>
    log.warn({ err: error }, 'The pipe of the host cannot be opened: it ends this process.'),
  )
  socket.on('close', () => isOpen && stop())
  socket.resume()
}

/** Returns whether the server runs; false after a command. */
async function run(args: readonly string[], createApp: CreateApp, host: HostDefaults): Promise<boolean> {
  const { help, configFile, account, command, service, stopsWith } = parseArguments(args)
  if (help) {
    say(usage)
    say(printConfigTable())
    return false
  }
  const load = () => loadConfig({ env: environment(), configFile, ...host })
  if (account) {
    const log = createLog({ default: 'Warning' }, process.stderr)
    process.exitCode = await accountCommand(account, { say, loadConfig: load, deps: { log } })
    return false
  }
  if (service) {
    process.exitCode = await serviceCommand(service, { say, loadConfig: load })
    return false
  }
  if (command === 'doctor') {
    process.exitCode = await doctorCommand({
      say,
      loadConfig: load,
      log: createLog({ default: 'None' }, process.stderr),
    })
    return false
  }
  const config = load()
  if (command === 'audit verify') {
    process.exitCode = (await verifyAuditLog(config.dataDirectory, say)) ? 0 : 1
    return false
  }
  // Messages for people go to standard output, the log to a file or to standard error: JSON, unless that is a terminal.
  const { logLevel, directory: logDirectory, keptDays } = config.logging
  const logFile = logDirectory === undefined ? undefined : openLogFile(logDirectory, { keptDays })
  const onTerminal = process.stderr.isTTY && !logFile ? terminalLog((text) => process.stderr.write(text)) : undefined
  const log = createLog(logLevel, logFile ?? onTerminal ?? process.stderr, {
    hasDatabaseDetails: config.appOptions.enableDatabaseDetailedErrors,
  })
  for (const warning of config.warnings) {
    log.warn({}, warning)
  }
  const server = createApp(config, { log, logFile })
  endOnFatalErrors({
    log,
    dataDirectory: () => config.dataDirectory,
    stop: () => server.stop(),
    exit: () => process.exit(1),
  })
  let isStopping = false
  const stop = (signal: string) => {
    if (isStopping) {
      return
    }
    isStopping = true
    log.info({ signal }, 'Stopping.')
    void server.stop().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (stopsWith !== undefined) {
    stopWithSocket(stopsWith, log, () => stop('closed pipe'))
  }
  try {
    const { urls, ...running } = await server.start()
    for (const url of urls) {
      say(`Listening on ${url}`)
    }
    if (running.setupCode !== null) {
      say(`Setup code: ${running.setupCode} (to create the first account from another computer)`)
    }
    if (process.stdout.isTTY) {
      greeting(running, config.dataDirectory).forEach(say)
    }
  } finally {
    onTerminal?.release()
  }
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
    const isForPeople = error instanceof Error && forPeople.some((kind) => error instanceof kind)
    process.stderr.write(`${isForPeople ? error.message : String((error as Error).stack)}\n`)
    process.exitCode = 1
    return false
  }
}
