import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, cpSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inDebian13, sharedFolder } from './debian-13.ts'

const prefix = path.join(sharedFolder, 'prefix')
const asMade = path.join(sharedFolder, 'prefix-as-made')
export const drive = path.join(prefix, 'drive_c')
/** Downloads folder of a server: the installer and the bundle of the agent for Windows. */
export const releaseFolder = path.join(sharedFolder, 'downloads')

const environment = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  // Without this, Wine hides files with non-ASCII names.
  LC_ALL: 'C.UTF-8',
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  // Disables the prompt for a browser.
  WINEDLLOVERRIDES: 'mshtml=',
  DISPLAY: '',
}

/** Runs a program of Wine 10 to its end, with output in a file: Node for Windows cannot use Linux pipes. */
export async function runInWine(...command: string[]): Promise<void> {
  const [program, ...args] = inDebian13(...command)
  const output = openSync(path.join(sharedFolder, 'wine.log'), 'a')
  const child = spawn(program, args, { stdio: ['ignore', output, output], env: environment })
  closeSync(output)
  const [status] = (await once(child, 'exit')) as [number | null]
  if (status !== 0) {
    throw new Error(`${command.join(' ')} ended with status ${status}: see ${path.join(sharedFolder, 'wine.log')}`)
  }
}

/** Ends all Windows programs, as switching off does. */
export function switchOff(): void {
  const [program, ...args] = inDebian13('wineserver', '-k', '-w')
  mkdirSync(sharedFolder, { recursive: true })
  spawnSync(program, args, { env: environment })
}

/**
 * Starts the services of Windows, as switching on does. The program stands for a person who is signed in: without one,
 * Wine ends its services.
 */
export function switchOn(): void {
  const [program, ...args] = inDebian13('wine', 'C:\\bed\\node.exe', '-e', 'setInterval(Date.now,1e9)')
  spawn(program, args, { stdio: 'ignore', env: environment }).unref()
}

export interface Ended {
  status: number | null
  output: string
}

/** Runs a program on pipes and without a window; PowerShell in Wine runs in no other way without a terminal. */
const starter = `
const { spawnSync } = require('node:child_process')
const { readFileSync, writeFileSync } = require('node:fs')
const [file] = process.argv.slice(2)
const [program, ...args] = JSON.parse(readFileSync(file + '.json', 'utf8'))
const input = readFileSync(file + '.in', 'utf8')
const { status, stdout, stderr, error } = spawnSync(program, args, { input, encoding: 'utf8', windowsHide: true })
writeFileSync(file + '.out', JSON.stringify({ status, output: stdout + stderr + (error?.message ?? '') }))`

/** Runs a Windows program as administrator; returns what it wrote and its status. */
export async function runWindows(command: readonly string[], input = ''): Promise<Ended> {
  const file = path.join(drive, 'bed', 'run')
  writeFileSync(`${file}.json`, JSON.stringify(command))
  writeFileSync(`${file}.in`, input)
  rmSync(`${file}.out`, { force: true })
  await runInWine('wine', 'C:\\bed\\node.exe', 'C:\\bed\\start.cjs', 'C:\\bed\\run')
  return JSON.parse(readFileSync(`${file}.out`, 'utf8')) as Ended
}

/** Types lines into PowerShell, and ends it with the status of the last program. */
export const typeIntoPowerShell = (lines: string): Promise<Ended> =>
  runWindows(['powershell.exe', '-NoProfile', '-Command', '-'], `${lines}\nexit $LASTEXITCODE\n`)

const copyOf = (from: string, to: string) =>
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE })

/** Makes a Windows that has Node at `C:\bed\node.exe` and what `place` adds. */
export async function makeWindows(node: string, place: (drive: string) => void): Promise<void> {
  switchOff()
  rmSync(prefix, { recursive: true, force: true })
  rmSync(asMade, { recursive: true, force: true })
  mkdirSync(sharedFolder, { recursive: true })
  await runInWine('wineboot', '--init')
  switchOff()
  mkdirSync(path.join(drive, 'bed'))
  cpSync(node, path.join(drive, 'bed', 'node.exe'))
  writeFileSync(path.join(drive, 'bed', 'start.cjs'), starter)
  place(drive)
  copyOf(prefix, asMade)
}

/** Ends all Windows programs, makes Windows as it was at first, and switches it on. */
export function resetWindows(): void {
  switchOff()
  rmSync(prefix, { recursive: true, force: true })
  copyOf(asMade, prefix)
  switchOn()
}
