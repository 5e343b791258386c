/**
 * Quotes a PowerShell string. PowerShell also ends a single-quoted string at U+2018 to U+201B; doubling escapes a
 * quote.
 */
export const quoteForPowerShell = (text: string): string => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`

/**
 * PowerShell function of the installer that returns the problem of a folder, or nothing. The folder must belong to the
 * system, to Administrators or, without elevation, to this user, and no other user may write to it or move it; the parent
 * folders determine who can move it. `windows/folder-security.ts` says the same for agent and server.
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
  $movingChildren = 0x40 -bor 0x40000 -bor 0x80000 -bor 0x10000000
  # and: delete, which includes giving the folder another name
  $moving = $movingChildren -bor 0x10000
  # and: write data, append data, generic write
  $writing = $moving -bor 0x2 -bor 0x4 -bor 0x40000000
  for ($at = $Path; $at; $at = [IO.Path]::GetDirectoryName($at)) {
    $item = Get-Item -LiteralPath $at -Force -ErrorAction SilentlyContinue
    if (-not $item) { continue }
    if (-not $item.PSIsContainer) { return $at + ' is not a folder' }
    if ($item.Attributes -band [IO.FileAttributes]::ReparsePoint) { return $at + ' is a link' }
    $security = Get-Acl -LiteralPath $at
    $owner = $security.GetOwner($sidType).Value
    if ($trusted -notcontains $owner) { return $at + ' belongs to the user ' + $owner }
    # The root of a drive cannot be renamed.
    $mask = if ($at -eq $Path) { $writing } elseif ([IO.Path]::GetDirectoryName($at)) { $moving } else { $movingChildren }
    foreach ($rule in $security.GetAccessRules($true, $true, $sidType)) {
      $isForContent = [int]$rule.PropagationFlags -band [int][Security.AccessControl.PropagationFlags]::InheritOnly
      $isOpen = [int]$rule.FileSystemRights -band $mask
      if ($rule.AccessControlType -eq 'Allow' -and -not $isForContent -and $isOpen -and $trusted -notcontains $rule.IdentityReference.Value) {
        return 'the user or group ' + $rule.IdentityReference.Value + ' may change ' + $at
      }
    }
  }
}`
