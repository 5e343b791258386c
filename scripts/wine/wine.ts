import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, closeSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'

/** What is made for Wine: the agent for Windows, and a Windows for it to run in. */
export const wineFolder = path.join(root, 'dist', 'wine')
export const agentFolder = path.join(wineFolder, 'agent')
const prefix = path.join(wineFolder, 'prefix')
export const windowsDrive = path.join(prefix, 'drive_c')

/** Debian keeps it out of the way of the Wine for other systems. */
const program = '/usr/lib/wine/wine64'
const keeper = '/usr/lib/wine/wineserver64'

const environment = (display: string) => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  // Otherwise Wine hides files whose names have other letters than English.
  LC_ALL: 'C.UTF-8',
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  // Neither .NET nor a browser is asked for.
  WINEDLLOVERRIDES: 'mscoree=;mshtml=',
  // Wine says that it is an old Windows, which it is not.
  NODE_SKIP_PLATFORM_CHECK: '1',
  NODE_OPTIONS: `--import=file:///Z:${path.join(import.meta.dirname, 'without-keep-alive.mjs')}`,
  DISPLAY: display,
})

/** A path of this machine as programs of Windows have it. */
export const windowsPath = (file: string): string => `Z:${file.replaceAll('/', '\\')}`

/**
 * Starts a program of Windows; what it writes goes to files, because Node for Windows takes no pipe of Linux. `display`
 * is where its windows are.
 */
export function startWindows(args: readonly string[], output: string, display = ''): ChildProcess {
  mkdirSync(path.dirname(output), { recursive: true })
  const file = openSync(output, 'w')
  const child = spawn(program, args, { stdio: ['ignore', file, file], env: environment(display) })
  closeSync(file)
  return child
}

/** Runs a program of Windows to its end. Rejects when it fails. */
export async function runWindows(...args: string[]): Promise<void> {
  const [status] = (await once(startWindows(args, path.join(wineFolder, 'run.log')), 'exit')) as [number | null]
  if (status !== 0) {
    throw new Error(`${args.join(' ')} ended with status ${status}`)
  }
}

/** Ends all programs of this Windows. */
export function stopWine(): void {
  spawnSync(keeper, ['-k'], { env: environment('') })
}
