import { packageProperties } from './agent-package.ts'
import type { RuntimeId } from './dtos/agent-bundle.ts'
import { quoteForPowerShell } from './power-shell.ts'
import { isPlain, quoteForShell } from './shell-quote.ts'

export const systems = ['linux', 'macos', 'windows'] as const
export type System = (typeof systems)[number]

interface Kind {
  runtime: RuntimeId
  processor: string
}

/** Runtimes of a system with the usual name of the processor, the most common one first. */
export const runtimesOf: Record<System, readonly [Kind, ...Kind[]]> = {
  linux: [
    { runtime: 'linux-x64', processor: 'x64' },
    { runtime: 'linux-arm64', processor: 'ARM64' },
  ],
  macos: [
    { runtime: 'osx-arm64', processor: 'Apple silicon' },
    { runtime: 'osx-x64', processor: 'Intel' },
  ],
  windows: [
    { runtime: 'win-x64', processor: '64-bit' },
    { runtime: 'win-x86', processor: '32-bit' },
  ],
}

export interface InstallCommand {
  system: System
  /** Address that agents use, without a trailing slash. */
  serverUrl: string
  /**
   * Pin of the server's key in curl's format; the download fails for any other key. Null if the server has no TLS of
   * its own.
   */
  serverPin: string | null
  /** Path of the installer on the server. */
  downloadUrl: string
  tenantId: string
  keyId: string
  keySecret: string
  instanceId: string | null
  /** Whether to install for the current user, without administrator rights; not on Windows. */
  isUserOnly: boolean
}

function argumentsOf(command: InstallCommand, quote: (text: string) => string) {
  const { serverUrl, serverPin, tenantId, keyId, instanceId } = command
  const pairs = [
    ['-s', serverUrl],
    ...(serverPin ? [['-sp', serverPin]] : []),
    ['-t', tenantId],
    ['-ki', keyId],
    ...(instanceId ? [['-i', instanceId]] : []),
  ]
  return pairs.map(([name, value]) => `${name} ${quote(value!)}`).join(' ')
}

/** Environment variable that passes the secret to the installer: other users can list command lines, but not this. */
export const secretVariable = 'FARHAND_INSTALLER_KEY_SECRET'

/**
 * Prints the installer, with curl or wget. A pin makes them reject servers with another key, and ignore the server name
 * and the issuer. Redirects are not followed: a key can belong to several servers, as with wildcard certificates, and a
 * redirect target may lack TLS.
 */
function unixDownload({ serverUrl, serverPin, downloadUrl }: InstallCommand) {
  const url = quoteForShell(serverUrl + downloadUrl)
  if (serverPin === null) {
    return `curl -fsSL ${url} || wget -qO- ${url} || echo exit 1`
  }
  const pin = quoteForShell(serverPin)
  const refusal = quoteForShell(`echo Nothing was run: no server with the key ${pin} answered. >&2; exit 1`)
  return (
    `curl -fsSLk --max-redirs 0 --pinnedpubkey ${pin} ${url} || ` +
    `wget -qO- --max-redirect=0 --no-check-certificate --pinnedpubkey=${pin} ${url} || echo ${refusal}`
  )
}

/**
 * Works as root without sudo too, as in containers; the exit status is the installer's. The secret is piped ahead of
 * the script, and the leading space keeps the line out of the history of shells configured that way.
 */
function unixCommand(command: InstallCommand) {
  const secret = quoteForShell(`${secretVariable}=${quoteForShell(command.keySecret)}`)
  const elevate = command.isUserOnly ? '' : '$(command -v sudo) '
  const args = argumentsOf(command, quoteForShell)
  return ` (printf '%s\\n' ${secret}; ${unixDownload(command)}) | ${elevate}sh -s -- install ${args}`
}

/**
 * Downloads the installer into `$t` after the server has proved its key, and sends nothing before. The
 * SubjectPublicKeyInfo is located in the certificate element by element, because .NET on Windows 10 has no property for
 * it. The usual validation callback would run on a thread without a PowerShell runspace; the callback of an own
 * `SslStream` runs on this thread.
 */
const pinnedDownload = (url: string, pin: string) => [
  `$u=[Uri]${quoteForPowerShell(url)}`,
  '$n=New-Object Net.Sockets.TcpClient($u.DnsSafeHost,$u.Port)',
  '$s=New-Object Net.Security.SslStream($n.GetStream(),$false,[Net.Security.RemoteCertificateValidationCallback]{$true})',
  "$s.AuthenticateAsClient($u.DnsSafeHost,$null,'Tls12',$false)",
  '$c=$s.RemoteCertificate.GetRawCertData()',
  // Returns the start and end of the content of the DER element at `$i`.
  '$e={param($i)$l=[int]$c[$i+1];$b=$i+2;if($l -ge 128){$k=$b+$l-128;for($l=0;$b -lt $k;$b++){$l=$l*256+$c[$b]}};$b;$b+$l}',
  '$i=(&$e (&$e 0)[0])[0]',
  // Skips the optional version, serial number, signature, issuer, validity and subject.
  '1..(5+($c[$i] -eq 160))|%{$i=(&$e $i)[1]}',
  "$k='sha256//'+[Convert]::ToBase64String([Security.Cryptography.SHA256]::Create().ComputeHash($c,$i,(&$e $i)[1]-$i))",
  `$p=${quoteForPowerShell(pin)}`,
  'if($k -cne $p){throw "Nothing was run: expected a server with the key $p, seen $k."}',
  '$w=New-Object IO.StreamWriter $s',
  '$w.Write("GET $($u.PathAndQuery) HTTP/1.0`r`nHost: $($u.Authority)`r`n`r`n")',
  '$w.Flush()',
  '$h,$t=(New-Object IO.StreamReader $s).ReadToEnd() -split "`r`n`r`n",2',
  "if($h -notmatch '^HTTP/1.. 200'){throw $h}",
]

