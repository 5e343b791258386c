import { ConfigError } from './problem.ts'

/** Commands about copies of the data and its secrets. */
export const backupCommands: ReadonlySet<string> = new Set(['backup', 'restore', 'recovery-key', 'secrets'])

/** Options of the headless command line. */
export interface Arguments {
  help: boolean
  configFile: string | undefined
  /** Arguments of the command `account`; undefined runs the server. */
  account: string[] | undefined
  /** A command about backups with its arguments; undefined runs the server or another command. */
  backup: string[] | undefined
  /** Command `audit verify`; undefined runs the server or `account`. */
  command: 'audit verify' | undefined
}

/**
 * Parses the arguments after the script's name; `--headless` is accepted and ignored. Throws a `ConfigError` that lists
 * all unknown arguments.
 */
export function parseArguments(argv: readonly string[]): Arguments {
  const found: Arguments = {
    help: false,
    configFile: undefined,
    account: undefined,
    backup: undefined,
    command: undefined,
  }
  const wrong: [option: string, message: string][] = []
  const rest = [...argv]
  if (rest[0] === 'audit' && rest[1] === 'verify') {
    found.command = 'audit verify'
    rest.splice(0, 2)
  }
  for (let option = rest.shift(); option !== undefined; option = rest.shift()) {
    const words = found.account ?? found.backup
    if (words && !option.startsWith('--config')) {
      words.push(option)
    } else if (backupCommands.has(option)) {
      found.backup = [option]
    } else if (option === 'account') {
      found.account = []
    } else if (option === '--help' || option === '-h') {
      found.help = true
    } else if (option === '--config' || option.startsWith('--config=')) {
      const file = option === '--config' ? rest.shift() : option.slice('--config='.length)
      if (file) {
        found.configFile = file
      } else {
        wrong.push([option, 'needs the name of a file'])
      }
    } else if (option !== '--headless') {
      wrong.push([option, 'is not an option; --help lists them'])
    }
  }
  if (wrong.length > 0) {
    throw new ConfigError(wrong.map(([key, message]) => ({ key, source: 'command line', message })))
  }
  return found
}
