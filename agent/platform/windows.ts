import { existsSync } from 'node:fs'
import { freemem, release, totalmem, version } from 'node:os'
import { environment } from '../config.ts'
import type { MountedDrive, Platform } from './platform.ts'
import { closedConsole } from './platform.ts'
import { runTool } from './run-tool.ts'

const powershellFile = `${environment.windows}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`
const powershell = (script: string) => runTool(powershellFile, '-NoProfile', '-NonInteractive', '-Command', script)

interface LogicalDisk {
  DeviceID: string
  FileSystem: string | null
  VolumeName: string | null
}

/** PowerShell takes half a second of processor time, so what it tells is kept for a while. */
function remembered<T>(maxAgeMs: number, read: () => Promise<T>) {
  let value: Promise<T> | undefined
  let readAt = -Infinity
  return () => {
    const now = performance.now()
    if (!value || now - readAt > maxAgeMs) {
      value = read()
      readAt = now
    }
    return value
  }
}

const fixedDrives = remembered(280_000, async (): Promise<MountedDrive[]> => {
  const text = await powershell(
    'ConvertTo-Json -Compress @(Get-CimInstance Win32_LogicalDisk -Filter DriveType=3 | Select DeviceID,FileSystem,VolumeName)',
  )
  const disks = text.trim() === '' ? [] : (JSON.parse(text) as LogicalDisk[])
  return disks.map(({ DeviceID, FileSystem, VolumeName }) => ({
    rootDirectory: `${DeviceID}\\`,
    driveFormat: FileSystem ?? '',
    volumeLabel: VolumeName ?? '',
  }))
})

/** Home editions have no `quser`; there the one user at the console is all that can be asked for cheaply. */
const consoleUser = remembered(280_000, async () => {
  const name = (await powershell('(Get-CimInstance Win32_ComputerSystem).UserName')).trim()
  return name === '' ? [] : [name.replace(/^.*\\/, '')]
})

/**
 * Windows lets a service press Ctrl+Alt+Del where a policy of the machine says so. Where it does not, it is set for the
 * moment of the press and put back.
 */
export const ctrlAltDelScript = [
  "$ErrorActionPreference = 'Stop'",
  "$key = 'HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Policies\\System'",
  "$name = 'SoftwareSASGeneration'",
  '$before = (Get-ItemProperty $key).$name',
  '$isSet = $before -in 1, 3',
  'if (-not $isSet) { Set-ItemProperty $key $name 1 -Type DWord }',
  'try {',
  `  Add-Type -Namespace Farhand -Name Keys -MemberDefinition '[DllImport("sas.dll")] public static extern void SendSAS(bool asUser);'`,
  '  [Farhand.Keys]::SendSAS($false)',
  '} finally {',
  '  if ($isSet) { }',
  '  elseif ($null -eq $before) { Remove-ItemProperty $key $name }',
  '  else { Set-ItemProperty $key $name $before -Type DWord }',
  '}',
  "'pressed'",
].join('\n')

/** Without it PowerShell writes in the code page of the console, and its progress as XML. */
const utf8Output =
  "$ProgressPreference = 'SilentlyContinue'; [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)\n"

export const windows: Platform = {
  system: 1,
  systemDrive: 'C:\\',
  osDescription: async () => `${version()} (${release()})`,
  pressCtrlAltDel: async () => (await powershell(ctrlAltDelScript)).trim() === 'pressed',
  memory: async () => ({ totalBytes: totalmem(), usedBytes: totalmem() - freemem() }),
  fixedDrives,
  async currentUsers() {
    const lines = (await runTool(`${environment.windows}\\System32\\quser.exe`)).split('\n').slice(1)
    const names = lines.map((line) => line.trim().replace(/^>|\s.*$/g, '')).filter((name) => name !== '')
    return names.length > 0 ? [...new Set(names)].sort() : consoleUser()
  },
  findDesktops: async () => [
    closedConsole('This agent cannot show the desktop of a Windows device; terminal and files work.'),
  ],
  isVirtualInterface: (name) => /^(vEthernet|Loopback)/.test(name),
  shells: () =>
    [
      powershellFile,
      `${environment.programFiles}\\PowerShell\\7\\pwsh.exe`,
      `${environment.windows}\\System32\\cmd.exe`,
    ].filter((file) => existsSync(file)),
  scriptCommand: (file, args) => [
    powershellFile,
    '-NoProfile',
    '-NonInteractive',
    '-ExecutionPolicy',
    'Bypass',
    '-File',
    file,
    ...args,
  ],
  commandLine: (command) => [
    powershellFile,
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-OutputFormat',
    'Text',
    '-EncodedCommand',
    // As UTF-16 in base64 nothing of it is read by anything but PowerShell.
    Buffer.from(utf8Output + command, 'utf16le').toString('base64'),
  ],
  powerCommand: (change) => [
    `${environment.windows}\\System32\\shutdown.exe`,
    change === 'restart' ? '/r' : '/s',
    '/t',
    '0',
    '/f',
  ],
}
