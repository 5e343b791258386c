import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path/win32'
import { environment, withEnvironment } from '../../base/config.ts'
import { UserError } from '../../base/errors.ts'

/**
 * PowerShell function that returns the problem of a folder, or nothing; the installer contains the function too. The
 * folder must belong to the system, to Administrators or, without elevation, to this user, and no other user may write
 * to it or move it; the parent folders determine who can move it. Contains no double quotes, because it is passed on a
 * command line.
 */
export const findFolderProblem = `
function Find-FolderProblem([string]$Path) {
  $sidType = [Security.Principal.SecurityIdentifier]
  $me = [Security.Principal.WindowsIdentity]::GetCurrent()
  # SYSTEM, Administrators, TrustedInstaller
  $trusted = @('S-1-5-18', 'S-1-5-32-544', 'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464')
  if (-not (New-Object Security.Principal.WindowsPrincipal $me).IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    $trusted += $me.User.Value
  }
  # Delete child, change permissions, take ownership, everything
  $moving = 0x40 -bor 0x40000 -bor 0x80000 -bor 0x10000000
  # and: write data, append data, delete, generic write
  $writing = $moving -bor 0x2 -bor 0x4 -bor 0x10000 -bor 0x40000000
  for ($at = $Path; $at; $at = [IO.Path]::GetDirectoryName($at)) {
    $item = Get-Item -LiteralPath $at -Force -ErrorAction SilentlyContinue
    if (-not $item) { continue }
    if (-not $item.PSIsContainer) { return $at + ' is not a folder' }
    if ($item.Attributes -band [IO.FileAttributes]::ReparsePoint) { return $at + ' is a link' }
    $security = Get-Acl -LiteralPath $at
    $owner = $security.GetOwner($sidType).Value
    if ($trusted -notcontains $owner) { return $at + ' belongs to the user ' + $owner }
    $mask = if ($at -eq $Path) { $writing } else { $moving }
    foreach ($rule in $security.GetAccessRules($true, $true, $sidType)) {
      $isForContent = [int]$rule.PropagationFlags -band [int][Security.AccessControl.PropagationFlags]::InheritOnly
      $isOpen = [int]$rule.FileSystemRights -band $mask
      if ($rule.AccessControlType -eq 'Allow' -and -not $isForContent -and $isOpen -and $trusted -notcontains $rule.IdentityReference.Value) {
        return 'the user or group ' + $rule.IdentityReference.Value + ' may change ' + $at
      }
    }
  }
}`

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
