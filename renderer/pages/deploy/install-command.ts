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
  /** Installs for the current user, without administrator rights. */
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

function unixCommand(command: InstallCommand, fileName: string) {
  const file = quoteForShell(`/tmp/${fileName}`)
  const url = quoteForShell(command.serverUrl + command.downloadUrl)
  const elevate = command.isUserOnly ? '' : 'sudo '
  return `curl -fsSL ${url} -o ${file} && ${elevate}sh ${file} install ${argumentsOf(command, quoteForShell)}`
}

function windowsCommand(command: InstallCommand, fileName: string) {
  const file = `"$env:TEMP\\${fileName.replaceAll(/[`"$]/g, '')}"`
  const url = quoteForPowerShell(command.serverUrl + command.downloadUrl)
  const list = quoteForPowerShell(`install ${argumentsOf(command, quoteForWindows)}`)
  const elevate = command.isUserOnly ? ' -Wait -NoNewWindow' : ' -Verb RunAs'
  return [
    "$ProgressPreference='SilentlyContinue'",
    `Invoke-WebRequest -Uri ${url} -OutFile ${file} -UseBasicParsing`,
    `Start-Process -FilePath ${file} -ArgumentList ${list}${elevate}`,
  ].join('; ')
}

/** The line that somebody runs on a machine to make it a device. */
export function installCommand(command: InstallCommand) {
  const fileName = command.downloadUrl.split('/').at(-1) || 'agent-installer'
  return command.system === 'windows' ? windowsCommand(command, fileName) : unixCommand(command, fileName)
}
