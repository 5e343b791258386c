import { accountCommand } from './account-command.ts'
import { createApp } from './app.ts'
import { parseArguments } from './config/arguments.ts'
import { ConfigError } from './config/problem.ts'
import { printConfigTable } from './config/table.ts'
import { environment, loadConfig } from './config.ts'
import { greeting, terminalLog } from './console.ts'
import { createLog } from './log.ts'
import { verifyAuditLog } from './verify-audit-log.ts'
import { StartError } from './start-error.ts'
import { limitYoungGeneration } from './young-generation.ts'
import { surviveLostOutput } from '../shared/standard-streams.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Failures whose text includes the solution; others are printed with their stack. */
const forPeople = [ConfigError, StartError]

const usage = `Usage: node dist/server/main.js [options]
       node dist/server/main.js account COMMAND   the way back in; account --help explains it
       node dist/server/main.js audit verify      check the audit log, also while the server runs; status 1 if it was changed

  --config FILE   settings file (JSON)
  --headless      no window; this program never has one
  --help          this text

Settings come from a file and from the environment:
`

async function run(args: readonly string[]): Promise<void> {
  const { help, configFile, account, command } = parseArguments(args)
  if (help) {
    say(usage)
    say(printConfigTable())
    return
  }
  const load = () => loadConfig({ env: environment(), configFile })
  if (account) {
    const log = createLog({ default: 'Warning' }, process.stderr)
    process.exitCode = await accountCommand(account, { say, loadConfig: load, deps: { log } })
    return
  }
  const config = load()
  if (command === 'audit verify') {
    process.exitCode = (await verifyAuditLog(config.dataDirectory, say)) ? 0 : 1
    return
  }
  // Messages for people go to standard output, the log to standard error: JSON, unless that is a terminal.
  const onTerminal = process.stderr.isTTY ? terminalLog((text) => process.stderr.write(text)) : undefined
  const log = createLog(config.logging.logLevel, onTerminal ?? process.stderr)
  for (const warning of config.warnings) {
    log.warn({}, warning)
  }
  limitYoungGeneration()
  const server = createApp(config, { log })
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
    const isForPeople = error instanceof Error && forPeople.some((kind) => error instanceof kind)
    process.stderr.write(`${isForPeople ? error.message : String((error as Error).stack)}\n`)
    process.exitCode = 1
  }
}
