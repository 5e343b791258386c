import { resolve } from 'node:path'
import { guidPattern } from '../../shared/guid.ts'
import { Pin } from '../../shared/server-identity.ts'
import { secretVariable } from '../../shared/install-command.ts'

/** Parsed options of the command line. Ids are lower case; an absent option is undefined. */
export interface Options {
  serverUri?: string
  /** Pin of the key that the server at that address uses at present. */
  serverPin?: Pin
  tenantId?: string
  installerKeyId?: string
  installerKeySecret?: string
  instanceId?: string
  deviceTags?: string[]
  deviceId?: string
  customer?: string
  dataDir?: string
  /** Set by service definitions: writes the log to a file as well. */
  asService?: boolean
  /** Uninstalling leaves settings, key and log. */
  keepData?: boolean
  /** Removes the answers instead of listing them. */
  clear?: boolean
  /** Shows a window instead of text. */
  window?: boolean
}

export const commands = ['run', 'install', 'uninstall', 'status', 'discover', 'consent', 'visits'] as const
export type Command = (typeof commands)[number]

/** Internal command that the agent spawns for each desktop. */
export const desktopCommand = 'desktop'

/** Internal command that a service spawns as the helper of a desktop's process. */
export const secureDesktopCommand = 'secure-desktop'

/** Internal command that a desktop's process spawns to blank the screens, where nothing else restores them. */
export const blankCommand = 'blank-screens'

export type CommandLine =
  | { command: Command; options: Options }
  | { command: 'help' }
  | { command: 'version' }
  | { problems: string[] }

function guid(name: string, value: string) {
  if (!guidPattern.test(value)) {
    throw new Error(`${name} must be a GUID such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301, not "${value}"`)
  }
  return value.toLowerCase()
}

/** Parses an origin without a path: request paths are absolute, so a server is at the root of its origin. */
function origin(name: string, value: string) {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`${name} must be an absolute address such as https://farhand.example:5120, not "${value}"`)
  }
  return url.origin
}

function pin(name: string, value: string) {
  const { data } = Pin.safeParse(value)
  if (!data) {
    throw new Error(
      `${name} must be sha256// followed by base64 of 32 bytes, as the install command has it, not "${value}"`,
    )
  }
  return data
}

function instance(name: string, value: string) {
  if (!/^[A-Za-z0-9._-]*$/.test(value) || ['default', '.', '..'].includes(value.toLowerCase())) {
    throw new Error(`${name} may hold letters, digits, ".", "_" and "-", and must not be "default", not "${value}"`)
  }
  return value === '' ? undefined : value
}

/** Rejects control characters: service definitions, logs and printed commands hold this path, each in a single line. */
function folder(name: string, value: string) {
  if (/\p{Cc}/u.test(value)) {
    throw new Error(`${name} must not hold control characters`)
  }
  return resolve(value)
}

type Reader = (name: string, value: string) => Partial<Options>

interface OptionDefinition {
  names: readonly [string, ...string[]]
  value: string
  help: string
  read: Reader
}

const definitions: readonly OptionDefinition[] = [
  {
    names: ['-s', '--server-uri'],
    value: 'URI',
    help: 'address of the Farhand server',
    read: (name, value) => ({ serverUri: origin(name, value) }),
  },
  {
    names: ['-sp', '--server-pin'],
    value: 'PIN',
    help: 'key that this server shows (sha256//…); binds the device to it',
    read: (name, value) => ({ serverPin: pin(name, value) }),
  },
  {
    names: ['-t', '--tenant-id'],
    value: 'GUID',
    help: 'tenant that the device joins',
    read: (name, value) => ({ tenantId: guid(name, value) }),
  },
  {
    names: ['-ki', '--installer-key-id'],
    value: 'GUID',
    help: 'installer key that allows the device to register',
    read: (name, value) => ({ installerKeyId: guid(name, value) }),
  },
  {
    names: ['-ks', '--installer-key-secret'],
    value: 'TEXT',
    help: `secret of that key; better in ${secretVariable}, or "-" to be asked`,
    read: (_, value) => ({ installerKeySecret: value }),
  },
  {
    names: ['-i', '--instance-id'],
    value: 'NAME',
    help: 'name of this agent where a device has several',
    read: (name, value) => ({ instanceId: instance(name, value) }),
  },
  {
    names: ['-g', '--device-tags'],
    value: 'GUID,GUID',
    help: 'tags of the device; they replace those it has',
    read: (_, value) => ({ deviceTags: value.split(',').filter((tag) => guidPattern.test(tag)) }),
  },
  {
    names: ['-d', '--device-id'],
    value: 'GUID',
    help: 'id of the device; otherwise the one it has, or a new one',
    read: (name, value) => ({ deviceId: guid(name, value) }),
  },
  {
    names: ['-c', '--customer'],
    value: 'GUID',
    help: 'customer of the device',
    read: (name, value) => ({ customer: guid(name, value) }),
  },
  {
    names: ['--bundle-sha256'],
    value: 'HEX',
    help: 'for the installer: the only bundle that it may install',
    // Already verified by the installer.
    read: () => ({}),
  },
  {
    names: ['--data-dir'],
    value: 'FOLDER',
    help: 'where settings and logs live',
    read: (name, value) => ({ dataDir: folder(name, value) }),
  },
]

