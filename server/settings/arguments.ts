import { ConfigError } from './config-error.ts'

/** First words of the commands; every command explains itself with --help. */
export const commandNames = [
  'account',
  'audit',
  'backup',
  'doctor',
  'move-database',
  'recovery-key',
  'restore',
  'secrets',
  'service',
  'update',
] as const
export type CommandName = (typeof commandNames)[number]

export const isCommandName = (word: string): word is CommandName => (commandNames as readonly string[]).includes(word)

/** Options of the headless command line. */
export interface Arguments {
  help: boolean
  version: boolean
  configFile: string | undefined
  /** A command and its own arguments; undefined runs the server. */
  command: [CommandName, ...string[]] | undefined
  /** Variables for systems that give a service none; they win over those of the environment. */
  env: Record<string, string>
  /** Whether the service control manager of Windows starts this process. */
  asService: boolean
  /** Folder in which a service announces itself to the windows of this computer. */
  announceIn: string | undefined
}

/**
 * Parses the arguments after the script's name; `--headless` is accepted and ignored. Throws a `ConfigError` that lists
 * all unknown arguments.
 */
export function parseArguments(argv: readonly string[]): Arguments {
  const found: Arguments = {
    help: false,
    version: false,
    configFile: undefined,
    command: undefined,
    env: {},
    asService: false,
    announceIn: undefined,
  }
  const wrong: [option: string, message: string][] = []
  const rest = [...argv]
  for (let option = rest.shift(); option !== undefined; option = rest.shift()) {
    if (option === '--config' || option.startsWith('--config=')) {
      const file = option === '--config' ? rest.shift() : option.slice('--config='.length)
      if (file) {
        found.configFile = file
      } else {
        wrong.push([option, 'needs the name of a file'])
      }
    } else if (found.command) {
      found.command.push(option)
    } else if (isCommandName(option)) {
      found.command = [option]
    } else if (['--help', '-h', 'help'].includes(option)) {
      found.help = true
    } else if (option === '--version') {
      found.version = true
    } else if (option === '--as-service') {
      found.asService = true
    } else if (option.startsWith('--env=')) {
      const [name = '', value = ''] = option.slice('--env='.length).split(/=(.*)/s)
      found.env[name] = value
    } else if (option === '--announce') {
      found.announceIn = rest.shift()
    } else if (option !== '--headless') {
      wrong.push([option, `is ${option.startsWith('-') ? 'not an option' : 'no command'}; --help lists them`])
    }
  }
  if (wrong.length > 0) {
    throw new ConfigError(wrong.map(([key, message]) => ({ key, source: 'command line', message })))
  }
  return found
}
