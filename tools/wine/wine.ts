import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, closeSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'

/** Folder of the Wine environment: the agent for Windows, and a Windows prefix. */
export const wineFolder = path.join(root, 'dist', 'wine')
export const agentFolder = path.join(wineFolder, 'agent')
const prefix = path.join(wineFolder, 'prefix')
export const windowsDrive = path.join(prefix, 'drive_c')

/** Debian's path, separate from Wine for other architectures. */
const program = '/usr/lib/wine/wine64'
const keeper = '/usr/lib/wine/wineserver64'

const environment = (display: string) => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  // Without this, Wine hides files with non-ASCII names.
  LC_ALL: 'C.UTF-8',
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  // Disables the prompts for .NET and a browser.
  WINEDLLOVERRIDES: 'mscoree=;mshtml=',
  // Wine reports an older Windows version, which Node would reject.
  NODE_SKIP_PLATFORM_CHECK: '1',
  NODE_OPTIONS: `--import=file:///Z:${path.join(import.meta.dirname, 'without-keep-alive.mjs')}`,
  DISPLAY: display,
})

/** Windows path of a file of this machine. */
export const windowsPath = (file: string): string => `Z:${file.replaceAll('/', '\\')}`

/**
 * Starts a Windows program. Output goes to files, because Node for Windows cannot use Linux pipes. `display` is the X
 * display of its windows.
 */
export function startWindows(args: readonly string[], output: string, display = ''): ChildProcess {
  mkdirSync(path.dirname(output), { recursive: true })
  const file = openSync(output, 'w')
  const child = spawn(program, args, { stdio: ['ignore', file, file], env: environment(display) })
  closeSync(file)
  return child
}

/** Runs a Windows program to its end. Rejects on failure. */
export async function runWindows(...args: string[]): Promise<void> {
  const [status] = (await once(startWindows(args, path.join(wineFolder, 'run.log')), 'exit')) as [number | null]
  if (status !== 0) {
    throw new Error(`${args.join(' ')} ended with status ${status}`)
  }
}

/** Ends all programs of this prefix. */
export function stopWine(): void {
  spawnSync(keeper, ['-k'], { env: environment('') })
}