const flags = new Map<string, Options>([
  ['--as-service', { asService: true }],
  ['--keep-data', { keepData: true }],
  ['--clear', { clear: true }],
  ['--window', { window: true }],
])

const optionTable = [
  ...definitions.map(({ names, value, help }) => [`${names.join(', ')} ${value}`, help] as const),
  ['--keep-data', 'with uninstall: leaves settings, key and log where they are'] as const,
  ['--clear', 'with consent: removes all answers, so that everybody is asked again'] as const,
  ['--window', 'with visits: shows them in a window'] as const,
]
  .map(([name, help]) => `  ${name.padEnd(40)}${help}`)
  .join('\n')

export const usage = `Farhand agent: makes this device reachable through a Farhand server.

  Farhand.Agent install -s URI -t GUID -ki GUID    register this device and keep the agent running
  Farhand.Agent install                            start this version on a device that is registered
  Farhand.Agent run                                serve in the foreground; registers first when given a key
  Farhand.Agent status                             show whether the agent runs and is online, and if not, why
  Farhand.Agent consent                            list whom people here let in without a question, or --clear
  Farhand.Agent visits                             list who was at this device and did what; any user may, with --window too
  Farhand.Agent discover                           list the Farhand servers on the networks of this device
  Farhand.Agent uninstall                          stop the agent and remove it with its settings, key and log
  Farhand.Agent --help | --version

Options:
${optionTable}
`

/** Lists options that are required together but missing, as sentences. */
function missing(given: ReadonlySet<string>, environmentSecret: string | undefined): string[] {
  const has = (name: string) => given.has(name)
  const hasSecret = has('-ks') || environmentSecret !== undefined
  return [
    has('-ks') &&
      !has('-ki') &&
      '-ki (--installer-key-id) is missing; -ks (--installer-key-secret) is the secret of that key',
    has('-ki') &&
      !hasSecret &&
      `the secret of the key is missing: put it in ${secretVariable}, or give "-ks -" to be asked`,
    has('-sp') && !has('-s') && '-s (--server-uri) is missing; -sp (--server-pin) is the key of that server',
    has('-ki') && !has('-sp') && !has('-s') && '-s (--server-uri) is missing',
    (has('-ki') || has('-s')) && !has('-t') && '-t (--tenant-id) is missing',
  ].filter((problem) => typeof problem === 'string')
}

const definitionOf = (name: string) => definitions.find(({ names }) => names.includes(name))

/** Splits `--name=value`; any other argument is a name only. */
const splitArgument = (argument: string): [string, string?] => {
  const at = argument.startsWith('--') ? argument.indexOf('=') : -1
  return at < 0 ? [argument] : [argument.slice(0, at), argument.slice(at + 1)]
}

function readOptions(args: readonly string[]) {
  const options: Options = {}
  const problems: string[] = []
  /** Short names of the given options, with valid or invalid values. */
  const given = new Set<string>()
  const rest = [...args]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [name, inline] = splitArgument(argument)
    const definition = definitionOf(name)
    if (flags.has(argument)) {
      Object.assign(options, flags.get(argument))
    } else if (!definition) {
      problems.push(`unknown option "${name}"`)
    } else {
      given.add(definition.names[0])
      // An option is no value: in "-t -ki" the tenant is missing.
      const hasValue = rest[0] !== undefined && !definitionOf(splitArgument(rest[0])[0])
      const value = inline ?? (hasValue ? rest.shift() : undefined)
      try {
        if (value === undefined) {
          throw new Error(`${name} needs a value (${definition.value})`)
        }
        Object.assign(options, definition.read(name, value))
      } catch (error) {
        problems.push((error as Error).message)
      }
    }
  }
  return { options, problems, given }
}

/**
 * Parses the arguments after the program name and reports every problem, not only the first. A secret from the
 * environment belongs to the key id in the arguments.
 */
export function parseCommandLine(args: readonly string[], environmentSecret?: string): CommandLine {
  if (args.length === 0 || args.includes('--help') || args.includes('-h') || args[0] === 'help') {
    return { command: 'help' }
  }
  if (args.includes('--version')) {
    return { command: 'version' }
  }
  const command = commands.find((name) => name === args[0])
  const { options, problems, given } = readOptions(args.slice(1))
  if (!command) {
    return { problems: [`unknown command "${args[0]}"; it is one of ${commands.join(', ')}`, ...problems] }
  }
  problems.push(...missing(given, environmentSecret))
  if (options.keepData && command !== 'uninstall') {
    problems.push('--keep-data is an option of "uninstall"')
  }
  if (options.clear && command !== 'consent') {
    problems.push('--clear is an option of "consent"')
  }
  if (options.window && command !== 'visits') {
    problems.push('--window is an option of "visits"')
  }
  if (options.installerKeyId && environmentSecret !== undefined) {
    options.installerKeySecret ??= environmentSecret
  }
  return problems.length > 0 ? { problems } : { command, options }
}
