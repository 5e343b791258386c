# Farhand agent installer for @RUNTIME@: fetches the agent from the server, checks it and runs its "install" command.
# Runs as an administrator, on the Windows PowerShell that every Windows has, as a file or as a script block.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12

$usage = @'
Farhand agent installer for @RUNTIME@

  Farhand.Agent.Installer.ps1 install -s SERVER -t TENANT [-ki KEY] [-i INSTANCE] [--data-dir FOLDER] ...
  Farhand.Agent.Installer.ps1 uninstall [-i INSTANCE] [--data-dir FOLDER] [--keep-data]

Uninstalling removes settings, key and log of the device too; --keep-data leaves them.
The secret of the installer key is read from $env:FARHAND_INSTALLER_KEY_SECRET: what stands on a command line, as it does
after -ks, other users of this system can list. With "-ks -" it is asked for. With -sp sha256//... nothing is taken from a
server that does not show this key. Everything after "install" goes to the agent: its own --help names the other options.
'@

@FIND_FOLDER_PROBLEM@

function Fail([string]$Text) {
  throw (New-Object InvalidOperationException $Text)
}

function Find-Option([string[]]$Names) {
  for ($index = 0; $index -lt $rest.Count; $index++) {
    $name, $value = $rest[$index] -split '=', 2
    if ($Names -ccontains $name) {
      if ($null -ne $value) { return $value }
      if ($index + 1 -lt $rest.Count) { return $rest[$index + 1] }
    }
  }
  return ''
}

# The arguments less the secret, which goes where nobody can list it.
function Select-Listable([string[]]$Given) {
  for ($index = 0; $index -lt $Given.Count; $index++) {
    if ($Given[$index] -ceq '-ks' -or $Given[$index] -ceq '--installer-key-secret') {
      $index++
    } elseif (-not $Given[$index].StartsWith('--installer-key-secret=')) {
      $Given[$index]
    }
  }
}

# The key of a certificate as -sp names it: the SHA-256 of its SubjectPublicKeyInfo, which stands in it as a whole.
function Get-Pin([byte[]]$Certificate) {
  # Where the content of the DER element at a place begins, and where it ends.
  function Read-Element([int]$At) {
    $length = [int]$Certificate[$At + 1]
    $start = $At + 2
    if ($length -ge 128) {
      $end = $start + $length - 128
      for ($length = 0; $start -lt $end; $start++) { $length = $length * 256 + $Certificate[$start] }
    }
    return @($start, ($start + $length))
  }
  # Into the certificate and what is signed of it.
  $at = (Read-Element (Read-Element 0)[0])[0]
  # The version may be missing; serial number, signature, issuer, validity and subject stand before the key.
  $before = if ($Certificate[$at] -eq 0xA0) { 6 } else { 5 }
  for ($count = 0; $count -lt $before; $count++) { $at = (Read-Element $at)[1] }
  $end = (Read-Element $at)[1]
  $hash = [Security.Cryptography.SHA256]::Create()
  return 'sha256//' + [Convert]::ToBase64String($hash.ComputeHash($Certificate, $at, $end - $at))
}

