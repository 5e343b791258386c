# Farhand agent installer for @RUNTIME@: fetches the agent from the server, checks it and runs its "install" command.
#   Farhand.Agent.Installer.ps1 install -s SERVER -t TENANT [-ki KEY -ks SECRET] [-i INSTANCE] [--data-dir FOLDER] ...
#   Farhand.Agent.Installer.ps1 uninstall [-i INSTANCE] [--data-dir FOLDER]
# Runs as an administrator, on the Windows PowerShell that every Windows has.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12

function Fail([string]$Text) {
  [Console]::Error.WriteLine("Error: $Text")
  exit 1
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

function Get-File([string]$Url, [string]$File) {
  try {
    Invoke-WebRequest -Uri $Url -OutFile $File -UseBasicParsing
  } catch {
    Fail "Cannot download ${Url}: $($_.Exception.Message)"
  }
}

$command = if ($args.Count -gt 0) { $args[0] } else { '' }
$rest = @($args | Select-Object -Skip 1 | ForEach-Object { [string]$_ })
$instance = Find-Option '-i', '--instance-id'
$folder = if ($instance) { $instance } else { 'default' }
$dataDir = Find-Option '--data-dir'
# The folder rules are those of agent/paths.ts.
$settings = if ($dataDir) { $dataDir } else { "$env:ProgramData\Farhand\$folder" }
$program = if ($dataDir) { "$dataDir\program" } else { "$env:ProgramFiles\Farhand\$folder" }
$agent = "$program\Farhand.Agent.cmd"

if ($command -eq 'uninstall') {
  if (-not (Test-Path $agent)) { Fail "No agent is installed in $program." }
  & $agent uninstall @rest
  exit $LASTEXITCODE
}
if ($command -ne 'install') {
  Fail 'Say what to do: "install -s SERVER -t TENANT -ki KEY -ks SECRET" or "uninstall".'
}

$server = Find-Option '-s', '--server-uri'
if ($server -notmatch '^https?://') { Fail 'The server address is missing or not http(s): -s https://farhand.example' }
$origin = ([Uri]$server).GetLeftPart('Authority')
$work = Join-Path $env:TEMP ([Guid]::NewGuid())
New-Item -ItemType Directory $work | Out-Null
try {
  Get-File "$origin/api/agent/updates/get-bundle-metadata/@RUNTIME_NAME@" "$work\metadata.json"
  $metadata = Get-Content -Raw "$work\metadata.json" | ConvertFrom-Json
  if ($metadata.brandName -cne 'Farhand') { Fail "$origin offers the agent of `"$($metadata.brandName)`", not of Farhand." }
  Write-Output "Downloading Farhand agent $($metadata.version) ..."
  Get-File "$origin$($metadata.bundleDownloadUrl)" "$work\bundle.zip"
  $actual = (Get-FileHash -Algorithm SHA256 "$work\bundle.zip").Hash
  if ($actual -ne $metadata.bundleSha256) {
    Fail "The download is damaged: its SHA-256 should be $($metadata.bundleSha256) and is $actual. Try again."
  }
  # A running agent holds its files open, so it has to end before they are replaced.
  $service = if ($instance) { "Farhand.Agent ($instance)" } else { 'Farhand.Agent' }
  if (Get-Service -Name $service -ErrorAction SilentlyContinue) { Stop-Service -Name $service }
  if (Test-Path $program) { Remove-Item -Recurse -Force $program }
  Expand-Archive -Path "$work\bundle.zip" -DestinationPath $program
  & $agent install @rest
  if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
  Set-Content -Path "$settings\.farhand-bundle.sha256" -Value $actual
} finally {
  Remove-Item -Recurse -Force $work
}
