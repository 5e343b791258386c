import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path/win32'
import { findFolderProblem } from '../../../shared/power-shell.ts'
import { environment, withEnvironment } from '../../base/config.ts'
import { UserError } from '../../base/errors.ts'

/** Prints a marker if there is no problem, so that empty output counts as a failure. */
const ask = `$ErrorActionPreference = 'Stop'
${findFolderProblem}
$problem = Find-FolderProblem $env:FARHAND_FOLDER
if ($problem) { $problem } else { 'none' }`

/** Runs a program in Windows' system folder and returns its output; throws on failure. */
const runSystem = (file: string, args: string[], variables: Record<string, string> = {}) =>
  execFileSync(join(environment.windows, 'System32', file), args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: withEnvironment(variables),
    windowsHide: true,
  })

/** Returns whether Windows itself protects entries of this folder from being moved. */
const isOfSystem = (folder: string) =>
  dirname(folder) === folder ||
  [environment.programData, environment.programFiles].some((one) => one.toLowerCase() === folder.toLowerCase())

/** Folders that this process has already created or checked: a check with PowerShell takes half a second. */
const known = new Set<string>()

/** Returns the problem of a folder, or of its nearest existing parent; undefined if usable. */
export function windowsFolderProblem(folder: string): string | undefined {
  if (known.has(folder) || isOfSystem(folder)) {
    return undefined
  }
  if (!existsSync(folder)) {
    return windowsFolderProblem(dirname(folder))
  }
  const answer = runSystem(
    'WindowsPowerShell\\v1.0\\powershell.exe',
    ['-NoProfile', '-NonInteractive', '-Command', ask],
    { FARHAND_FOLDER: folder },
  ).trim()
  if (answer !== 'none') {
    return answer || `Windows does not report the owner of ${folder}`
  }
  known.add(folder)
  return undefined
}

/** Integrity levels of elevated and system processes. */
const elevated = /S-1-16-(12288|16384)\b/

/** Grants full control only to SYSTEM, Administrators and, without elevation, this user; disables inheritance. */
function closeFolder(folder: string) {
  const trusted = ['S-1-5-18', 'S-1-5-32-544']
  if (elevated.test(runSystem('whoami.exe', ['/groups']))) {
    runSystem('icacls.exe', [folder, '/setowner', '*S-1-5-32-544'])
  } else {
    trusted.push(...(/S-1-5-21-[\d-]+/.exec(runSystem('whoami.exe', ['/user'])) ?? []))
  }
  const grants = trusted.flatMap((sid) => ['/grant:r', `*${sid}:(OI)(CI)F`])
  runSystem('icacls.exe', [folder, '/inheritance:r', ...grants])
}

/** Creates a folder with its missing parents, closed to other users. */
export function makeWindowsFolder(folder: string): void {
  if (existsSync(folder)) {
    return
  }
  makeWindowsFolder(dirname(folder))
  // Not recursive: fails if another user has created the folder meanwhile.
  mkdirSync(folder)
  closeFolder(folder)
  // Before permissions were set, another user could have written to the folder.
  if (lstatSync(folder).isSymbolicLink() || readdirSync(folder).length > 0) {
    throw new UserError(`Another user wrote to ${folder} while it was created. Delete that folder and try again.`)
  }
  known.add(folder)
}