# The key is compared before anything is sent. It is not the callback that decides: on other ways to download it would run on
# a thread that has no PowerShell.
function Get-PinnedFile([Uri]$Url, [string]$File, [string]$Posted) {
  $tcp = New-Object Net.Sockets.TcpClient($Url.DnsSafeHost, $Url.Port)
  try {
    $tcp.ReceiveTimeout = 60000
    $accept = [Net.Security.RemoteCertificateValidationCallback] { $true }
    $tls = New-Object Net.Security.SslStream($tcp.GetStream(), $false, $accept)
    $tls.AuthenticateAsClient($Url.DnsSafeHost, $null, [Security.Authentication.SslProtocols]::Tls12, $false)
    $seen = Get-Pin ($tls.RemoteCertificate.GetRawCertData())
    if ($seen -cne $pin) {
      Fail "The server at $($Url.Authority) does not have the key that the command names, so nothing was sent to it and nothing taken from it. Expected $pin, seen $seen. If the server got a new key, copy the command from its Deploy page again; otherwise something on this network answers in its place."
    }
    $body = [Text.Encoding]::UTF8.GetBytes($Posted)
    $method = if ($Posted) { 'POST' } else { 'GET' }
    $about = if ($Posted) { "Content-Type: application/json`r`nContent-Length: $($body.Length)`r`n" }
    $request = [Text.Encoding]::ASCII.GetBytes("$method $($Url.PathAndQuery) HTTP/1.0`r`nHost: $($Url.Authority)`r`n$about`r`n") + $body
    $tls.Write($request, 0, $request.Length)
    $head = New-Object Text.StringBuilder
    while (-not $head.ToString().EndsWith("`r`n`r`n")) {
      $byte = $tls.ReadByte()
      if ($byte -lt 0 -or $head.Length -gt 65536) { Fail 'The server gave no answer.' }
      $head.Append([char]$byte) | Out-Null
    }
    $status, $fields = $head.ToString() -split "`r`n"
    if ($status -notmatch '^HTTP/1\.[01] 2\d\d\b') { Fail "The server answered `"$status`"." }
    $target = [IO.File]::Create($File)
    try { $tls.CopyTo($target) } finally { $target.Close() }
    $expected = ($fields -match '^content-length:') -replace '\D'
    if ($expected -and (Get-Item -LiteralPath $File).Length -ne [long]"$expected") { Fail 'The connection broke off.' }
  } finally {
    $tcp.Close()
  }
}

function Get-File([string]$Url, [string]$File) {
  try {
    if ($pin) {
      Get-PinnedFile $Url $File
    } else {
      Invoke-WebRequest -Uri $Url -OutFile $File -UseBasicParsing
    }
  } catch {
    Fail "Cannot download ${Url}: $($_.Exception.Message)"
  }
}

# Asks whether the server takes the key, before anything is downloaded. Where it says neither yes nor no, registering decides.
function Test-InstallerKey([string]$Key, [string]$Origin) {
  if (-not $secret) {
    Fail 'The secret of the key is missing: put it in $env:FARHAND_INSTALLER_KEY_SECRET, or give "-ks -" to be asked.'
  }
  $url = "$Origin/api/appliance/v1/installer-keys/check"
  $tenant = Find-Option '-t', '--tenant-id'
  $posted = ConvertTo-Json -Compress @{ installerKeyId = $Key; installerKeySecret = $secret; tenantId = if ($tenant) { $tenant } }
  $answer = [IO.Path]::GetTempFileName()
  try {
    if ($pin) {
      Get-PinnedFile $url $answer $posted
    } else {
      Invoke-WebRequest -Uri $url -Method Post -ContentType 'application/json' -Body $posted -UseBasicParsing | Out-Null
    }
  } catch {
    $code = if ($_.Exception.Message -match 'HTTP/1\.[01] (\d+)') { [int]$Matches[1] } else { [int]$_.Exception.Response.StatusCode }
    if ($code -eq 400 -or $code -eq 403) {
      Fail "$Origin rejects the installer key, so nothing was installed. The key may be unknown, spent, expired, or of another tenant. Take a fresh install command from the Deploy page of the server."
    }
    if ($code -eq 429) {
      Fail "$Origin got too many wrong installer keys from this address, so nothing was installed. Wait a minute and try again."
    }
  } finally {
    Remove-Item -Force -LiteralPath $answer
  }
}

function Assert-Folder([string]$Path) {
  $problem = Find-FolderProblem $Path
  if ($problem) {
    Fail "$problem, so others could change what is installed in $Path. Look at what is in it, delete it, and try again."
  }
}

# A folder that belongs to Administrators, for them and SYSTEM alone; from its first moment, if there is none.
function Use-ClosedFolder([string]$Path) {
  Assert-Folder $Path
  if (Test-Path -LiteralPath $Path) { return }
  $security = New-Object Security.AccessControl.DirectorySecurity
  $security.SetAccessRuleProtection($true, $false)
  $security.SetOwner((New-Object Security.Principal.SecurityIdentifier 'S-1-5-32-544'))
  foreach ($sid in 'S-1-5-18', 'S-1-5-32-544') {
    $identity = New-Object Security.Principal.SecurityIdentifier $sid
    $security.AddAccessRule((New-Object Security.AccessControl.FileSystemAccessRule($identity, 'FullControl', 'ContainerInherit, ObjectInherit', 'None', 'Allow')))
  }
  if ($PSVersionTable.PSEdition -eq 'Core') {
    [IO.FileSystemAclExtensions]::CreateDirectory($security, $Path) | Out-Null
  } else {
    [IO.Directory]::CreateDirectory($Path, $security) | Out-Null
  }
}

# Runs the agent by a command, with these arguments; its exit status is left in $LASTEXITCODE.
function Invoke-Agent([string[]]$Command, [string[]]$Arguments) {
  $file, $first = $Command
  $listable = @($first) + @(Select-Listable $Arguments) -ne $null
  $env:FARHAND_INSTALLER_KEY_SECRET = $secret
  try {
    & $file @listable
  } finally {
    Remove-Item Env:\FARHAND_INSTALLER_KEY_SECRET -ErrorAction SilentlyContinue
  }
}

# Whether the service starts this version: its command line is the one place that names a version.
function Test-Started([string]$Version) {
  $name = if ($instance) { "Farhand.Agent ($instance)" } else { 'Farhand.Agent' }
  $service = Get-ItemProperty -LiteralPath "HKLM:\SYSTEM\CurrentControlSet\Services\$name" -ErrorAction SilentlyContinue
  return $service -and $service.ImagePath.Contains("$Version\")
}

# Downloads the bundle and unpacks it as a version beside the one that runs.
function Expand-Version([string]$Origin, [string]$Version) {
  Get-File "$Origin/api/agent/updates/get-bundle-metadata/@RUNTIME_NAME@" "$Version\metadata.json"
  $metadata = Get-Content -Raw -LiteralPath "$Version\metadata.json" | ConvertFrom-Json
  if ($metadata.brandName -cne 'Farhand') { Fail "$Origin offers the agent of `"$($metadata.brandName)`", not of Farhand." }
  Write-Output "Downloading Farhand agent $($metadata.version) ..."
  Get-File "$Origin$($metadata.bundleDownloadUrl)" "$Version\bundle.zip"
  $actual = (Get-FileHash -Algorithm SHA256 -LiteralPath "$Version\bundle.zip").Hash
  # An agent that updates itself names the hash that the release key of its server has signed.
  $signed = Find-Option '--bundle-sha256'
  $expected = if ($signed) { $signed } else { $metadata.bundleSha256 }
  if ($actual -ne $expected) {
    Fail "The download is damaged$(if ($signed) { ', or not what the release key of the server signed' }): its SHA-256 should be $expected and is $actual. Try again."
  }
  Expand-Archive -LiteralPath "$Version\bundle.zip" -DestinationPath $Version
  Remove-Item -Force -LiteralPath "$Version\bundle.zip", "$Version\metadata.json"
  Set-Content -LiteralPath "$Version\bundle.sha256" -Value $actual
}

function Install-Agent {
  $server = Find-Option '-s', '--server-uri'
  if ($server -notmatch '^https?://') { Fail 'The server address is missing or not http(s): -s https://farhand.example' }
  if ($pin -and $pin -cnotmatch '^sha256//[A-Za-z0-9+/]{43}=$') { Fail "-sp is sha256// and 44 characters of base64, not `"$pin`"." }
  if ($pin -and $server -notmatch '^https://') { Fail '-sp needs a server address that begins with https://.' }
  $origin = ([Uri]$server).GetLeftPart('Authority')
  $key = Find-Option '-ki', '--installer-key-id'
  Assert-Folder $settings
  Assert-Folder $program
  if ($key) { Test-InstallerKey $key $origin }
  $made = @()
  for ($at = "$program\versions"; -not (Test-Path -LiteralPath $at); $at = [IO.Path]::GetDirectoryName($at)) { $made += $at }
  Use-ClosedFolder $program
  Use-ClosedFolder "$program\versions"
  # Nothing names it until its own agent switches to it.
  $version = "$program\versions\$([IO.Path]::GetRandomFileName())"
  New-Item -ItemType Directory -Path $version | Out-Null
  try {
    Expand-Version $origin $version
    Invoke-Agent "$version\node.exe", "$version\main.js" (@('install') + $rest)
    $failed = "$settings\.farhand-bundle.failed"
    if ($LASTEXITCODE -eq 0) {
      Remove-Item -Force -LiteralPath $failed -ErrorAction SilentlyContinue
    } elseif (-not $key -and (Test-Path -LiteralPath $settings)) {
      # Without a key this is an update, which is not tried again by itself.
      Copy-Item -Force -LiteralPath "$version\bundle.sha256" -Destination $failed
    }
  } finally {
    if (-not (Test-Started $version)) {
      Remove-Item -Recurse -Force -LiteralPath $version
      foreach ($folder in $made) {
        if (-not (Get-ChildItem -Force -LiteralPath $folder -ErrorAction SilentlyContinue)) { Remove-Item -Force -LiteralPath $folder }
      }
    }
  }
}

$command = if ($args.Count -gt 0) { [string]$args[0] } else { 'help' }
$rest = @($args | Select-Object -Skip 1 | ForEach-Object { [string]$_ })
if ($args -contains '--help' -or $args -contains '-h') { $command = 'help' }
$secret = Find-Option '-ks', '--installer-key-secret'
if (-not $secret) { $secret = $env:FARHAND_INSTALLER_KEY_SECRET }
Remove-Item Env:\FARHAND_INSTALLER_KEY_SECRET -ErrorAction SilentlyContinue
$instance = Find-Option '-i', '--instance-id'
$pin = Find-Option '-sp', '--server-pin'
$folder = if ($instance) { $instance } else { 'default' }
$dataDir = Find-Option '--data-dir'
if ($dataDir) { $dataDir = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($dataDir) }
# The folder rules are `foldersFor` of agent/platform/windows/files.ts.
$settings = if ($dataDir) { $dataDir } else { "$env:ProgramData\Farhand\$folder" }
$program = if ($dataDir) { "$dataDir\program" } else { "$env:ProgramFiles\Farhand\$folder" }

$status = 0
try {
  if (($instance -notmatch '^[A-Za-z0-9._-]*$') -or (@('.', '..', 'default') -contains $instance)) {
    Fail '-i may hold letters, digits, ".", "_" and "-", and must not be "default".'
  }
  $me = New-Object Security.Principal.WindowsPrincipal ([Security.Principal.WindowsIdentity]::GetCurrent())
  if ($command -ne 'help' -and -not $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    Fail 'This needs the rights of an administrator: open PowerShell with "Run as administrator" and run it there.'
  }
  if ($settings -match '\p{Cc}') { Fail 'The folder of the agent must not hold control characters: choose another --data-dir.' }
  switch ($command) {
    'help' { Write-Output $usage }
    'install' {
      if ($secret -ceq '-') {
        $secret = (New-Object Net.NetworkCredential '', (Read-Host -AsSecureString 'Secret of the installer key')).Password
      }
      Install-Agent
      $status = $LASTEXITCODE
    }
    'uninstall' {
      $problem = Find-FolderProblem $program
      if ($problem) { Fail "$problem, so what is in it is not run." }
      if (-not (Test-Path -LiteralPath "$program\Farhand.Agent.cmd")) { Fail "No agent is installed in $program." }
      Invoke-Agent "$program\Farhand.Agent.cmd" (@('uninstall') + $rest)
      $status = $LASTEXITCODE
    }
    default { Fail 'Say what to do: "install -s SERVER -t TENANT -ki KEY" or "uninstall". --help tells more.' }
  }
} catch {
  [Console]::Error.WriteLine("Error: $($_.Exception.Message)")
  $status = 1
}
# A script block runs in the session of a person, which "exit" would end.
if ($MyInvocation.MyCommand.Path) { exit $status }
$global:LASTEXITCODE = $status
