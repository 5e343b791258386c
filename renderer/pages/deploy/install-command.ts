import type { RuntimeId } from '../../../shared/dtos/agent-bundle.ts'
import { quoteForPowerShell } from '../../../shared/power-shell.ts'

export const systems = ['linux', 'macos', 'windows'] as const
export type System = (typeof systems)[number]

interface Kind {
  runtime: RuntimeId
  processor: string
}

/** Runtimes of a system, the most common one first, with the word that people know the processor by. */
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
  /** The key that the server shows there, as curl takes it: nothing is taken from another one. Null without TLS of its own. */
  serverPin: string | null
  /** Path of the installer on the server. */
  downloadUrl: string
  tenantId: string
  keyId: string
  keySecret: string
  instanceId: string | null
  /** Installs for the current user, without administrator rights; not on Windows. */
  isUserOnly: boolean
}

// Everything in a command comes from our own server, yet only what is surely harmless goes unquoted into a shell.
const isPlain = (text: string) => /^[\w@%+=:,./-]+$/.test(text)
const quoteForShell = (text: string) => (isPlain(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

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

/** Where installers find the secret: whoever is on the machine can list command lines, but not this. */
const secretVariable = 'FARHAND_INSTALLER_KEY_SECRET'

/**
 * Prints the installer, with whichever of the two downloaders is there. With a pin they take nothing from a server that has
 * another key, and let its name and who issued its certificate be. A key may be that of other servers, too, as with a
 * certificate for a whole domain: sent elsewhere, which may be without TLS, they do not go.
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
 * Works as root without sudo too, as containers do; the exit status is that of the installer. The secret goes ahead of the
 * script through the same pipe, and the blank in front keeps the line out of the history of shells that are set so.
 */
function unixCommand(command: InstallCommand) {
  const secret = quoteForShell(`${secretVariable}=${quoteForShell(command.keySecret)}`)
  const elevate = command.isUserOnly ? '' : '$(command -v sudo) '
  const args = argumentsOf(command, quoteForShell)
  return ` (printf '%s\\n' ${secret}; ${unixDownload(command)}) | ${elevate}sh -s -- install ${args}`
}

/**
 * Leaves the installer in `$t`, once the server has shown the key: its SubjectPublicKeyInfo is found in the certificate,
 * element by element, because the .NET of Windows 10 has no name for it. Nothing is sent before. A callback that decides,
 * the usual way, would run on a thread without a PowerShell; that of a stream of its own runs on this one.
 */
const pinnedDownload = (url: string, pin: string) => [
  `$u=[Uri]${quoteForPowerShell(url)}`,
  '$n=New-Object Net.Sockets.TcpClient($u.DnsSafeHost,$u.Port)',
  '$s=New-Object Net.Security.SslStream($n.GetStream(),$false,[Net.Security.RemoteCertificateValidationCallback]{$true})',
  "$s.AuthenticateAsClient($u.DnsSafeHost,$null,'Tls12',$false)",
  '$c=$s.RemoteCertificate.GetRawCertData()',
  // Where the content of the element at a place begins and ends.
  '$e={param($i)$l=[int]$c[$i+1];$b=$i+2;if($l -ge 128){$k=$b+$l-128;for($l=0;$b -lt $k;$b++){$l=$l*256+$c[$b]}};$b;$b+$l}',
  '$i=(&$e (&$e 0)[0])[0]',
  // The version, which may be missing, serial number, signature, issuer, validity and subject.
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
 * For a session that has administrator rights: the agent is a service there. The script runs in that session, so there is
 * no file that another program could change before it runs.
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
  // Windows Server 2016 speaks no TLS that servers still speak unless it is told to.
  const tls = serverUrl.startsWith('https:') ? ["[Net.ServicePointManager]::SecurityProtocol='Tls12'"] : []
  const script = `(New-Object Net.WebClient).DownloadString(${quoteForPowerShell(serverUrl + downloadUrl)})`
  return [secret, ...tls, run(script)].join('; ')
}

/** The line that somebody runs on a machine to make it a device. */
export const installCommand = (command: InstallCommand) =>
  command.system === 'windows' ? windowsCommand(command) : unixCommand(command)
