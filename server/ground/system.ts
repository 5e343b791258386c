import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

export type Command = readonly [string, ...string[]]

/** Rules that differ between operating systems. */
interface System {
  /** Whether files have mode bits. */
  hasModes: boolean
  /** Whether the entries of a folder can be flushed; NTFS logs the change of a name instead. */
  flushesFolders: boolean
  /** Socket in a data folder for commands; undefined where named pipes stand in for sockets. */
  socketIn(directory: string): string | undefined
  /** Whether a process can be asked to end by a signal; Windows kills it. */
  hasSignals: boolean
  /** Name of the Node program in a server package. */
  nodeName: string
  /** Whether a program in a folder of administrators is replaced as administrator. */
  replacesAsAdministrator: boolean
  /** Command that runs a command as administrator, after the system has asked a person. */
  elevated(command: Command): Command
}

const forShell = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`
const forAppleScript = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
const forPowerShell = (word: string) => `'${word.replaceAll("'", "''")}'`

const linux: System = {
  hasModes: true,
  flushesFolders: true,
  socketIn: (directory) => join(directory, 'farhand.sock'),
  hasSignals: true,
  nodeName: 'node',
  replacesAsAdministrator: false,
  elevated: (command) => ['pkexec', ...command],
}

const darwin: System = {
  ...linux,
  elevated(command) {
    const script = `do shell script ${forAppleScript(command.map(forShell).join(' '))} with administrator privileges`
    return ['osascript', '-e', script]
  },
}

const win32: System = {
  hasModes: false,
  flushesFolders: false,
  socketIn: () => undefined,
  hasSignals: false,
  nodeName: 'node.exe',
  replacesAsAdministrator: true,
  elevated([program, ...args]) {
    const list = args.map((each) => forPowerShell(`"${each}"`)).join(',')
    const start = `Start-Process -FilePath ${forPowerShell(program)} -ArgumentList ${list} -Verb RunAs -Wait -PassThru`
    const script = `$ErrorActionPreference = 'Stop'; $started = ${start}; exit $started.ExitCode`
    return ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', script]
  },
}

export const systems = { linux, darwin, win32 }

/** Key of this system in tables with a row for each. */
export const systemName = process.platform
/** System and processor, as packages name them: `linux-x64`. */
export const packageSystem = `${process.platform}-${process.arch}` as const
export const system: System = (systems as Partial<Record<NodeJS.Platform, System>>)[systemName] ?? linux

/** Flushes the entries of a folder, so that a rename in it survives a power cut. */
export async function flushFolder(path: string): Promise<void> {
  if (system.flushesFolders) {
    await using folder = await open(path, 'r')
    await folder.sync()
  }
}

/** `flushFolder` for callers that have nothing else to do. */
export function flushFolderNow(path: string): void {
  if (system.flushesFolders) {
    const descriptor = openSync(path, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  }
}
