import { createApp } from './app.ts'
import { parseArguments } from './config/arguments.ts'
import { ConfigError } from './config/problem.ts'
import { printConfigTable } from './config/table.ts'
import { environment, loadConfig } from './config.ts'
import { createLog } from './log.ts'
import { StartError } from './start-error.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Names of the configuration's log levels in the logger's words. */
const logLevels = {
  Trace: 'trace',
  Debug: 'debug',
  Information: 'info',
  Warning: 'warn',
  Error: 'error',
  Critical: 'fatal',
  None: 'silent',
} as const

/** Failures whose text says what to do; others show where they happened. */
const forPeople = [ConfigError, StartError]

const usage = `Usage: node dist/server/main.js [options]

  --config FILE   settings file (JSON)
  --headless      no window; this program never has one
  --help          this text

Settings come from a file and from the environment:
`

/** The service without a window: settings from arguments and environment, then one line for each address. */
async function run(): Promise<void> {
  const { help, configFile } = parseArguments(process.argv.slice(2))
  if (help) {
    say(usage)
    say(printConfigTable())
    return
  }
  const config = loadConfig({ env: environment(), configFile })
  // Lines for people go to standard output, the log to standard error.
  const log = createLog(logLevels[config.logging.logLevel.default], process.stderr)
  for (const warning of config.warnings) {
    log.warn({}, warning)
  }
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
  const { urls } = await server.start()
  for (const url of urls) {
    say(`Listening on ${url}`)
  }
}

run().catch((error: unknown) => {
  const isForPeople = error instanceof Error && forPeople.some((kind) => error instanceof kind)
  process.stderr.write(`${isForPeople ? error.message : String((error as Error).stack)}\n`)
  process.exitCode = 1
})
