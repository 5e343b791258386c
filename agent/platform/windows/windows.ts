import { freemem, release, totalmem, version } from 'node:os'
import { win32 } from 'node:path'
import { environment } from '../../base/environment.ts'
import type { Platform } from '../platform.ts'
import { pressCtrlAltDel } from './ctrl-alt-del.ts'
import { findDesktops } from './desktops.ts'
import { fixedDrives } from './drives.ts'
import { dropFolder } from './drop-folder.ts'
import { windowsFiles } from './files.ts'
import { windowsProcesses } from './processes.ts'
import { powerVariant, powerVariants } from './power-variant.ts'
import { windowsProgram } from './program.ts'
import { removeSafeModeEntry, restartInSafeMode } from './safe-mode.ts'
import { serviceName } from './service.ts'
import { answerServiceManager, onSessionChange, stopReason } from './service-process.ts'
import { listSessions } from './sessions.ts'
import { powershellFile, windowsTerminals } from './shells.ts'
import { connect, type Socket } from 'node:net'

/** Connects to the agent's pipe; the argument of a desktop's process is the name of the pipe. */
const channelToAgent = (argument: string): Socket | undefined =>
  /^\\\\\.\\pipe\\farhand-desktop-[0-9a-f]{32}$/.test(argument) ? connect(argument) : undefined

/** Sets UTF-8 output, and disables progress output, which PowerShell writes as XML. */
const utf8Output =
  "$ProgressPreference = 'SilentlyContinue'; [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)\n"

const browserFiles = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'BraveSoftware\\Brave-Browser\\Application\\brave.exe',
]

export const windows: Platform = {
  system: 1,
  systemDrive: 'C:\\',
  files: windowsFiles,
  processes: windowsProcesses,
  terminals: windowsTerminals,
  program: windowsProgram,
  desktops: {
    find: findDesktops,
    pressCtrlAltDel,
    dropFolder,
    connector: async () => (await import('./desktop/desktop.ts')).windowsConnector,
    serveSecureDesktop: async ([name = '', sid = '', processId = '']) =>
      (await import('./secure-desktop/helper.ts')).serveSecureDesktop(name, sid, Number(processId)),
    channelToAgent,
    browsers: () => ({
      chromiums: [environment.programFiles, `${environment.programFiles} (x86)`].flatMap((folder) =>
        browserFiles.map((file) => win32.join(folder, file)),
      ),
      // The browser of the person where there is no other, such as Firefox. Reports success without one, too.
      opener: [`${environment.windows}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler'],
    }),
  },
  osDescription: async () => `${version()} (${release()})`,
  memory: async () => ({ totalBytes: totalmem(), usedBytes: totalmem() - freemem() }),
  fixedDrives,
  currentUsers: async () =>
    [...new Set((await listSessions()).map(({ user }) => user))].filter((name) => name !== '').sort(),
  isVirtualInterface: (name) => /^(vEthernet|Loopback)/.test(name),
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
  powerVariants: ({ asService = false }) => powerVariants(asService),
  restartInSafeMode: (agent) => restartInSafeMode(serviceName(agent)),
  tidyStart: () => removeSafeModeEntry(),
  powerVariant: async (change) => powerVariant(change, await listSessions()),
  powerCommand: (change) => [
    `${environment.windows}\\System32\\shutdown.exe`,
    change === 'restart' ? '/r' : '/s',
    '/t',
    '0',
    '/f',
  ],
  stopReason,
  answerServiceManager,
  onSessionChange,
}
