import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { Pin } from '../../shared/server-identity.ts'

/** What the command line asked for. Ids are lower case; an absent option is undefined. */
export interface Options {
  serverUri?: string
  /** Key that the server at that address shows now. */
  serverPin?: Pin
  tenantId?: string
  installerKeyId?: string
  installerKeySecret?: string
  instanceId?: string
  deviceTags?: string[]
  deviceId?: string
  customer?: string
  dataDir?: string
  /** Set by the service definitions: the log goes to a file too. */
  asService?: boolean
}

export const commands = ['run', 'install', 'uninstall', 'status', 'discover'] as const
export type Command = (typeof commands)[number]

/** What the agent starts for each desktop; nobody types it. */
export const desktopCommand = 'desktop'

export type CommandLine =
  { command: Command; options: Options } | { command: 'help' } | { command: 'version' } | { problems: string[] }

const guidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function guid(name: string, value: string) {
  if (!guidPattern.test(value)) {
    throw new Error(`${name} must be a GUID such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301, not "${value}"`)
  }
  return value.toLowerCase()
}

/** The origin alone: request paths are absolute, so a server lives at the root of its origin. */
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

/** Service definitions, logs and commands to copy hold this path, each in a line. */
function folder(name: string, value: string) {
  if (/\p{Cc}/u.test(value)) {
    throw new Error(`${name} must not hold control characters`)
  }
  return resolve(value)
}

/** Whoever is on the machine can list what stands on a command line, but not the environment of somebody else's program. */
const secretVariable = 'FARHAND_INSTALLER_KEY_SECRET'

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
    help: 'lets several agents live on one device',
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
    // The installer has checked it by now.
    read: () => ({}),
  },
  {
    names: ['--data-dir'],
    value: 'FOLDER',
    help: 'where settings and logs live',
    read: (name, value) => ({ dataDir: folder(name, value) }),
  },
]

const optionTable = definitions
  .map(({ names, value, help }) => `  ${`${names.join(', ')} ${value}`.padEnd(40)}${help}`)
  .join('\n')

export const usage = `Farhand agent: makes this device reachable through a Farhand server.

  Farhand.Agent install -s URI -t GUID -ki GUID    register this device and keep the agent running
  Farhand.Agent run                                serve in the foreground; registers first when given a key
  Farhand.Agent status                             tell whether the agent runs and is online, and if not, why
  Farhand.Agent discover                           list the Farhand servers on the networks of this device
  Farhand.Agent uninstall                          stop the agent and remove it
  Farhand.Agent --help | --version

Options:
${optionTable}
`

/** Options that must be there together, as sentences. */
function missing(command: Command, given: ReadonlySet<string>, environmentSecret: string | undefined): string[] {
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
    (command === 'install' || has('-ki')) && !has('-sp') && !has('-s') && '-s (--server-uri) is missing',
    (command === 'install' || has('-ki') || has('-s')) && !has('-t') && '-t (--tenant-id) is missing',
  ].filter((problem) => typeof problem === 'string')
}

const definitionOf = (name: string) => definitions.find(({ names }) => names.includes(name))

/** `--name=value` as its two parts; anything else is a name alone. */
const splitArgument = (argument: string): [string, string?] => {
  const at = argument.startsWith('--') ? argument.indexOf('=') : -1
  return at < 0 ? [argument] : [argument.slice(0, at), argument.slice(at + 1)]
}

function readOptions(args: readonly string[]) {
  const options: Options = {}
  const problems: string[] = []
  /** Short names of the options that are there, whether their values are good or not. */
  const given = new Set<string>()
  const rest = [...args]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [name, inline] = splitArgument(argument)
    const definition = definitionOf(name)
    if (name === '--as-service') {
      options.asService = true
    } else if (!definition) {
      problems.push(`unknown option "${name}"`)
    } else {
      given.add(definition.names[0])
      // A value that looks like an option is one: "-t -ki" lacks the tenant, it does not name one.
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
 * Reads the arguments after the program name; every problem is reported, not only the first. A secret from the
 * environment is that of the key which the arguments name.
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
  problems.push(...missing(command, given, environmentSecret))
  if (options.installerKeyId && environmentSecret !== undefined) {
    options.installerKeySecret ??= environmentSecret
  }
  return problems.length > 0 ? { problems } : { command, options }
}

export const isRoot = process.getuid?.() === 0

/** What the folder rules and the service definitions need to know of the environment. */
export const environment = {
  home: homedir(),
  programData: process.env['ProgramData'] ?? 'C:\\ProgramData',
  programFiles: process.env['ProgramFiles'] ?? 'C:\\Program Files',
  windows: process.env['SystemRoot'] ?? 'C:\\Windows',
}

/** The secret of the installer key, if the environment holds it; no program that we start finds it there. */
export function takeEnvironmentSecret(): string | undefined {
  const secret = process.env[secretVariable]
  delete process.env[secretVariable]
  return secret === '' ? undefined : secret
}

/** The environment with some variables added. */
export const withEnvironment = (variables: Record<string, string>) => ({ ...process.env, ...variables })

/** The desktop that this process belongs to. */
export const ownDesktop = { display: process.env['DISPLAY'], authorityFile: process.env['XAUTHORITY'] }

/** Where the system keeps programs that everybody may start; nobody but root writes there. */
export const programFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/snap/bin']

/**
 * All that the process of a desktop starts with, beside what belongs to the desktop: nothing of the agent's own but whom it
 * trusts besides the system, for that process connects to the relay.
 */
export function desktopEnvironment(variables: Record<string, string>): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => /^(LANG|LC_\w+|TZ|NODE_EXTRA_CA_CERTS)$/.test(name))
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: programFolders.join(':'), ...variables }
}

/** Variables that a shell in a terminal starts with; the agent's own surroundings are not the user's business. */
export function shellEnvironment(): Record<string, string> {
  const isKept = (name: string) =>
    process.platform === 'win32' ||
    /^(PATH|LANG|LC_\w+|TZ|XDG_RUNTIME_DIR|DISPLAY|DBUS_SESSION_BUS_ADDRESS)$/.test(name)
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]),
    ),
  )
}
