import type { RuntimeId } from '../../../shared/dtos/agent-bundle.ts'

export const systems = ['linux', 'macos', 'windows'] as const
export type System = (typeof systems)[number]

/** Runtimes of a system, the most common one first, with the word that people know the processor by. */
export const runtimesOf: Record<System, { runtime: RuntimeId; processor: string }[]> = {
  linux: [{ runtime: 'linux-x64', processor: 'x64' }],
  macos: [
    { runtime: 'osx-arm64', processor: 'Apple silicon' },
    { runtime: 'osx-x64', processor: 'Intel' },
  ],
  windows: [
    { runtime: 'win-x64', processor: '64-bit' },
    { runtime: 'win-x86', processor: '32-bit' },
  ],
}

export interface InstallCommand {
  system: System
  /** Address that agents use, without a trailing slash. */
  serverUrl: string
  /** Path of the installer on the server. */
  downloadUrl: string
  tenantId: string
  keyId: string
  keySecret: string
  instanceId: string | null
  /** Installs for the current user, without administrator rights; not on Windows. */
  isUserOnly: boolean
}

// Everything in a command comes from our own server, yet only what is surely harmless goes unquoted into a shell.
const isPlain = (text: string) => /^[\w@%+=:,./-]+$/.test(text)
const quoteForShell = (text: string) => (isPlain(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
const quoteForPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`

function argumentsOf(command: InstallCommand, quote: (text: string) => string) {
  const { serverUrl, tenantId, keyId, instanceId } = command
  const pairs = [['-s', serverUrl], ['-t', tenantId], ['-ki', keyId], ...(instanceId ? [['-i', instanceId]] : [])]
  return pairs.map(([name, value]) => `${name} ${quote(value!)}`).join(' ')
}

/** Where installers find the secret: whoever is on the machine can list command lines, but not this. */
const secretVariable = 'FARHAND_INSTALLER_KEY_SECRET'

/**
 * Works as root without sudo too, as containers do, and with whichever of the two downloaders is there; the exit status
 * is that of the installer. The secret goes ahead of the script through the same pipe, and the blank in front keeps the
 * line out of the history of shells that are set so.
 */
function unixCommand(command: InstallCommand) {
  const url = quoteForShell(command.serverUrl + command.downloadUrl)
  const secret = quoteForShell(`${secretVariable}=${quoteForShell(command.keySecret)}`)
  const elevate = command.isUserOnly ? '' : '$(command -v sudo) '
  const args = argumentsOf(command, quoteForShell)
  return (
    ` (printf '%s\\n' ${secret}; curl -fsSL ${url} || wget -qO- ${url} || echo exit 1)` +
    ` | ${elevate}sh -s -- install ${args}`
  )
}

/**
 * For a session that has administrator rights: the agent is a service there. The script runs in that session, so there is
 * no file that another program could change before it runs.
 */
function windowsCommand(command: InstallCommand) {
  const url = quoteForPowerShell(command.serverUrl + command.downloadUrl)
  // Windows Server 2016 speaks no TLS that servers still speak unless it is told to.
  const tls = command.serverUrl.startsWith('https:') ? ["[Net.ServicePointManager]::SecurityProtocol='Tls12'"] : []
  return [
    `$env:${secretVariable}=${quoteForPowerShell(command.keySecret)}`,
    ...tls,
    `& ([scriptblock]::Create((New-Object Net.WebClient).DownloadString(${url}))) ` +
      `install ${argumentsOf(command, quoteForPowerShell)}`,
  ].join('; ')
}

/** The line that somebody runs on a machine to make it a device. */
export const installCommand = (command: InstallCommand) =>
  command.system === 'windows' ? windowsCommand(command) : unixCommand(command)
