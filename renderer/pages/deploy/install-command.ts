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
/** One argument inside the argument line of a Windows program, where quotes are doubled by backslash. */
const quoteForWindows = (text: string) => (isPlain(text) ? text : `"${text.replaceAll('"', '\\"')}"`)

function argumentsOf(command: InstallCommand, quote: (text: string) => string) {
  const { serverUrl, tenantId, keyId, keySecret, instanceId } = command
  const pairs = [
    ['-s', serverUrl],
    ['-t', tenantId],
    ['-ki', keyId],
    ['-ks', keySecret],
    ...(instanceId ? [['-i', instanceId]] : []),
  ]
  return pairs.map(([name, value]) => `${name} ${quote(value!)}`).join(' ')
}

/** Works as root without sudo too, as containers do, and with whichever of the two downloaders is there. */
function unixCommand(command: InstallCommand) {
  const url = quoteForShell(command.serverUrl + command.downloadUrl)
  const elevate = command.isUserOnly ? '' : '$(command -v sudo) '
  const args = argumentsOf(command, quoteForShell)
  return `(curl -fsSL ${url} || wget -qO- ${url}) | ${elevate}sh -s -- install ${args}`
}

/** Always with administrator rights: the agent is a service there. */
function windowsCommand(command: InstallCommand) {
  const fileName = command.downloadUrl.split('/').at(-1)!.replaceAll(/[`"$]/g, '')
  const url = quoteForPowerShell(command.serverUrl + command.downloadUrl)
  const args = quoteForPowerShell(` install ${argumentsOf(command, quoteForWindows)}`)
  return [
    "$ProgressPreference='SilentlyContinue'",
    `$installer="$env:TEMP\\${fileName}"`,
    `Invoke-WebRequest -Uri ${url} -OutFile $installer -UseBasicParsing`,
    `Start-Process powershell.exe -Verb RunAs -ArgumentList (` +
      `'-NoProfile -ExecutionPolicy Bypass -File "' + $installer + '"' + ${args})`,
  ].join('; ')
}

/** The line that somebody runs on a machine to make it a device. */
export const installCommand = (command: InstallCommand) =>
  command.system === 'windows' ? windowsCommand(command) : unixCommand(command)
