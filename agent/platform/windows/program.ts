import { dirname, join } from 'node:path/win32'
import { packageUpgradeCode } from '../../../shared/agent-package.ts'
import { quoteForPowerShell } from '../../../shared/power-shell.ts'
import { environment } from '../../base/environment.ts'
import type { ProgramRules } from '../platform.ts'
import { isPlain } from '../../../shared/shell-quote.ts'
import { events, writeEvent } from './event-log.ts'
import { windowsFiles } from './files.ts'
import { success } from './library.ts'
import { createOutliving } from './outliving-process.ts'
import { commandFile, windowsService } from './service.ts'
import { msi, productCodeLength } from './win32/msi.ts'

/** Product code of the MSI package that installed the agent of a folder; the package knows one folder only. */
async function packageOf(folder: string): Promise<string | undefined> {
  const { msiEnumRelatedProducts } = await msi()
  const code = Buffer.alloc(2 * productCodeLength)
  return folder.toLowerCase() === windowsFiles.foldersFor('default', true).programFolder.toLowerCase() &&
    msiEnumRelatedProducts(packageUpgradeCode, 0, 0, code) === success
    ? code.toString('utf16le').split('\0')[0]
    : undefined
}

/**
 * Removes the folder of this running program after its end, because the program is open until then; and the registration
 * of an MSI package, with which Windows would take the agent for installed.
 */
async function removeFolder(folder: string) {
  const product = await packageOf(folder)
  // Full names: Windows looks for programs in the current folder first.
  const [cmd, ping, msiexec] = ['cmd.exe', 'ping.exe', 'msiexec.exe'].map((name) =>
    join(environment.windows, 'System32', name),
  )
  const folders = `rmdir /s /q "${folder}" & rmdir "${dirname(folder)}"`
  // Without effect while the package itself is being removed.
  const registration = product === undefined ? '' : ` & ${msiexec} /x ${product} /qn`
  await createOutliving(cmd!, `"${cmd}" /c ${ping} -n 3 127.0.0.1 >nul & ${folders}${registration}`)
}

export const windowsProgram: ProgramRules = {
  entries: [commandFile],
  isLinked: false,
  copiedEntries: [],
  nodeName: 'node.exe',
  installerName: 'Installer.ps1',
  bundleDigest: 'bundleSha256',
  runtimes: { ia32: 'win-x86', x64: 'win-x64' },
  allowsUserInstallations: false,
  shellCommand: (args) => `& ${args.map((text) => (isPlain(text) ? text : quoteForPowerShell(text))).join(' ')}`,
  removeFolder,
  noteFailure: (reason) => writeEvent(events.notInstalled, `The Farhand agent was not installed. ${reason}`),
  serviceManagers: [windowsService],
}
