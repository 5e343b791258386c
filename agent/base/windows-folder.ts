import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path/win32'
import { environment, withEnvironment } from './config.ts'
import { UserError } from './errors.ts'

/**
 * A PowerShell function that says what is wrong with a folder, or nothing. The installer holds it too. The folder must
 * belong to the system, to Administrators or, without their rights, to this user, and nobody else may write to it; nobody
 * else may move it either, which is decided by the folders above it. No double quotes: it travels on a command line.
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

/** Says so where there is nothing to say, because silence is no answer. */
const ask = `$ErrorActionPreference = 'Stop'
${findFolderProblem}
$problem = Find-FolderProblem $env:FARHAND_FOLDER
if ($problem) { $problem } else { 'none' }`

/** Output of a program in Windows' own folder; throws when it fails. */
const runSystem = (file: string, args: string[], variables: Record<string, string> = {}) =>
  execFileSync(join(environment.windows, 'System32', file), args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: withEnvironment(variables),
    windowsHide: true,
  })

/** Where Windows itself sees to it that nobody moves what an administrator put there. */
const isOfSystem = (folder: string) =>
  dirname(folder) === folder ||
  [environment.programData, environment.programFiles].some((one) => one.toLowerCase() === folder.toLowerCase())

/** Folders that this process has created or looked at: asking PowerShell takes half a second. */
const known = new Set<string>()

/** Why a folder, or the nearest one above that exists, cannot be used; undefined when it can. */
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
    return answer || `Windows does not tell whom ${folder} belongs to`
  }
  known.add(folder)
  return undefined
}

/** Levels of a process with an administrator's rights, and of one of the system. */
const elevated = /S-1-16-(12288|16384)\b/

/** Leaves full control to SYSTEM, Administrators and, without their rights, this user; nothing is taken from above. */
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

/** Creates a folder and those above it that are missing, closed to other users. */
export function makeWindowsFolder(folder: string): void {
  if (existsSync(folder)) {
    return
  }
  makeWindowsFolder(dirname(folder))
  // Not recursive: if somebody was quicker, this fails.
  mkdirSync(folder)
  closeFolder(folder)
  // Until it was closed, others could put something in.
  if (lstatSync(folder).isSymbolicLink() || readdirSync(folder).length > 0) {
    throw new UserError(`Another user wrote to ${folder} while it was created. Delete that folder and try again.`)
  }
  known.add(folder)
}
