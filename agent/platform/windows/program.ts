import { dirname, join } from 'node:path/win32'
import { quoteForPowerShell } from '../../../shared/power-shell.ts'
import { environment } from '../../base/config.ts'
import type { ProgramRules } from '../platform.ts'
import { isPlain } from '../quote.ts'
import { createOutliving } from './outliving-process.ts'
import { commandFile, windowsService } from './service.ts'

/** Removes the folder of this running program after its end, because the program is open until then. */
async function removeFolder(folder: string) {
  // Full names: Windows looks for programs in the current folder first.
  const [cmd, ping] = ['cmd.exe', 'ping.exe'].map((name) => join(environment.windows, 'System32', name))
  const folders = `rmdir /s /q "${folder}" & rmdir "${dirname(folder)}"`
  await createOutliving(cmd!, `"${cmd}" /c ${ping} -n 3 127.0.0.1 >nul & ${folders}`)
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
  serviceManagers: [windowsService],
}
