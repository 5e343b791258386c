import { freemem, release, totalmem, version } from 'node:os'
import { environment } from '../base/config.ts'
import type { Platform } from './platform.ts'
import { pressCtrlAltDel } from './win32/ctrl-alt-del.ts'
import { findDesktops } from './win32/desktops.ts'
import { fixedDrives } from './win32/drives.ts'
import { listSessions } from './win32/sessions.ts'
import { windowsShells } from './win32/shells.ts'

const powershellFile = `${environment.windows}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`

/** Sets UTF-8 output, and disables progress output, which PowerShell writes as XML. */
const utf8Output =
  "$ProgressPreference = 'SilentlyContinue'; [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)\n"

export const windows: Platform = {
  system: 1,
  systemDrive: 'C:\\',
  osDescription: async () => `${version()} (${release()})`,
  pressCtrlAltDel,
  memory: async () => ({ totalBytes: totalmem(), usedBytes: totalmem() - freemem() }),
  fixedDrives,
  currentUsers: async () =>
    [...new Set((await listSessions()).map(({ user }) => user))].filter((name) => name !== '').sort(),
  findDesktops,
  isVirtualInterface: (name) => /^(vEthernet|Loopback)/.test(name),
  shells: windowsShells,
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
  // On Windows only administrators can list other users' command lines.
  commandLine: (command) => ({
    line: [
      powershellFile,
      '-NoLogo',
      '-NoProfile',
      '-NonInteractive',
      '-OutputFormat',
      'Text',
      '-EncodedCommand',
      // Encoded as UTF-16 in base64, so that only PowerShell interprets the text.
      Buffer.from(utf8Output + command, 'utf16le').toString('base64'),
    ],
  }),
  powerCommand: (change) => [
    `${environment.windows}\\System32\\shutdown.exe`,
    change === 'restart' ? '/r' : '/s',
    '/t',
    '0',
    '/f',
  ],
}