/**
 * Requires a session with administrator rights, since the agent becomes a service. The script runs in that session, so
 * no other program can change it in a file before it runs.
 */
function windowsCommand(command: InstallCommand) {
  const { serverUrl, serverPin, downloadUrl, keySecret } = command
  const secret = `$env:${secretVariable}=${quoteForPowerShell(keySecret)}`
  const run = (script: string) =>
    `& ([scriptblock]::Create(${script})) install ${argumentsOf(command, quoteForPowerShell)}`
  if (serverPin !== null) {
    const steps = [
      "$ErrorActionPreference='Stop'",
      ...pinnedDownload(serverUrl + downloadUrl, serverPin),
      secret,
      run('$t'),
    ]
    return `& {${steps.join('; ')}}`
  }
  // Windows Server 2016 offers only outdated TLS versions by default.
  const tls = serverUrl.startsWith('https:') ? ["[Net.ServicePointManager]::SecurityProtocol='Tls12'"] : []
  const script = `(New-Object Net.WebClient).DownloadString(${quoteForPowerShell(serverUrl + downloadUrl)})`
  return [secret, ...tls, run(script)].join('; ')
}

/** Command line that installs the agent on a machine. */
export const installCommand = (command: InstallCommand) =>
  command.system === 'windows' ? windowsCommand(command) : unixCommand(command)

/**
 * PowerShell script that exits with the installer's status, or with 1 if the installer cannot be downloaded. Without
 * `exit`, PowerShell ends with 0 after a script block that failed.
 */
const windowsScript = (command: InstallCommand) =>
  `$ErrorActionPreference='Stop'; ${windowsCommand(command)}; exit $LASTEXITCODE`

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 of UTF-16, little-endian, as `powershell.exe -EncodedCommand` reads it. */
function encodedForPowerShell(script: string): string {
  const bytes = Array.from({ length: script.length }, (_, at) => script.charCodeAt(at)).flatMap((unit) => [
    unit & 0xff,
    unit >> 8,
  ])
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = bytes.slice(at, at + 3)
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    text += base64[group >> 18]! + base64[(group >> 12) & 63]!
    text += second === undefined ? '=' : base64[(group >> 6) & 63]!
    text += third === undefined ? '=' : base64[group & 63]!
  }
  return text
}

/**
 * Command line without questions for tools that expect one such as that of `msiexec /qn` (Intune, group policy,
 * PsExec): it runs in `cmd.exe` as administrator, shows nothing, and exits with 0 only if the agent is installed. Null
 * for other systems, whose usual command is silent.
 */
export const silentCommand = (command: InstallCommand): string | null =>
  command.system === 'windows'
    ? `powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -EncodedCommand ${encodedForPowerShell(windowsScript(command))}`
    : null

const quoteForMsiexec = (text: string) => (isPlain(text) ? text : `"${text.replaceAll('"', '""')}"`)

/**
 * Command line that installs the agent from the MSI package in the current folder. The secret stands in it: Windows
 * shows command lines of administrators to administrators alone, and the package keeps it out of logs. Null without a
 * package, and for named instances, which the package does not know.
 */
export function packageCommand(command: InstallCommand, packageUrl: string | null): string | null {
  const { system, serverUrl, serverPin, tenantId, keyId, keySecret, instanceId } = command
  if (system !== 'windows' || instanceId !== null || packageUrl === null) {
    return null
  }
  const { server, pin, tenant, keyId: id, keySecret: secret } = packageProperties
  const values = [
    [server, serverUrl],
    ...(serverPin === null ? [] : [[pin, serverPin]]),
    [tenant, tenantId],
    [id, keyId],
    [secret, keySecret],
  ]
  const properties = values.map(([name, value = '']) => `${name}=${quoteForMsiexec(value)}`)
  return `msiexec /i ${packageUrl.split('/').at(-1)} /qn ${properties.join(' ')}`
}

/** Script file that installs the agent, for a share, a management tool or Ansible's `script`. */
export const installScript = (command: InstallCommand): { fileName: string; text: string } =>
  command.system === 'windows'
    ? { fileName: 'install-farhand.ps1', text: `${windowsScript(command)}\r\n` }
    : { fileName: 'install-farhand.sh', text: `#!/bin/sh\nset -e\n${unixCommand(command).trimStart()}\n` }
