import { systemClock } from '../ground/clock.ts'
import { loadConfig, environment } from '../settings/config.ts'
import { parseArguments } from '../settings/arguments.ts'
import { ConfigError } from '../settings/config-error.ts'
import { installation } from '../engines/process/installation.ts'
import { createLog } from '../ground/log.ts'
import { becomeService } from '../engines/process/windows-service.ts'
import { homeOf } from '../engines/process/program-home.ts'
import { Keeper } from './keeper.ts'

/** Whether the arguments run the server, with valid settings; the program itself explains what is wrong. */
function configToRun(args: readonly string[]) {
  try {
    const { help, command, configFile, env, asService } = parseArguments(args)
    return help || command ? undefined : { asService, ...loadConfig({ env: { ...environment(), ...env }, configFile }) }
  } catch (error) {
    if (error instanceof ConfigError) {
      return undefined
    }
    throw error
  }
}

/**
 * In an installation with versions beside each other, runs the current version as a child of this process, which
 * replaces it when it is updated. Returns false if this process is to be the server itself, or to run a command.
 */
export async function keepCurrentVersion(args: readonly string[]): Promise<boolean> {
  const home = process.send ? undefined : homeOf(installation.folder)
  const config = home && configToRun(args)
  if (!home || !config) {
    return false
  }
  const log = createLog(config.logging.logLevel, process.stderr)
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const keeper = new Keeper({ home, ownFolder: installation.folder, args, log, clock: systemClock, say })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => keeper.stop())
  }
  if (config.asService) {
    await becomeService()
  }
  process.exitCode = await keeper.run()
  if (config.asService) {
    process.exit()
  }
  return true
}
